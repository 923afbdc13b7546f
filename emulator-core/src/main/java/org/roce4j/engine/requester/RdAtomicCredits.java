package org.roce4j.engine.requester;

/**
 * READ, ATOMIC, ATOMIC_WRITE and FLUSH requests whose answers are outstanding, at most
 * max_rd_atomic: the responder keeps as many answers to repeat. Each is remembered by its last PSN.
 */
final class RdAtomicCredits {
  /** The most a device grants (max_qp_rd_atom). */
  static final int MOST = 128;

  private long[] lastPsn = new long[1];
  private int limit;
  private int first;
  private int count;

  /** Those that are outstanding stay. */
  void limit(int credits) {
    reserve(credits);
    limit = Math.min(credits, MOST);
  }

  /** Makes room for a limit to come. */
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

  /** Whether an operation may begin at all, now or when others are answered. */
  boolean granted() {
    return limit > 0;
  }

  /**
   * Whether one more may be outstanding. One may always be: it began when there was a limit, which
   * has become 0 since (R26).
   */
  boolean available() {
    return count < Math.max(limit, 1);
  }

  void taken(long last) {
    lastPsn[at(first + count)] = last;
    count++;
  }

  /** Everything before this PSN was answered. */
  void answered(long psn) {
    while (count > 0 && lastPsn[first] < psn) {
      first = at(first + 1);
      count--;
    }
  }

  /** Reads what the next operation needs; a number without meaning. */
  long touch() {
    return lastPsn[at(first + count)];
  }

  /** Where a place of the ring is, which is less than a round further; a remainder costs more. */
  private int at(int place) {
    return place < lastPsn.length ? place : place - lastPsn.length;
  }

  void clear() {
    count = 0;
  }
}
