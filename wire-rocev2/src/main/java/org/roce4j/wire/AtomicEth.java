package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Atomic Extended Transport Header of COMPARE_SWAP and FETCH_ADD.
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
 *  |                   Swap or Add Data (63:32)                    |
 *  +---------------------------------------------------------------+
 *  |                   Swap or Add Data (31:0)                     |
 *  +---------------------------------------------------------------+
 *  |                     Compare Data (63:32)                      |
 *  +---------------------------------------------------------------+
 *  |                     Compare Data (31:0)                       |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * FETCH_ADD sends compare data 0; a responder ignores it.
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class AtomicEth {
  static final int VA = 0;
  static final int RKEY = VA + 8;
  static final int SWAP_OR_ADD = RKEY + 4;
  static final int COMPARE = SWAP_OR_ADD + 8;
  static final int SIZE = COMPARE + 8;

  private AtomicEth() {}

  /**
   * Address of the eight bytes; an address that is no multiple of 8 is answered with an invalid
   * request NAK.
   */
  public static long va(ByteBuffer b, int at) {
    return BigEndian.get64(b, at + VA);
  }

  /** Key of the region or window; it must grant {@code REMOTE_ATOMIC}. */
  public static int rkey(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + RKEY);
  }

  /** The value that COMPARE_SWAP stores on success, and that FETCH_ADD adds modulo 2^64. */
  public static long swapOrAdd(ByteBuffer b, int at) {
    return BigEndian.get64(b, at + SWAP_OR_ADD);
  }

  /** The value with which COMPARE_SWAP compares the memory. */
  public static long compare(ByteBuffer b, int at) {
    return BigEndian.get64(b, at + COMPARE);
  }

  /** Writes the whole header. */
  public static void put(ByteBuffer b, int at, long va, int rkey, long swapOrAdd, long compare) {
    BigEndian.put64(b, at + VA, va);
    BigEndian.put32(b, at + RKEY, rkey);
    BigEndian.put64(b, at + SWAP_OR_ADD, swapOrAdd);
    BigEndian.put64(b, at + COMPARE, compare);
  }
}
