package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.roce4j.verbs.layout.WcLayout;

/** Completions that come late, in the order of their queue; those of other queue pairs overtake. */
final class HeldCompletions {
  private record Held(int qpn, long dueNs, byte[] bytes) {}

  private final Deque<Held> held = new ArrayDeque<>();

  /** When those of a queue pair that are held back come; {@link Long#MIN_VALUE}: none is. */
  long dueNs(int qpn) {
    long due = Long.MIN_VALUE;
    for (Held each : held) {
      due = each.qpn == qpn ? Math.max(due, each.dueNs) : due;
    }
    return due;
  }

  void hold(MemorySegment memory, long at, int qpn, long dueNs) {
    held.add(
        new Held(qpn, dueNs, memory.asSlice(at, WcLayout.SIZE).toArray(ValueLayout.JAVA_BYTE)));
  }

  /** Writes those whose time has come; returns how many. */
  int release(MemorySegment memory, long at, int max, long nowNs) {
    int count = 0;
    for (Iterator<Held> each = held.iterator(); each.hasNext() && count < max; ) {
      Held next = each.next();
      if (next.dueNs - nowNs <= 0) {
        MemorySegment.copy(
            next.bytes,
            0,
            memory,
            ValueLayout.JAVA_BYTE,
            at + (long) count * WcLayout.SIZE,
            WcLayout.SIZE);
        each.remove();
        count++;
      }
    }
    return count;
  }
}
