package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Datagram Extended Transport Header of every UD packet.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                             Q_Key                             |
 *  +---------------+-----------------------------------------------+
 *  |   reserved    |               Source Queue Pair               |
 *  +---------------+-----------------------------------------------+
 * </pre>
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class Deth {
  public static final int QKEY = 0;
  public static final int RESERVED = QKEY + 4;
  public static final int SOURCE_QP = RESERVED + 1;
  public static final int SIZE = SOURCE_QP + 3;

  private Deth() {}

  public static int qkey(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + QKEY);
  }

  /** The reserved byte: sent as 0, ignored. */
  public static int reserved(ByteBuffer b, int at) {
    return BigEndian.get8(b, at + RESERVED);
  }

  public static int sourceQp(ByteBuffer b, int at) {
    return BigEndian.get24After(b, at + RESERVED);
  }

  public static void put(ByteBuffer b, int at, int qkey, int sourceQp) {
    BigEndian.put32(b, at + QKEY, qkey);
    BigEndian.put32(b, at + RESERVED, sourceQp & 0xFF_FFFF);
  }
}
