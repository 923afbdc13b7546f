package org.roce4j.engine.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The one seam where bytes of registered memory are copied or changed. Memory whose arena was
 * closed or whose file was truncated after registration makes an access fail; that is reported,
 * never thrown.
 */
final class RegisteredBytes {
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private RegisteredBytes() {}

  static boolean read(Region region, long offset, MemorySegment to, long at, long bytes) {
    try {
      MemorySegment.copy(region.memory(), offset, to, at, bytes);
      return true;
    } catch (IllegalStateException | InternalError e) {
      return false;
    }
  }

  /** Writes, then makes the bytes visible before anything that is published later. */
  static boolean write(Region region, long offset, MemorySegment from, long at, long bytes) {
    try {
      MemorySegment.copy(from, at, region.memory(), offset, bytes);
      VarHandle.releaseFence();
      return true;
    } catch (IllegalStateException | InternalError e) {
      return false;
    }
  }

  /**
   * A compare-and-swap or fetch-and-add on an aligned host-order long.
   *
   * @param result where the original value goes, index 0
   */
  static boolean atomic(
      Region region, long offset, boolean compareSwap, long operand, long compare, long[] result) {
    try {
      if (compareSwap) {
        result[0] = (long) LONG.compareAndExchange(region.memory(), offset, compare, operand);
      } else {
        result[0] = (long) LONG.getAndAdd(region.memory(), offset, operand);
      }
      return true;
    } catch (IllegalStateException | InternalError | IllegalArgumentException e) {
      return false;
    }
  }

  /** Stores an aligned host-order long in one piece. */
  static boolean store(Region region, long offset, long value) {
    try {
      LONG.setRelease(region.memory(), offset, value);
      return true;
    } catch (IllegalStateException | InternalError | IllegalArgumentException e) {
      return false;
    }
  }
}
