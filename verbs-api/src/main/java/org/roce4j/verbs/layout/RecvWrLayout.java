package org.roce4j.verbs.layout;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * {@code struct ibv_recv_wr}: a receive work request.
 *
 * <pre>
 *  0        8        16        24        28   32
 *  +--------+--------+---------+---------+----+
 *  | wr_id  |  next  | sg_list | num_sge | -- |
 *  +--------+--------+---------+---------+----+
 * </pre>
 */
public final class RecvWrLayout {
  /** Identifier that the completion bears. */
  public static final int WR_ID = 0;

  /** Absolute address of the next request, 0 at the end. */
  public static final int NEXT = WR_ID + 8;

  /** Absolute address of the array of {@link SgeLayout}. */
  public static final int SG_LIST = NEXT + 8;

  /** Elements of that array. */
  public static final int NUM_SGE = SG_LIST + 8;

  /** Bytes of one request, with four of padding. */
  public static final int SIZE = NUM_SGE + 8;

  private RecvWrLayout() {}

  /** Reads {@link #WR_ID} of the structure at this offset. */
  public static long wrId(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + WR_ID);
  }

  /** Writes {@link #WR_ID} of the structure at this offset. */
  public static void wrId(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + WR_ID, value);
  }

  /** Reads {@link #NEXT} of the structure at this offset. */
  public static long next(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + NEXT);
  }

  /** Writes {@link #NEXT} of the structure at this offset. */
  public static void next(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + NEXT, value);
  }

  /** Reads {@link #SG_LIST} of the structure at this offset. */
  public static long sgList(MemorySegment memory, long structure) {
    return memory.get(JAVA_LONG_UNALIGNED, structure + SG_LIST);
  }

  /** Writes {@link #SG_LIST} of the structure at this offset. */
  public static void sgList(MemorySegment memory, long structure, long value) {
    memory.set(JAVA_LONG_UNALIGNED, structure + SG_LIST, value);
  }

  /** Reads {@link #NUM_SGE} of the structure at this offset. */
  public static int numSge(MemorySegment memory, long structure) {
    return memory.get(JAVA_INT_UNALIGNED, structure + NUM_SGE);
  }

  /** Writes {@link #NUM_SGE} of the structure at this offset. */
  public static void numSge(MemorySegment memory, long structure, int value) {
    memory.set(JAVA_INT_UNALIGNED, structure + NUM_SGE, value);
  }
}
