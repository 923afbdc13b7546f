package org.roce4j.engine.requester;

/**
 * READ, ATOMIC and ATOMIC_WRITE requests whose answers are outstanding, at most max_rd_atomic: the
 * responder keeps as many answers to repeat. Each is remembered by its last PSN.
 */
final class RdAtomicCredits {
  /** The most a device grants (max_qp_rd_atom). */
  static final int MOST = 128;

  private final long[] lastPsn = new long[MOST];
  private int limit;
  private int first;
  private int count;

  void limit(int credits) {
    limit = Math.min(credits, MOST);
  }

  boolean available() {
    return count < limit;
  }

  void taken(long last) {
    lastPsn[(first + count) % MOST] = last;
    count++;
  }

  /** Everything before this PSN was answered. */
  void answered(long psn) {
    while (count > 0 && lastPsn[first] < psn) {
      first = (first + 1) % MOST;
      count--;
    }
  }

  void clear() {
    count = 0;
  }
}
