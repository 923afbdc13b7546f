package org.roce4j.engine;

import org.roce4j.engine.qp.QpMachine;

/**
 * Queue pairs that may have something to send, in the order of their turns. Those whose turn comes
 * soon can be seen. Confined to the engine's owner.
 */
final class ActiveRing {
  /** A power of two. */
  private QpMachine[] ring = new QpMachine[64];

  private int head;
  private int size;

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

  void add(QpMachine qp) {
    reserve(size + 1);
    ring[head + size++ & ring.length - 1] = qp;
  }

  /** Takes out the one whose turn it is. */
  QpMachine poll() {
    QpMachine first = ring[head];
    ring[head] = null;
    head = head + 1 & ring.length - 1;
    size--;
    return first;
  }

  /** Takes out any of them; for the rare end of a queue pair. */
  void remove(QpMachine qp) {
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
