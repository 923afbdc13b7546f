package org.roce4j.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * An arena that keeps its memory for the next run: closing a shared arena stops every thread for a
 * moment, and new pages cost more than a small run. Allocated memory is not zeroed.
 */
final class Slab implements Arena {
  private static final ConcurrentLinkedQueue<Slab> FREE = new ConcurrentLinkedQueue<>();
  private static final long CHUNK_BYTES = 16L << 20;

  private final Arena backing = Arena.ofAuto();
  private MemorySegment chunk = backing.allocate(CHUNK_BYTES, 4096);
  private long used;

  private Slab() {}

  static Slab take() {
    Slab free = FREE.poll();
    return free == null ? new Slab() : free;
  }

  @Override
  public MemorySegment allocate(long byteSize, long byteAlignment) {
    long at = (used + byteAlignment - 1) & -byteAlignment;
    if (at + byteSize > chunk.byteSize()) {
      // Slices of the old chunk keep it alive.
      chunk = backing.allocate(Math.max(2 * chunk.byteSize(), byteSize), 4096);
      at = 0;
    }
    used = at + byteSize;
    return chunk.asSlice(at, byteSize);
  }

  @Override
  public MemorySegment.Scope scope() {
    return backing.scope();
  }

  /** Gives all allocated memory back for another run. */
  @Override
  public void close() {
    used = 0;
    FREE.add(this);
  }
}
