package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * XRC Extended Transport Header: the shared receive queue an XRC request is for. First of the
 * extension headers, in requests only.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------+-----------------------------------------------+
 *  |   reserved    |                XRC SRQ number                 |
 *  +---------------+-----------------------------------------------+
 * </pre>
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class XrcEth {
  /** Offset of the reserved byte. */
  public static final int RESERVED = 0;

  static final int SRQN = RESERVED + 1;

  /** Bytes of an XRCETH. */
  public static final int SIZE = SRQN + 3;

  private XrcEth() {}

  /** The reserved byte: sent as 0, ignored. */
  public static int reserved(ByteBuffer b, int at) {
    return BigEndian.get8(b, at + RESERVED);
  }

  /** Number of the shared receive queue, 24 bits ({@code ibv_get_srq_num}). */
  public static int srqn(ByteBuffer b, int at) {
    return BigEndian.get24After(b, at + RESERVED);
  }

  /** Writes the whole header; the reserved byte is 0. */
  public static void put(ByteBuffer b, int at, int srqn) {
    BigEndian.put32(b, at + RESERVED, srqn & 0xFF_FFFF);
  }
}
