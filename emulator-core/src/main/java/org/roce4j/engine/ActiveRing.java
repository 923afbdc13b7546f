package org.roce4j.engine;

import org.roce4j.engine.qp.QpMachine;

/**
 * Queue pairs that may have something to send, in the order of their turns. Those whose turn comes
 * soon can be seen. Confined to the engine's owner.
 */
final class ActiveRing {
  /** A power of two. */
  private QpMachine[] ring = new QpMachine[64];

  private final ReadAhead readAhead;

  /** The place of the queue pair whose turn is next. */
  private int head;

  /** Queue pairs in the line. */
  private int size;

  /**
   * @param readAhead told when the order of turns changes
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

  /** The one whose turn it is after {@code turns} others, fewer than {@link #size}. */
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

  /** Takes a place in the line, unless it has one. */
  void activate(QpMachine qp) {
    if (!qp.isActive()) {
      qp.active(true);
      add(qp);
    }
  }

  /** Ends the turn of a queue pair: unless that has destroyed or moved it, it is the first. */
  void turnOver(QpMachine qp) {
    if (size > 0 && get(0) == qp) {
      poll();
      qp.active(false);
      readAhead.turnTaken();
    } else {
      retire(qp);
    }
  }

  /** Gives up its place in the line, if it has one. */
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

  /** Takes out the one whose turn it is. */
  private void poll() {
    ring[head] = null;
    head = head + 1 & ring.length - 1;
    size--;
  }

  /** Takes out any of them; for the rare end of a queue pair. */
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
