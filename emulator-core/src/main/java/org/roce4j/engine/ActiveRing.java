package org.roce4j.engine;

import org.roce4j.engine.qp.QpMachine;

/**
 * The queue pairs that may have something to send, in the order of their turns. The next ones can
 * be read ahead of their turns. Confined to the engine's owner.
 */
final class ActiveRing {
  /** A power of two. */
  private QpMachine[] ring = new QpMachine[64];

  private final ReadAhead readAhead;

  /** The place of the queue pair whose turn is next. */
  private int head;

  /** The number of queue pairs in the ring. */
  private int size;

  /**
   * @param readAhead is informed when the order of turns changes
   */
  ActiveRing(ReadAhead readAhead) {
    this.readAhead = readAhead;
  }

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  /** The queue pair whose turn comes after {@code turns} others, fewer than {@link #size}. */
  QpMachine get(int turns) {
    return ring[head + turns & ring.length - 1];
  }

  /** Makes room for {@code queuePairs}, so that nothing is allocated while packets flow. */
  void reserve(int queuePairs) {
    if (queuePairs > ring.length) {
      QpMachine[] larger = new QpMachine[Integer.highestOneBit(queuePairs - 1) << 1];
      for (int i = 0; i < size; i++) {
        larger[i] = get(i);
      }
      ring = larger;
      head = 0;
    }
  }

  /** Adds a queue pair at the end, unless it is in the ring. */
  void activate(QpMachine qp) {
    if (!qp.isActive()) {
      qp.active(true);
      add(qp);
    }
  }

  /** Ends the turn of a queue pair: removes it. */
  void turnOver(QpMachine qp) {
    assert get(0) == qp : "a turn has moved the queue pair";
    poll();
    qp.active(false);
    readAhead.turnTaken();
  }

  /** Removes a queue pair from any place, if it is in the ring. */
  void retire(QpMachine qp) {
    if (qp.isActive()) {
      remove(qp);
      qp.active(false);
      readAhead.forgetTurns();
    }
  }

  private void add(QpMachine qp) {
    reserve(size + 1);
    ring[head + size++ & ring.length - 1] = qp;
  }

  /** Removes and returns the queue pair whose turn it is. */
  private void poll() {
    ring[head] = null;
    head = head + 1 & ring.length - 1;
    size--;
  }

  /** Takes linear time, which is acceptable because queue pairs are rarely destroyed. */
  private void remove(QpMachine qp) {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      QpMachine each = get(i);
      if (each != qp) {
        ring[head + kept++ & ring.length - 1] = each;
      }
    }
    for (int i = kept; i < size; i++) {
      ring[head + i & ring.length - 1] = null;
    }
    size = kept;
  }
}
