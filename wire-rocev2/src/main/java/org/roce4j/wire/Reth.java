package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * RDMA Extended Transport Header: where a WRITE, READ, FLUSH or ATOMIC_WRITE goes.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                     Virtual Address (63:32)                   |
 *  +---------------------------------------------------------------+
 *  |                     Virtual Address (31:0)                    |
 *  +---------------------------------------------------------------+
 *  |                             R_Key                             |
 *  +---------------------------------------------------------------+
 *  |                     DMA Length (0 .. 2^31)                    |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class Reth {
  static final int VA = 0;
  static final int RKEY = VA + 8;
  static final int LENGTH = RKEY + 4;
  static final int SIZE = LENGTH + 4;

  private Reth() {}

  /** Remote address: where the WRITE begins, the READ begins, the FLUSH begins. */
  public static long va(ByteBuffer b, int at) {
    return BigEndian.get64(b, at + VA);
  }

  /** Key of the remote region or window. */
  public static int rkey(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + RKEY);
  }

  /** DMA length as the unsigned number it is, 0 .. 2^32-1 (legal up to 2^31). */
  public static long length(ByteBuffer b, int at) {
    return Integer.toUnsignedLong(BigEndian.get32(b, at + LENGTH));
  }

  /** Writes the whole header; {@code length} in bytes, 0 .. 2^32-1. */
  public static void put(ByteBuffer b, int at, long va, int rkey, long length) {
    BigEndian.put64(b, at + VA, va);
    BigEndian.put32(b, at + RKEY, rkey);
    BigEndian.put32(b, at + LENGTH, (int) length);
  }
}
