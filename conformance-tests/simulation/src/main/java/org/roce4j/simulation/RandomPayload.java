package org.roce4j.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * Random bytes. Each payload is a slice of them: its place identifies the message, and two messages
 * are equal only by a rare chance.
 */
final class RandomPayload {
  private static final int BYTES = 4 << 20;
  private static final MemorySegment ALL = make();

  static final MemorySegment NOTHING = ALL.asSlice(0, 0);

  private RandomPayload() {}

  private static MemorySegment make() {
    MemorySegment all = Arena.global().allocate(BYTES, 64);
    SplittableRandom random = new SplittableRandom(0x726f636534L);
    for (long at = 0; at < BYTES; at += 8) {
      all.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
    return all.asReadOnly();
  }

  static MemorySegment slice(SplittableRandom random, long length) {
    return ALL.asSlice(random.nextLong(BYTES - length + 1), length);
  }

  /** Fills memory of any size. */
  static void fill(MemorySegment memory, SplittableRandom random) {
    long at = 0;
    while (at < memory.byteSize()) {
      long part = Math.min(memory.byteSize() - at, BYTES / 2);
      MemorySegment.copy(slice(random, part), 0, memory, at, part);
      at += part;
    }
  }
}
