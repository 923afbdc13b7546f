package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Invalidate Extended Transport Header of SEND with invalidate.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                      R_Key to invalidate                      |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class Ieth {
  static final int RKEY = 0;
  static final int SIZE = RKEY + 4;

  private Ieth() {}

  /**
   * Key of the region or type 2 window that the responder invalidates when it completes the SEND.
   */
  public static int rkey(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + RKEY);
  }

  /** Writes the whole header. */
  public static void put(ByteBuffer b, int at, int rkey) {
    BigEndian.put32(b, at + RKEY, rkey);
  }
}
