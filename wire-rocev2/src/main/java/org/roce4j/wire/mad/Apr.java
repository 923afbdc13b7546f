package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/**
 * Response to {@link Lap}.
 *
 * @param infoLength significant bytes of {@code info}
 * @param info additional information: {@link #INFO_LENGTH} bytes
 */
public record Apr(
    int localId, int remoteId, int infoLength, int status, Bytes info, Bytes privateData)
    implements CmMessage {
  private static final BitField LOCAL_ID = bytes(24, 4);
  private static final BitField REMOTE_ID = bytes(28, 4);
  private static final BitField INFORMATION_LENGTH = bytes(32, 1);
  private static final BitField STATUS = bytes(33, 1);
  private static final int INFO_AT = 36;

  /**
   * {@code info} up to 72 and {@code privateData} up to 148 bytes are padded with zeros; more is an
   * {@link IllegalArgumentException}.
   */
  public Apr {
    info = CmAttribute.APR.padded(info, INFO_LENGTH, "information");
    privateData = CmAttribute.APR.padded(privateData);
  }

  static Apr parse(ByteBuffer mad) {
    return new Apr(
        LOCAL_ID.get(mad),
        REMOTE_ID.get(mad),
        INFORMATION_LENGTH.get(mad),
        STATUS.get(mad),
        Bytes.copy(mad, INFO_AT, INFO_LENGTH),
        CmAttribute.APR.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    LOCAL_ID.put(mad, localId);
    REMOTE_ID.put(mad, remoteId);
    INFORMATION_LENGTH.put(mad, infoLength);
    STATUS.put(mad, status);
    info.copyTo(mad, INFO_AT);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "APR id 0x%08x to 0x%08x status %d", localId, remoteId, status);
  }
}
