package org.roce4j.simulation;

import java.util.PriorityQueue;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.fabric.Fabric;

/** The virtual time of a run, and the planned actions of applications. */
final class Agenda {
  private static final int MOST_STEPS_AT_ONCE = 1_000_000;

  private final Fabric fabric;
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();
  private long sequence;

  private record Entry(long atNs, long sequence, Runnable action) implements Comparable<Entry> {
    @Override
    public int compareTo(Entry other) {
      return atNs != other.atNs
          ? Long.compare(atNs, other.atNs)
          : Long.compare(sequence, other.sequence);
    }
  }

  Agenda(Fabric fabric) {
    this.fabric = fabric;
  }

  long nowNs() {
    return fabric.nowNs();
  }

  /** Runs the action when {@code delayNs} has passed. */
  void after(long delayNs, Runnable action) {
    entries.add(new Entry(nowNs() + delayNs, sequence++, action));
  }

  /** When the next action is due; {@link Deadlines#NEVER} if there is none. */
  long nextNs() {
    return entries.isEmpty() ? Deadlines.NEVER : entries.peek().atNs;
  }

  /** Runs the actions that are due before any other event. */
  void keep() {
    long due = nextNs();
    if (due > nowNs() && Deadlines.isSet(due) && fabric.nextEventNs() > due) {
      fabric.run(due - nowNs());
    }
    long nowNs = nowNs();
    while (nextNs() <= nowNs) {
      entries.poll().action.run();
    }
  }

  /**
   * Lets devices handle every datagram that has reached a port, before a device or a queue pair
   * changes.
   */
  void letArrive() {
    for (int i = 0; i < MOST_STEPS_AT_ONCE && fabric.nextEventNs() <= nowNs(); i++) {
      fabric.step();
    }
  }
}
