package org.roce4j.engine;

import java.util.random.RandomGenerator;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.queue.PublishedCount;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/**
 * The queue pairs of an engine by number: open addressing over an array whose length is a power of
 * two, at most half full. New numbers follow a random permutation of all numbers, so that they
 * cannot be guessed, and the number of a destroyed queue pair is reused only after all others. A
 * peer whose end of the old connection is in time wait would reject a new connection of the same
 * number as stale. Numbers of services and of multicast groups are left out.
 */
public final class QpTable {
  private static final int QPN_BITS = 24;
  private static final int FIRST_USER_QPN = 16;

  /** No queue pair has this number, which belongs to the subnet manager. */
  private static final int NONE = 0;

  private final KeyedPermutation order;

  /** The value of the low bits of each number, which name the engine. */
  private final int engine;

  /** The number of these low bits; 0 for a single engine. */
  private final int engineBits;

  /** The place of the next number in {@link #order}; it wraps around. */
  private int next;

  /** Open addressing; null: free. */
  private QpMachine[] slots = new QpMachine[64];

  /** The number of each queue pair, so that a search reads no queue pair. */
  private int[] numbers = new int[64];

  /** Queue pairs in the table. */
  private int size;

  /** Queue pairs of UD in the table. */
  private final PublishedCount datagramService = new PublishedCount();

  /**
   * @param engine value of the low bits of every number
   * @param engines number of engines, a power of two
   */
  QpTable(RandomGenerator random, int engine, int engines) {
    this.engine = engine;
    engineBits = Integer.numberOfTrailingZeros(engines);
    order = new KeyedPermutation(random, QPN_BITS - engineBits);
  }

  public QpMachine find(int qpNum) {
    if (qpNum == NONE) {
      return null;
    }
    int mask = slots.length - 1;
    int at = hash(qpNum) & mask;
    while (numbers[at] != qpNum) {
      if (numbers[at] == NONE) {
        return null;
      }
      at = (at + 1) & mask;
    }
    return slots[at];
  }

  public int freshNumber() {
    while (true) {
      int qpNum = order.at(next++) << engineBits | engine;
      if (qpNum >= FIRST_USER_QPN && qpNum != QueuePair.MULTICAST_QPN && find(qpNum) == null) {
        return qpNum;
      }
    }
  }

  void add(QpMachine qp) {
    if ((size + 1) * 2 > slots.length) {
      QpMachine[] old = slots;
      int[] larger = new int[old.length * 2];
      slots = new QpMachine[old.length * 2];
      numbers = larger;
      for (QpMachine moved : old) {
        if (moved != null) {
          insert(moved);
        }
      }
    }
    insert(qp);
    size++;
    countService(qp, 1);
  }

  private void countService(QpMachine qp, int more) {
    if (qp.type() == QpType.UD) {
      datagramService.add(more);
    }
  }

  private void insert(QpMachine qp) {
    int mask = slots.length - 1;
    int at = hash(qp.qpNum()) & mask;
    while (slots[at] != null) {
      at = (at + 1) & mask;
    }
    slots[at] = qp;
    numbers[at] = qp.qpNum();
  }

  void remove(QpMachine qp) {
    int mask = slots.length - 1;
    int at = hash(qp.qpNum()) & mask;
    while (slots[at] != qp) {
      if (slots[at] == null) {
        return;
      }
      at = (at + 1) & mask;
    }
    slots[at] = null;
    numbers[at] = NONE;
    size--;
    countService(qp, -1);
    // closes the gap: the rest of the run is inserted again
    for (at = (at + 1) & mask; slots[at] != null; at = (at + 1) & mask) {
      QpMachine moved = slots[at];
      slots[at] = null;
      numbers[at] = NONE;
      insert(moved);
    }
  }

  /** Whether there is a queue pair of UD. Any thread may call this. */
  boolean hasDatagramService() {
    return datagramService.get() > 0;
  }

  public int size() {
    return size;
  }

  /** The array of queue pairs, for the rare walk over all of them; null in free places. */
  public QpMachine[] slots() {
    return slots;
  }

  /** The device's P_Key table has changed. For the owner of all engines. */
  public void pkeysChanged() {
    for (QpMachine qp : slots) {
      if (qp != null) {
        qp.pkeysChanged();
      }
    }
  }

  /**
   * Moves every queue pair to ERR after a defect. Adds exceptions of these moves to {@code cause}.
   */
  void failAll(Throwable cause) {
    for (QpMachine qp : slots.clone()) {
      if (qp != null && qp.state() != QpState.RESET) {
        try {
          qp.enterError(null);
        } catch (RuntimeException | Error e) {
          cause.addSuppressed(e); // its own state may be broken; the others follow
        }
      }
    }
  }

  private static int hash(int qpNum) {
    int mixed = qpNum * 0x9E3779B1;
    return mixed ^ (mixed >>> 15);
  }
}
