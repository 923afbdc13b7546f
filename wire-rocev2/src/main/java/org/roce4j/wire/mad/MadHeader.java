package org.roce4j.wire.mad;

import java.nio.ByteBuffer;

/**
 * The header that every management datagram begins with.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------+---------------+---------------+---------------+
 *  | base version  |  mgmt class   | class version |    method     |
 *  +---------------+---------------+---------------+---------------+
 *  |            status             |        class specific         |
 *  +-------------------------------+-------------------------------+
 *  |                        transaction id                         |
 *  |                                                               |
 *  +-------------------------------+-------------------------------+
 *  |         attribute id          |           reserved            |
 *  +-------------------------------+-------------------------------+
 *  |                      attribute modifier                       |
 *  +---------------------------------------------------------------+
 * </pre>
 */
public record MadHeader(
    int baseVersion,
    int managementClass,
    int classVersion,
    int method,
    int status,
    int classSpecific,
    long transactionId,
    int attributeId,
    int attributeModifier) {

  /** Where the attribute id lies in the MAD. */
  public static final int ATTRIBUTE_ID = 16;

  static final int SIZE = 24;

  static final int BASE_VERSION = 1;

  /** {@code IB_MGMT_CLASS_CM}. */
  static final int COMMUNICATION_MANAGEMENT = 0x07;

  /** {@code IB_CM_CLASS_VERSION}. */
  static final int CM_VERSION = 2;

  /** {@code IB_MGMT_METHOD_SEND}: the method of every message of the connection manager. */
  static final int SEND = 0x03;

  /** The header of a message of the connection manager. */
  static MadHeader of(CmAttribute attribute, long transactionId) {
    return new MadHeader(
        BASE_VERSION,
        COMMUNICATION_MANAGEMENT,
        CM_VERSION,
        SEND,
        0,
        0,
        transactionId,
        attribute.id(),
        0);
  }

  static MadHeader parse(ByteBuffer mad) {
    return new MadHeader(
        mad.get(0) & 0xFF,
        mad.get(1) & 0xFF,
        mad.get(2) & 0xFF,
        mad.get(3) & 0xFF,
        mad.getShort(4) & 0xFFFF,
        mad.getShort(6) & 0xFFFF,
        mad.getLong(8),
        mad.getShort(ATTRIBUTE_ID) & 0xFFFF,
        mad.getInt(20));
  }

  void emit(ByteBuffer mad) {
    mad.put(0, (byte) baseVersion)
        .put(1, (byte) managementClass)
        .put(2, (byte) classVersion)
        .put(3, (byte) method)
        .putShort(4, (short) status)
        .putShort(6, (short) classSpecific)
        .putLong(8, transactionId)
        .putShort(ATTRIBUTE_ID, (short) attributeId)
        .putShort(18, (short) 0)
        .putInt(20, attributeModifier);
  }
}
