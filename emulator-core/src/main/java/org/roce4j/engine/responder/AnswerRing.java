package org.roce4j.engine.responder;

import org.roce4j.engine.memory.RemoteRange;

/**
 * The last max_dest_rd_atomic answers in PSN order, for duplicates. A new answer replaces the
 * oldest, unless the oldest was not sent yet (R10).
 */
final class AnswerRing {
  private static final Answer[] NONE = {};

  private final ReceiveSide side;

  /** One entry for each of max_dest_rd_atomic, replaced in turn. */
  private Answer[] ring = NONE;

  /** The array for the next resize. */
  private Answer[] reserved = NONE;

  /** Entries created so far: a connection that only writes creates none. */
  private int made;

  /** The index of the next answer. */
  private long count;

  /** Where the next entry goes: {@link #count} modulo the ring's length, without a division. */
  private int next;

  /** Answers that have packets to send. */
  private int pending;

  /** All entries before this index are sent. */
  private long firstPending;

  AnswerRing(ReceiveSide side) {
    this.side = side;
  }

  /** Changes the capacity to {@code answers}; the newest entries stay. */
  void resize(int answers) {
    if (ring.length == answers) {
      return;
    }
    reserve(answers);
    Answer[] old = ring;
    long end = count;
    ring = reserved;
    reserved = NONE;
    made = 0;
    pending = 0;
    firstPending = 0;
    count = 0;
    for (long i = Math.max(0, end - Math.min(old.length, answers)); i < end; i++) {
      ring[made++] = old[(int) (i % old.length)];
      pending += ring[made - 1].pending() ? 1 : 0;
      count++;
    }
    next = made == answers ? 0 : made;
  }

  /** Makes room for a later resize. */
  void reserve(int answers) {
    if (reserved.length != answers) {
      reserved = new Answer[answers];
    }
  }

  void clear() {
    for (int i = 0; i < made; i++) {
      ring[i].forget();
    }
    count = 0;
    next = 0;
    pending = 0;
    firstPending = 0;
  }

  /**
   * The entry for the next request; null if there is no capacity or the oldest answer was not sent.
   */
  Answer claim() {
    if (ring.length == 0) {
      return null;
    }
    if (next == made) {
      ring[made++] = new Answer(new RemoteRange(side.keys(), side.accessor()));
    }
    Answer oldest = ring[next];
    if (!oldest.answered()) {
      return null;
    }
    if (oldest.pending()) {
      oldest.sent();
      pending--;
    }
    return oldest;
  }

  /** The claimed entry was filled. It is now the newest and is to be sent. */
  void begun() {
    count++;
    next = next + 1 == ring.length ? 0 : next + 1;
    pending++;
  }

  /** Sends packets of an entry again. */
  void replay(Answer answer, int from, int to, long endByte) {
    if (!answer.pending()) {
      pending++;
    }
    firstPending = 0; // the entry may be older
    answer.replay(from, to, endByte);
  }

  void sent(Answer answer) {
    answer.sent();
    pending--;
  }

  /** Prefetches the entry for the next request; the result has no meaning. */
  long touch() {
    Answer oldest = made == 0 ? null : ring[next];
    return oldest == null ? 0 : oldest.firstPsn + oldest.range.length();
  }

  boolean anyPending() {
    return pending > 0;
  }

  /** The oldest entry that is to be sent; null if there is none. */
  Answer firstPending() {
    firstPending = Math.max(firstPending, count - ring.length);
    while (firstPending < count) {
      Answer answer = ring[slot(firstPending)];
      if (answer.pending()) {
        return answer;
      }
      firstPending++;
    }
    return null;
  }

  /** The array index of an entry among the last {@code ring.length}. */
  private int slot(long index) {
    int at = next - (int) (count - index);
    return at < 0 ? at + ring.length : at;
  }

  /** The entry whose packets include {@code psn}, or null. */
  Answer find(long psn) {
    for (int i = 0; i < made; i++) {
      if (ring[i].covers(psn)) {
        return ring[i];
      }
    }
    return null;
  }

  /**
   * First PSN of the oldest entry after {@code psn}, or {@code otherwise} if there is none (R1).
   */
  long firstAfter(long psn, long otherwise) {
    long first = otherwise;
    for (int i = 0; i < made; i++) {
      long begins = ring[i].firstPsn;
      if (begins > psn && begins < first) {
        first = begins;
      }
    }
    return first;
  }

  /** Drops what is still to be sent; only {@link #clear} may follow. */
  void abandonPending() {
    pending = 0;
  }
}
