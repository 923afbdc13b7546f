package org.roce4j.engine.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the device ({@code struct ibv_dm}), as registered memory read and written here alone.
 * Its owner frees it when no region shows it; a copy at that moment ends before or is refused.
 */
public final class OwnMemory {
  private final Arena arena = Arena.ofShared();
  private final MemorySegment bytes;

  /**
   * @param alignment of its first byte, a power of two
   */
  public OwnMemory(long length, long alignment) {
    bytes = arena.allocate(length, alignment);
  }

  public long length() {
    return bytes.byteSize();
  }

  /** The part that a region shows. */
  public MemorySegment part(long offset, long length) {
    return bytes.asSlice(offset, length);
  }

  /** Whether these bytes are all in it. */
  public boolean holds(long offset, long length) {
    return MemoryKey.within(offset, length, 0, bytes.byteSize());
  }

  /** Copies in; false: one of the two is freed or another thread's. */
  public boolean copyIn(long offset, MemorySegment from) {
    return copy(from, 0, bytes, offset, from.byteSize());
  }

  /** Copies out; false: one of the two is freed, read-only or another thread's. */
  public boolean copyOut(MemorySegment to, long offset) {
    return copy(bytes, offset, to, 0, to.byteSize());
  }

  private static boolean copy(
      MemorySegment from, long fromAt, MemorySegment to, long toAt, long length) {
    try {
      MemorySegment.copy(from, fromAt, to, toAt, length);
      return true;
    } catch (IllegalStateException | IllegalArgumentException | WrongThreadException e) {
      return false;
    }
  }

  /** Frees it. */
  public void free() {
    arena.close();
  }
}
