package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Atomic Acknowledge Extended Transport Header: what the memory held before the atomic operation.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                 Original Remote Data (63:32)                  |
 *  +---------------------------------------------------------------+
 *  |                 Original Remote Data (31:0)                   |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class AtomicAckEth {
  static final int ORIGINAL_DATA = 0;
  static final int SIZE = ORIGINAL_DATA + 8;

  private AtomicAckEth() {}

  /** The eight bytes of memory before the operation, as a number. */
  public static long originalData(ByteBuffer b, int at) {
    return BigEndian.get64(b, at + ORIGINAL_DATA);
  }

  /** Writes the whole header. */
  public static void put(ByteBuffer b, int at, long originalData) {
    BigEndian.put64(b, at + ORIGINAL_DATA, originalData);
  }
}
