package org.roce4j.engine.memory;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The one seam where bytes of registered memory are copied or changed. Memory whose arena was
 * closed or whose file was truncated after registration makes an access fail; that is reported,
 * never thrown.
 *
 * <p>A closed arena is noticed before the access. A file that has become shorter is not: the
 * processor faults on the page that is gone, and the virtual machine throws {@link InternalError}
 * at the next point where compiled code may be stopped, which can lie far behind the access. So an
 * access to mapped memory ends with {@link #settle}, within reach of the catch.
 */
final class RegisteredBytes {
  private static final long PAGE = 4096;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private RegisteredBytes() {}

  static boolean read(Region region, long offset, MemorySegment to, long at, long bytes) {
    if (region.nothing()) {
      to.asSlice(at, bytes).fill((byte) 0);
      return true;
    }
    try {
      MemorySegment.copy(region.memory(), offset, to, at, bytes);
      settle(region);
      return true;
    } catch (IllegalStateException | InternalError e) {
      return false;
    }
  }

  /** Writes, then makes the bytes visible before anything that is published later. */
  static boolean write(Region region, long offset, MemorySegment from, long at, long bytes) {
    if (region.nothing()) {
      return true;
    }
    try {
      MemorySegment.copy(from, at, region.memory(), offset, bytes);
      VarHandle.releaseFence();
      settle(region);
      return true;
    } catch (IllegalStateException | InternalError e) {
      return false;
    }
  }

  /** Reads a byte of each page, so that the pages are there. */
  static boolean touch(Region region, long offset, long bytes) {
    try {
      for (long at = 0; at < bytes; at += PAGE) {
        byte ignored = region.memory().get(ValueLayout.JAVA_BYTE, offset + at);
      }
      if (bytes > 0) { // the last page, if the range begins within one
        byte ignored = region.memory().get(ValueLayout.JAVA_BYTE, offset + bytes - 1);
      }
      settle(region);
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
      probe(region, offset, result);
      if (compareSwap) {
        result[0] = (long) LONG.compareAndExchange(region.memory(), offset, compare, operand);
      } else {
        result[0] = (long) LONG.getAndAdd(region.memory(), offset, operand);
      }
      settle(region);
      return true;
    } catch (IllegalStateException | InternalError | IllegalArgumentException e) {
      return false;
    }
  }

  /** Stores an aligned host-order long in one piece. */
  static boolean store(Region region, long offset, long value) {
    try {
      LONG.setRelease(region.memory(), offset, value);
      settle(region);
      return true;
    } catch (IllegalStateException | InternalError | IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Has the storage of a mapped file keep what was written; other memory lives as long as the
   * process, and there is nothing to do.
   */
  static boolean force(Region region, long offset, long bytes) {
    try {
      if (region.mapped()) {
        region.memory().asSlice(offset, bytes).force();
      }
      return true;
    } catch (IllegalStateException | InternalError | UncheckedIOException e) {
      return false;
    }
  }

  /**
   * Reads before an atomic on mapped memory: the virtual machine survives a fault of any read, but
   * not that of an atomic which it interprets. If the file shrinks between the two, the process
   * ends by SIGBUS; nothing in Java can rule that out.
   */
  private static void probe(Region region, long offset, long[] result) {
    if (region.mapped()) {
      result[0] = (long) LONG.getVolatile(region.memory(), offset);
      settle(region);
    }
  }

  /**
   * Has the fault of an access to mapped memory thrown here, not later: the virtual machine throws
   * it on the return of any native method, and this one is quick. (70 ns; other memory is spared.)
   */
  private static void settle(Region region) {
    if (region.mapped()) {
      long ignored = Runtime.getRuntime().freeMemory();
    }
  }
}
