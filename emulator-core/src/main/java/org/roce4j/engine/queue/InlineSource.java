package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;

/** Where inline data is taken from that does not lie beside its request. Any thread that posts. */
@FunctionalInterface
public interface InlineSource {
  /** There is none: data must lie beside its request. */
  InlineSource NONE = (address, bytes, lkey, to, at) -> false;

  /**
   * Copies bytes of the program.
   *
   * @param address where they are in memory; not what a region calls it
   * @param lkey the element's key: a hint, it need not be right
   * @return false if they cannot be read
   */
  boolean copy(long address, long bytes, int lkey, MemorySegment to, long at);
}
