package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bits;
import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/**
 * Message receipt acknowledgement: the answer takes longer.
 *
 * @param arrived the message that arrived: {@link #REQ}, {@link #REP} or {@link #LAP}
 * @param serviceTimeout code of the time that the answer takes: 4.096 us * 2<sup>n</sup>
 */
public record Mra(int localId, int remoteId, int arrived, int serviceTimeout, Bytes privateData)
    implements CmMessage {
  /** {@code arrived}: the request arrived; the reply takes longer. */
  public static final int REQ = 0;

  /** {@code arrived}: the reply arrived; RTU takes longer. */
  public static final int REP = 1;

  /** {@code arrived}: the alternate path arrived; its answer takes longer. */
  public static final int LAP = 2;

  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField REMOTE_ID = bytes(28, 4);
  private static final BitField MESSAGE = bits(32, 0, 2);
  private static final BitField SERVICE_TIMEOUT = bits(33, 0, 5);

  /**
   * {@code privateData} up to 222 bytes is padded with zeros; more is an {@link
   * IllegalArgumentException}.
   */
  public Mra {
    privateData = CmAttribute.MRA.padded(privateData);
  }

  static Mra parse(ByteBuffer mad) {
    return new Mra(
        LOCAL_ID.get(mad),
        REMOTE_ID.get(mad),
        MESSAGE.get(mad),
        SERVICE_TIMEOUT.get(mad),
        CmAttribute.MRA.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    REMOTE_ID.put(mad, remoteId);
    MESSAGE.put(mad, arrived);
    SERVICE_TIMEOUT.put(mad, serviceTimeout);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "MRA id 0x%08x to 0x%08x of %s timeout %d",
        localId,
        remoteId,
        MadText.of(arrived, "REQ", "REP", "LAP"),
        serviceTimeout);
  }
}
