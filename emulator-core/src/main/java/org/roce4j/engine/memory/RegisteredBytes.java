package org.roce4j.engine.memory;

import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Copies and changes bytes of registered memory; no other class does. Memory whose arena was closed
 * or whose file was truncated after registration makes an access fail. The failure is returned,
 * never thrown.
 *
 * <p>A closed arena is noticed before the access. A truncated file is not: the processor faults on
 * the missing page, and the virtual machine throws {@link InternalError} at the next point where it
 * can interrupt compiled code, possibly far behind the access. Therefore an access to mapped memory
 * ends with {@link #settle}, inside the try block.
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

  /** Writes bytes and makes them visible before anything that is published later. */
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

  /** Reads one byte of each page, so that the pages become resident. */
  static boolean touch(Region region, long offset, long bytes) {
    try {
      for (long at = 0; at < bytes; at += PAGE) {
        byte ignored = region.memory().get(ValueLayout.JAVA_BYTE, offset + at);
      }
      if (bytes > 0) { // the last page, if the range begins within a page
        byte ignored = region.memory().get(ValueLayout.JAVA_BYTE, offset + bytes - 1);
      }
      settle(region);
      return true;
    } catch (IllegalStateException | InternalError e) {
      return false;
    }
  }

  /**
   * Executes a compare-and-swap or fetch-and-add on an aligned long in host byte order.
   *
   * @param result receives the original value at index 0
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

  /** Stores an aligned long in host byte order, in one write. */
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
   * Forces the writes of a mapped file to its storage. Other memory exists only as long as the
   * process, so nothing need be done for it.
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
   * Reads before an atomic on mapped memory: the virtual machine survives the fault of a read, but
   * not that of an atomic in interpreted code. If the file is truncated between the two, SIGBUS
   * ends the process, which Java cannot prevent.
   */
  private static void probe(Region region, long offset, long[] result) {
    if (region.mapped()) {
      result[0] = (long) LONG.getVolatile(region.memory(), offset);
      settle(region);
    }
  }

  /**
   * Makes the fault of an access to mapped memory appear here: the virtual machine throws it when a
   * native method returns, and this native method takes little time (70 ns). Other memory does not
   * need it.
   */
  private static void settle(Region region) {
    if (region.mapped()) {
      long ignored = Runtime.getRuntime().freeMemory();
    }
  }
}
