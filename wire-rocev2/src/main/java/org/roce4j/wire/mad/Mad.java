package org.roce4j.wire.mad;

import java.nio.ByteBuffer;

/** A management datagram of the connection manager: the payload of a packet to queue pair 1. */
public record Mad(MadHeader header, CmMessage message) {
  /** Bytes of every MAD. */
  public static final int SIZE = 256;

  /** The queue pair that MADs come from and go to: the general services interface. */
  public static final int QPN = 1;

  /** {@code IB_QP1_QKEY}: the Q_Key of every packet to queue pair 1. */
  public static final int QKEY = 0x8001_0000;

  /**
   * Reads the MAD at index {@code at}.
   *
   * @return null if the bytes are no connection manager message: another length, version, class,
   *     method or attribute
   */
  public static Mad parse(ByteBuffer b, int at, int length) {
    if (length != SIZE) {
      return null;
    }
    ByteBuffer mad = b.slice(at, SIZE);
    MadHeader header = MadHeader.parse(mad);
    CmAttribute attribute = CmAttribute.ofId(header.attributeId());
    if (header.baseVersion() != MadHeader.BASE_VERSION
        || header.managementClass() != MadHeader.COMMUNICATION_MANAGEMENT
        || header.classVersion() != MadHeader.CM_VERSION
        || header.method() != MadHeader.SEND
        || attribute == null) {
      return null;
    }
    return new Mad(header, attribute.parse(mad));
  }

  /** Writes {@link #SIZE} bytes to index {@code at}. */
  public void emit(ByteBuffer b, int at) {
    b.put(at, new byte[SIZE]);
    ByteBuffer mad = b.slice(at, SIZE);
    header.emit(mad);
    message.emit(mad);
    message.attribute().putPrivateData(mad, message.privateData());
  }
}
