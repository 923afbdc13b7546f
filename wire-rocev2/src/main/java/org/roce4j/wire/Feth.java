package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * Flush Extended Transport Header.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------+---+-------+
 *  |                     reserved                      |SEL|  PLT  |
 *  +---------------------------------------------------+---+-------+
 * </pre>
 *
 * PLT is the placement type (a bit set), SEL the selectivity level.
 *
 * <p>Stateless; accessors are big endian whatever the order of the buffer.
 */
public final class Feth {
  static final int WORD = 0;
  static final int SIZE = WORD + 4;

  /** Placement bit: visible to everyone ({@code IBV_FLUSH_GLOBAL}). */
  public static final int PLACEMENT_GLOBAL = 1;

  /** Placement bit: survives power loss ({@code IBV_FLUSH_PERSISTENT}). */
  public static final int PLACEMENT_PERSISTENT = 2;

  /** Selectivity: the range of the RETH ({@code IBV_FLUSH_RANGE}). */
  public static final int SELECT_RANGE = 0;

  /** Selectivity: the whole memory region ({@code IBV_FLUSH_MR}). */
  public static final int SELECT_MR = 1;

  private static final int PLACEMENT_MASK = 0xF;
  private static final int SELECTIVITY_SHIFT = 4;

  private Feth() {}

  /** Placement type, 4 bits. */
  public static int placement(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + WORD) & PLACEMENT_MASK;
  }

  /** Selectivity level, 2 bits. */
  public static int selectivity(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + WORD) >> SELECTIVITY_SHIFT & 3;
  }

  /** The 26 reserved bits: sent as 0, ignored. */
  public static int reserved(ByteBuffer b, int at) {
    return BigEndian.get32(b, at + WORD) >>> 6;
  }

  /** Writes the whole header with the reserved bits 0. */
  public static void put(ByteBuffer b, int at, int placement, int selectivity) {
    BigEndian.put32(
        b, at + WORD, (selectivity & 3) << SELECTIVITY_SHIFT | placement & PLACEMENT_MASK);
  }
}
