package org.roce4j.simulation;

import java.util.PriorityQueue;

/** What applications will do at which virtual time. */
final class Agenda {
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

  void at(long atNs, Runnable action) {
    entries.add(new Entry(atNs, sequence++, action));
  }

  /** When the next action is due; {@link Long#MAX_VALUE}: there is none. */
  long nextNs() {
    return entries.isEmpty() ? Long.MAX_VALUE : entries.peek().atNs;
  }

  void runDue(long nowNs) {
    while (nextNs() <= nowNs) {
      entries.poll().action.run();
    }
  }
}
