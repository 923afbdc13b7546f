package org.roce4j.robustness;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** Memory for regions, each between guards that must not be written. */
final class GuardedMemory {
  private static final long GUARD = 4096;
  private static final byte UNTOUCHED = (byte) 0xA5;

  private final Arena arena;
  private final List<MemorySegment> guards = new ArrayList<>();

  GuardedMemory(Arena arena) {
    this.arena = arena;
  }

  /** Memory to register; the bytes before and after it are watched. */
  MemorySegment piece(long bytes) {
    MemorySegment whole = arena.allocate(bytes + 2 * GUARD, 4096);
    whole.fill(UNTOUCHED);
    guards.add(whole.asSlice(0, GUARD));
    guards.add(whole.asSlice(GUARD + bytes));
    return whole.asSlice(GUARD, bytes);
  }

  /** Memory that is registered without a right to write. */
  MemorySegment untouchable(long bytes) {
    MemorySegment piece = piece(bytes);
    guards.add(piece);
    return piece;
  }

  /** The number of bytes that changed although they must not. */
  long damage() {
    long damaged = 0;
    for (MemorySegment guard : guards) {
      for (long i = 0; i < guard.byteSize(); i++) {
        damaged += guard.get(ValueLayout.JAVA_BYTE, i) == UNTOUCHED ? 0 : 1;
      }
    }
    return damaged;
  }
}
