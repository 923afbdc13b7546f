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
  static final int QKEY = 0;

  /** Offset of the reserved byte. */
  public static final int RESERVED = QKEY + 4;

  static final int SOURCE_QP = RESERVED + 1;

  /** Bytes of a DETH. */
  public static final int SIZE = SOURCE_QP + 3;

  private Deth() {}

  /** Queue key; a packet whose key is not the receiving queue pair's is dropped. */
  public static int qkey(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + QKEY);
  }

  /** The reserved byte: sent as 0, ignored. */
  public static int reserved(ByteBuffer b, int at) {
    return BigEndian.get8(b, at + RESERVED);
  }

  /**
   * Number of the sender's queue pair, 24 bits: where an answer goes ({@code src_qp} of the
   * completion).
   */
  public static int sourceQp(ByteBuffer b, int at) {
    return BigEndian.get24After(b, at + RESERVED);
  }

  /** Writes the whole header; the reserved byte is 0. */
  public static void put(ByteBuffer b, int at, int qkey, int sourceQp) {
    BigEndian.put32(b, at + QKEY, qkey);
    BigEndian.put32(b, at + RESERVED, sourceQp & 0xFF_FFFF);
  }
}
