package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.roce4j.faulty.VerbsRule.Kind;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.layout.WcLayout;

/** The completions of one queue under a plan. */
final class FaultyPoll {
  private static final Set<Kind> OF_COMPLETIONS = Set.of(Kind.LATE, Kind.FAIL, Kind.CQ_OVERFLOW);

  private final CompletionQueue cq;
  private final Decoration decoration;
  private final HeldCompletions held = new HeldCompletions();
  private boolean overflown;

  FaultyPoll(CompletionQueue cq, Decoration decoration) {
    this.cq = cq;
    this.decoration = decoration;
  }

  synchronized int poll(MemorySegment memory, long address, int max) {
    long nowNs = decoration.plan().nowNs();
    long at = address - memory.address();
    int count = held.release(memory, at, max, nowNs);
    int came = cq.poll(memory, address + (long) count * WcLayout.SIZE, max - count);
    if (came < 0) {
      return count > 0 ? count : came;
    }
    for (int i = count, end = count + came; i < end; i++) {
      long from = at + (long) i * WcLayout.SIZE;
      if (passes(memory, from, nowNs)) {
        long to = at + (long) count++ * WcLayout.SIZE;
        MemorySegment.copy(memory, from, memory, to, WcLayout.SIZE);
      }
    }
    return count;
  }

  /** Whether the program gets a completion now. */
  private boolean passes(MemorySegment memory, long at, long nowNs) {
    if (overflown) {
      return false;
    }
    int qpn = WcLayout.qpNum(memory, at);
    long dueNs = held.dueNs(qpn);
    List<VerbsRule> chosen = decoration.plan().choose(OF_COMPLETIONS, "", qpn, 0);
    for (VerbsRule rule : chosen) {
      switch (rule.kind()) {
        case LATE -> dueNs = Math.max(dueNs, nowNs + rule.value());
        case FAIL -> {
          if (WcLayout.status(memory, at) == WcStatus.SUCCESS.value()) {
            WcLayout.status(memory, at, (int) rule.value());
            decoration.toError(qpn);
          }
        }
        default -> {
          overflown = true;
          decoration.raise(MadeEvent.about(EventType.CQ_ERR, decoration.of(cq)));
          return false;
        }
      }
    }
    if (dueNs == Long.MIN_VALUE) {
      return true;
    }
    held.hold(memory, at, qpn, dueNs);
    return false;
  }
}
