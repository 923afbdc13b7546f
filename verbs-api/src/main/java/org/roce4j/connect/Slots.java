package org.roce4j.connect;

/**
 * Equal parts of a region of memory, each on a cache line of its own.
 *
 * @param start offset of the first
 * @param count how many
 * @param bytes that each can hold
 */
record Slots(long start, int count, int bytes) {
  private static final int LINE = 64;

  long offset(int slot) {
    return start + slot * stride();
  }

  /** Offset behind the last. */
  long end() {
    return offset(count);
  }

  private long stride() {
    return (bytes + LINE - 1L) / LINE * LINE;
  }
}
