package org.roce4j.faulty;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;

/**
 * Delayed completions in the order of their queue. Completions of other queue pairs overtake them.
 */
final class HeldCompletions {
  private record Held(TakenCompletion completion, long dueNs) {}

  private final Deque<Held> held = new ArrayDeque<>();

  /**
   * The time at which the last delayed completion of a queue pair is due; {@link Long#MIN_VALUE}:
   * none.
   */
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

  /**
   * Nanoseconds until the next is due, 0 or less if one is; {@link Long#MAX_VALUE} if there is
   * none.
   */
  long untilNextNs(long nowNs) {
    return held.stream().mapToLong(each -> each.dueNs - nowNs).min().orElse(Long.MAX_VALUE);
  }

  /** Removes and returns the next completion that is due; null: none. */
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
