package org.roce4j.faulty;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/** Completions that come late, in the order of their queue; those of other queue pairs overtake. */
final class HeldCompletions {
  private record Held(TakenCompletion completion, long dueNs) {}

  private final Deque<Held> held = new ArrayDeque<>();

  /** When those of a queue pair that are held back come; {@link Long#MIN_VALUE}: none is. */
  long dueNs(int qpn) {
    long due = Long.MIN_VALUE;
    for (Held each : held) {
      due = each.completion.qpn() == qpn ? Math.max(due, each.dueNs) : due;
    }
    return due;
  }

  void hold(TakenCompletion completion, long dueNs) {
    held.add(new Held(completion, dueNs));
  }

  /** How long it is until the next comes, 0 or less: one is there; none: for ever. */
  long untilNextNs(long nowNs) {
    return held.stream().mapToLong(each -> each.dueNs - nowNs).min().orElse(Long.MAX_VALUE);
  }

  /** The next one whose time has come, which is held no longer; null: none. */
  TakenCompletion release(long nowNs) {
    for (Iterator<Held> each = held.iterator(); each.hasNext(); ) {
      Held next = each.next();
      if (next.dueNs - nowNs <= 0) {
        each.remove();
        return next.completion;
      }
    }
    return null;
  }
}
