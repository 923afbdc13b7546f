package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bits;
import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/** Load alternate path: InfiniBand's path migration, which RoCE does not have. */
public record Lap(
    int localId,
    int remoteId,
    int remoteQpn,
    int remoteResponseTimeout,
    CmPath alternate,
    Bytes privateData)
    implements CmMessage {
  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField REMOTE_ID = bytes(28, 4);
  private static final BitField REMOTE_QPN = bytes(36, 3);
  private static final BitField REMOTE_RESPONSE_TIMEOUT = bits(39, 0, 5);

  /**
   * {@code privateData} up to 168 bytes is padded with zeros; more is an {@link
   * IllegalArgumentException}.
   */
  public Lap {
    privateData = CmAttribute.LAP.padded(privateData);
  }

  static Lap parse(ByteBuffer mad) {
    return new Lap(
        LOCAL_ID.get(mad),
        REMOTE_ID.get(mad),
        REMOTE_QPN.get(mad),
        REMOTE_RESPONSE_TIMEOUT.get(mad),
        CmPath.lap(mad),
        CmAttribute.LAP.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    REMOTE_ID.put(mad, remoteId);
    REMOTE_QPN.put(mad, remoteQpn);
    REMOTE_RESPONSE_TIMEOUT.put(mad, remoteResponseTimeout);
    alternate.putLap(mad);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "LAP id 0x%08x to 0x%08x path %s", localId, remoteId, alternate);
  }
}
