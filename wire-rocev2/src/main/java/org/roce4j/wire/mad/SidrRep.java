package org.roce4j.wire.mad;

import static org.roce4j.wire.mad.BitField.bytes;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Bytes;

/**
 * Service id resolution reply.
 *
 * @param requestId the request's
 * @param status one of the constants here
 * @param infoLength significant bytes of {@code info}
 * @param vendorId of the enhanced connection establishment; 0: not used
 * @param info additional information: {@link #INFO_LENGTH} bytes
 */
public record SidrRep(
    int requestId,
    int status,
    int infoLength,
    int vendorId,
    int qpn,
    long serviceId,
    int qkey,
    Bytes info,
    Bytes privateData)
    implements CmMessage {
  /** {@code status}: the queue pair and Q_Key of the message serve the service. */
  public static final int SUCCESS = 0;

  /** {@code status}: nobody listens on the service id. */
  public static final int UNSUPPORTED_SERVICE = 1;

  /** {@code status}: the program refused. */
  public static final int REJECTED = 2;

  /** {@code status}: no queue pair serves the service at present. */
  public static final int NO_QP = 3;

  /** {@code status}: another port serves it; the additional information says where. */
  public static final int REDIRECT = 4;

  /** {@code status}: another version of communication management. */
  public static final int UNSUPPORTED_VERSION = 5;

  private static final BitField REQUEST_ID = bytes(24, 4);
  private static final BitField STATUS = bytes(28, 1);
  private static final BitField INFORMATION_LENGTH = bytes(29, 1);
  private static final BitField VENDOR_ID_HIGH = bytes(30, 2);
  private static final BitField QPN = bytes(32, 3);
  private static final BitField VENDOR_ID_LOW = bytes(35, 1);
  private static final BitField SERVICE_ID = bytes(36, 8);
  private static final BitField Q_KEY = bytes(44, 4);
  private static final int INFO_AT = 48;

  /**
   * {@code info} up to 72 and {@code privateData} up to 136 bytes are padded with zeros; more is an
   * {@link IllegalArgumentException}.
   */
  public SidrRep {
    info = CmAttribute.SIDR_REP.padded(info, INFO_LENGTH, "information");
    privateData = CmAttribute.SIDR_REP.padded(privateData);
  }

  static SidrRep parse(ByteBuffer mad) {
    return new SidrRep(
        REQUEST_ID.get(mad),
        STATUS.get(mad),
        INFORMATION_LENGTH.get(mad),
        VENDOR_ID_HIGH.get(mad) << 8 | VENDOR_ID_LOW.get(mad),
        QPN.get(mad),
        SERVICE_ID.get64(mad),
        Q_KEY.get(mad),
        Bytes.copy(mad, INFO_AT, INFO_LENGTH),
        CmAttribute.SIDR_REP.privateData(mad));
  }

  @Override
  public void emit(ByteBuffer mad) {
    REQUEST_ID.put(mad, requestId);
    STATUS.put(mad, status);
    INFORMATION_LENGTH.put(mad, infoLength);
    VENDOR_ID_HIGH.put(mad, vendorId >>> 8);
    QPN.put(mad, qpn);
    VENDOR_ID_LOW.put(mad, vendorId);
    SERVICE_ID.put(mad, serviceId);
    Q_KEY.put(mad, qkey);
    info.copyTo(mad, INFO_AT);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "SIDR_REP id 0x%08x %s QP 0x%06x Q_Key 0x%08x",
        requestId,
        MadText.of(
            status,
            "success",
            "unsupported service",
            "rejected",
            "no QP",
            "redirect",
            "unsupported version"),
        qpn,
        qkey);
  }
}
