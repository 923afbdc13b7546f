package org.roce4j.connect;

import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Parts of equal length in a region of memory; each starts on its own cache line.
 *
 * @param start offset of the first part
 * @param count number of parts
 * @param bytes length of a part
 */
record Slots(long start, int count, int bytes) {
  private static final int LINE = 64;

  /** "mess", the high half of an identifier that this class has made. */
  private static final long OURS = 0x6d65_7373L << Integer.SIZE;

  long offset(int slot) {
    return start + slot * stride();
  }

  /** The identifier of a request that uses this part. */
  long wrId(int slot) {
    return OURS | slot;
  }

  /**
   * The part that belongs to the identifier of a request.
   *
   * @throws VerbsException EINVAL if this class did not make the identifier
   */
  int slotOf(long wrId) {
    if ((wrId & ~0xffff_ffffL) != OURS) {
      throw Errno.EINVAL.refusal(
          "request %d, which the program posted on the queue pair of this end, completed here;"
              + " post on a queue pair of your own, or without SIGNALED",
          wrId);
    }
    return (int) wrId;
  }

  /** The offset after the last part. */
  long end() {
    return offset(count);
  }

  private long stride() {
    return (bytes + LINE - 1L) / LINE * LINE;
  }
}
