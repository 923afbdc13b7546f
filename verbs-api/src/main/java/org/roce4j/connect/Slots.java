package org.roce4j.connect;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Equal parts of a region of memory, each on a cache line of its own.
 *
 * @param start offset of the first
 * @param count how many
 * @param bytes that each can hold
 */
record Slots(long start, int count, int bytes) {
  private static final int LINE = 64;

  /** "mess" in the high half of an identifier. */
  private static final long OURS = 0x6d65_7373L << Integer.SIZE;

  long offset(int slot) {
    return start + slot * stride();
  }

  /** The identifier of a request that uses this part. */
  long wrId(int slot) {
    return OURS | slot;
  }

  /**
   * The part that a request has used.
   *
   * @throws VerbsException EINVAL if the identifier is none of ours
   */
  int slotOf(long wrId) {
    if ((wrId & ~0xffff_ffffL) != OURS) {
      throw new VerbsException(
          Errno.EINVAL,
          "request %d, which the program posted on the queue pair of this end, completed here; post on a queue pair of your own, or without SIGNALED"
              .formatted(wrId));
    }
    return (int) wrId;
  }

  /** Offset behind the last. */
  long end() {
    return offset(count);
  }

  private long stride() {
    return (bytes + LINE - 1L) / LINE * LINE;
  }
}
