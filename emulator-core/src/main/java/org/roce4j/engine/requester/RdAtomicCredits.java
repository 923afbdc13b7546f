package org.roce4j.engine.requester;

/**
 * The READ, ATOMIC, ATOMIC_WRITE and FLUSH requests without their answers, at most max_rd_atomic:
 * the responder keeps that number of answers to repeat. Each is represented by its last PSN.
 */
final class RdAtomicCredits {
  /** The most a device grants (max_qp_rd_atom). */
  static final int MOST = 128;

  /** The last PSN of each outstanding operation, a ring in the order of PSNs. */
  private long[] lastPsn = new long[1];

  /** max_rd_atomic. */
  private int limit;

  /** The place of the oldest outstanding operation in {@link #lastPsn}. */
  private int first;

  /** Outstanding operations. */
  private int count;

  /** Sets max_rd_atomic. Outstanding operations stay. */
  void limit(int credits) {
    reserve(credits);
    limit = Math.min(credits, MOST);
  }

  /** Makes room for a later limit. */
  void reserve(int credits) {
    int room = Math.min(credits, MOST);
    if (room > lastPsn.length) {
      long[] larger = new long[room];
      for (int i = 0; i < count; i++) {
        larger[i] = lastPsn[at(first + i)];
      }
      lastPsn = larger;
      first = 0;
    }
  }

  /** Whether the limit allows any operation at all. */
  boolean granted() {
    return limit > 0;
  }

  /**
   * Whether one more operation may be outstanding. One always may: an operation that began before
   * the limit became 0 must finish (R26).
   */
  boolean available() {
    return count < Math.max(limit, 1);
  }

  void taken(long last) {
    lastPsn[at(first + count)] = last;
    count++;
  }

  /** All PSNs before {@code psn} were answered. */
  void answered(long psn) {
    while (count > 0 && lastPsn[first] < psn) {
      first = at(first + 1);
      count--;
    }
  }

  /** Prefetches the place of the next operation; the result has no meaning. */
  long touch() {
    return lastPsn[at(first + count)];
  }

  /** The index of a place less than one lap beyond the array. A remainder would cost a division. */
  private int at(int place) {
    return place < lastPsn.length ? place : place - lastPsn.length;
  }

  void clear() {
    count = 0;
  }
}
