package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/**
 * Request for communication release: an end disconnects.
 *
 * @param remoteQpn the receiver's queue pair
 */
public record Dreq(int localId, int remoteId, int remoteQpn, Bytes privateData)
    implements CmMessage {
  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField REMOTE_ID = bytes(28, 4);
  private static final BitField REMOTE_QPN = bytes(32, 3);

  /**
   * {@code privateData} up to 220 bytes is padded with zeros; more is an {@link
   * IllegalArgumentException}.
   */
  public Dreq {
    privateData = CmAttribute.DREQ.padded(privateData);
  }

  static Dreq parse(ByteBuffer mad) {
    return new Dreq(
        LOCAL_ID.get(mad),
        REMOTE_ID.get(mad),
        REMOTE_QPN.get(mad),
        CmAttribute.DREQ.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    REMOTE_ID.put(mad, remoteId);
    REMOTE_QPN.put(mad, remoteQpn);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "DREQ id 0x%08x to 0x%08x QP 0x%06x", localId, remoteId, remoteQpn);
  }
}
