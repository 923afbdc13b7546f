package org.roce4j.engine.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the device ({@code struct ibv_dm}). Like registered memory it is read and written only
 * here. Its owner frees it when no region covers it. A concurrent copy either ends before that or
 * is refused.
 */
public final class OwnMemory {
  private final Arena arena = Arena.ofShared();
  private final MemorySegment bytes;

  /**
   * @param alignment alignment of its first byte, a power of two
   */
  public OwnMemory(long length, long alignment) {
    bytes = arena.allocate(length, alignment);
  }

  public long length() {
    return bytes.byteSize();
  }

  /** The part that a region covers. */
  public MemorySegment part(long offset, long length) {
    return bytes.asSlice(offset, length);
  }

  /** Whether the range is within it. */
  public boolean holds(long offset, long length) {
    return MemoryKey.within(offset, length, 0, bytes.byteSize());
  }

  /** Copies bytes into it; false if either memory was freed or belongs to another thread. */
  public boolean copyIn(long offset, MemorySegment from) {
    return copy(from, 0, bytes, offset, from.byteSize());
  }

  /**
   * Copies bytes from it; false if either memory was freed or belongs to another thread, or the
   * destination is read-only.
   */
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
