package org.roce4j.engine.responder;

import java.util.random.RandomGenerator;

/**
 * The XRC shared receive queues of a device by number: open addressing over an array whose length
 * is a power of two, at most half full. Numbers are random: they cannot be guessed, and a message
 * to a destroyed queue is unlikely to reach its successor. Changed by the owner of all engines;
 * each engine reads it under its own ownership. Reading allocates nothing.
 */
public final class XrcReceiverTable {
  private static final int NUMBERS = 1 << 24;

  /** Open addressing; null: free. */
  private XrcReceiver[] slots = new XrcReceiver[8];

  /** Queues in the table. */
  private int size;

  /** The queue with this number, or null. */
  public XrcReceiver find(int number) {
    int mask = slots.length - 1;
    int at = hash(number) & mask;
    while (slots[at] != null && slots[at].srqNumber() != number) {
      at = (at + 1) & mask;
    }
    return slots[at];
  }

  /** A number that no queue has; never 0. */
  public int freshNumber(RandomGenerator random) {
    while (true) {
      int number = random.nextInt(1, NUMBERS);
      if (find(number) == null) {
        return number;
      }
    }
  }

  /** Adds a queue. Changes nothing if memory runs out. */
  public void add(XrcReceiver receiver) {
    if ((size + 1) * 2 > slots.length) {
      XrcReceiver[] old = slots;
      slots = new XrcReceiver[old.length * 2];
      for (XrcReceiver each : old) {
        if (each != null) {
          insert(each);
        }
      }
    }
    insert(receiver);
    size++;
  }

  public void remove(XrcReceiver receiver) {
    int mask = slots.length - 1;
    int at = hash(receiver.srqNumber()) & mask;
    while (slots[at] != receiver) {
      if (slots[at] == null) {
        return;
      }
      at = (at + 1) & mask;
    }
    slots[at] = null;
    size--;
    // Closes the gap: the rest of the run is inserted again.
    for (at = (at + 1) & mask; slots[at] != null; at = (at + 1) & mask) {
      XrcReceiver moved = slots[at];
      slots[at] = null;
      insert(moved);
    }
  }

  private void insert(XrcReceiver receiver) {
    int mask = slots.length - 1;
    int at = hash(receiver.srqNumber()) & mask;
    while (slots[at] != null) {
      at = (at + 1) & mask;
    }
    slots[at] = receiver;
  }

  private static int hash(int number) {
    int mixed = number * 0x9E3779B1;
    return mixed ^ (mixed >>> 15);
  }
}
