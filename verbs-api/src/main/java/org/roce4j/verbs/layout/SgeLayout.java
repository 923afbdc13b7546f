package org.roce4j.verbs.layout;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct ibv_sge}: a scatter/gather element.
 *
 * <pre>
 *  0        8        12       16
 *  +--------+--------+--------+
 *  |  addr  | length |  lkey  |
 *  +--------+--------+--------+
 * </pre>
 */
public final class SgeLayout {
  /** Address of the first byte. */
  public static final int ADDR = 0;

  /** Bytes, unsigned. */
  public static final int LENGTH = ADDR + 8;

  /** Local key. */
  public static final int LKEY = LENGTH + 4;

  /** Bytes of one element. */
  public static final int SIZE = LKEY + 4;

  private SgeLayout() {}

  /** Reads {@link #ADDR} of the structure at this offset. */
  public static long addr(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + ADDR);
  }

  /** Writes {@link #ADDR} of the structure at this offset. */
  public static void addr(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + ADDR, value);
  }

  /** Reads {@link #LENGTH} of the structure at this offset. */
  public static int length(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + LENGTH);
  }

  /** Writes {@link #LENGTH} of the structure at this offset. */
  public static void length(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + LENGTH, value);
  }

  /** Reads {@link #LKEY} of the structure at this offset. */
  public static int lkey(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + LKEY);
  }

  /** Writes {@link #LKEY} of the structure at this offset. */
  public static void lkey(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + LKEY, value);
  }
}
