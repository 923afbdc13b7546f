package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bits;
import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/**
 * Rejection of a message, or of a connection being established.
 *
 * @param localId 0 if the sender has none
 * @param rejected what is rejected: {@link #REQ}, {@link #REP} or {@link #OTHER}
 * @param infoLength significant bytes of {@code info}
 * @param reason the number of a {@link RejCode}
 * @param info additional rejection information: {@link #INFO_LENGTH} bytes
 */
public record Rej(
    int localId,
    int remoteId,
    int rejected,
    int infoLength,
    int reason,
    Bytes info,
    Bytes privateData)
    implements CmMessage {
  /** {@code rejected}: a {@link Req} is refused. */
  public static final int REQ = 0;

  /** {@code rejected}: a {@link Rep} is refused. */
  public static final int REP = 1;

  /** {@code rejected}: no particular message is refused; for instance after a timeout. */
  public static final int OTHER = 2;

  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField REMOTE_ID = bytes(28, 4);
  private static final BitField MESSAGE = bits(32, 0, 2);
  private static final BitField REJECTED_INFO_LENGTH = bits(33, 0, 7);
  private static final BitField REASON = bytes(34, 2);
  private static final int INFO_AT = 36;

  /**
   * {@code info} up to 72 and {@code privateData} up to 148 bytes are padded with zeros; more is an
   * {@link IllegalArgumentException}.
   */
  public Rej {
    info = CmAttribute.REJ.padded(info, INFO_LENGTH, "information");
    privateData = CmAttribute.REJ.padded(privateData);
  }

  /** Without additional information. */
  public static Rej of(int localId, int remoteId, int rejected, RejCode reason, Bytes privateData) {
    return new Rej(localId, remoteId, rejected, 0, reason.code(), Bytes.NONE, privateData);
  }

  /** {@link RejCode#TIMEOUT}, which names the sender by its GUID. */
  public static Rej timedOut(int localId, int remoteId, long caGuid) {
    byte[] guid = ByteBuffer.allocate(Long.BYTES).putLong(caGuid).array();
    return new Rej(
        localId, remoteId, OTHER, Long.BYTES, RejCode.TIMEOUT.code(), Bytes.of(guid), Bytes.NONE);
  }

  static Rej parse(ByteBuffer mad) {
    return new Rej(
        LOCAL_ID.get(mad),
        REMOTE_ID.get(mad),
        MESSAGE.get(mad),
        REJECTED_INFO_LENGTH.get(mad),
        REASON.get(mad),
        Bytes.copy(mad, INFO_AT, INFO_LENGTH),
        CmAttribute.REJ.privateData(mad));
  }

  /** The GUID in the information of {@link RejCode#TIMEOUT}. */
  public long infoGuid() {
    return info.buffer().getLong(0);
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    REMOTE_ID.put(mad, remoteId);
    MESSAGE.put(mad, rejected);
    REJECTED_INFO_LENGTH.put(mad, infoLength);
    REASON.put(mad, reason);
    info.copyTo(mad, INFO_AT);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "REJ id 0x%08x to 0x%08x of %s reason %s",
        localId,
        remoteId,
        MadText.of(rejected, "REQ", "REP", "other"),
        RejCode.text(reason));
  }
}
