package org.roce4j.engine;

import java.util.random.RandomGenerator;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;

/**
 * Queue pairs by number: open addressing over an array, a power of two at most half full. New
 * numbers follow a random permutation of all numbers, so that they cannot be guessed and that of a
 * destroyed queue pair returns only after all others: a peer whose end of the former connection is
 * in time wait would reject its successor as stale. The numbers of services and of multicast groups
 * are left out.
 */
public final class QpTable {
  private static final int QPN_BITS = 24;
  private static final int FIRST_USER_QPN = 16;

  /** No queue pair has this number: it is that of the subnet manager's. */
  private static final int NONE = 0;

  private final KeyedPermutation order;

  /** The value of the last bits of each number. */
  private final int engine;

  /** The number of these bits; 0 for a single engine. */
  private final int engineBits;

  /** The place in {@link #order} of the next number; it wraps around. */
  private int next;

  /** Open addressing; null: free. */
  private QpMachine[] slots = new QpMachine[64];

  /**
   * The number of each; a search reads nothing of those that it passes by, nor of what it finds.
   */
  private int[] numbers = new int[64];

  /** Queue pairs in the table. */
  private int size;

  /**
   * @param engine what the last bits of every number say
   * @param engines a power of two: how many values these bits have
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
    // Close the gap: what follows in the run is inserted again.
    for (at = (at + 1) & mask; slots[at] != null; at = (at + 1) & mask) {
      QpMachine moved = slots[at];
      slots[at] = null;
      numbers[at] = NONE;
      insert(moved);
    }
  }

  public int size() {
    return size;
  }

  /** For the rare walk over all of them; null where there is none. */
  public QpMachine[] slots() {
    return slots;
  }

  /** The device's P_Key table has changed; the owner of all engines. */
  public void pkeysChanged() {
    for (QpMachine qp : slots) {
      if (qp != null) {
        qp.pkeysChanged();
      }
    }
  }

  /**
   * Moves every queue pair to ERR after a defect; what else is thrown meanwhile is suppressed in
   * {@code cause}.
   */
  void failAll(Throwable cause) {
    for (QpMachine qp : slots.clone()) {
      if (qp != null && qp.state() != QpState.RESET) {
        try {
          qp.enterError(null);
        } catch (RuntimeException | Error e) {
          cause.addSuppressed(e); // its own state may be what is broken; the others come next
        }
      }
    }
  }

  private static int hash(int qpNum) {
    int mixed = qpNum * 0x9E3779B1;
    return mixed ^ (mixed >>> 15);
  }
}
