package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;

/**
 * The source of inline data outside the memory of the request list. Used by any thread that posts.
 */
@FunctionalInterface
public interface InlineSource {
  /** No source: inline data must be in the memory of the request list. */
  InlineSource NONE = (address, bytes, lkey, to, at) -> false;

  /**
   * Copies bytes of the program.
   *
   * @param address address in the process, not in a region's own addresses
   * @param lkey key of the element: a hint, which may be wrong
   * @return false if the bytes cannot be read
   */
  boolean copy(long address, long bytes, int lkey, MemorySegment to, long at);
}
