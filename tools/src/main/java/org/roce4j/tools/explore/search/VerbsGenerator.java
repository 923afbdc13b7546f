package org.roce4j.tools.explore.search;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.roce4j.faulty.VerbsLog;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.faulty.VerbsRule.Kind;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.WcStatus;

/**
 * Generates faults at the verbs for a program whose calls are known: refused calls, delayed or
 * failed completions, and events.
 */
final class VerbsGenerator {
  /**
   * Calls that only query; programs do not expect their refusal, and libraries make most of them.
   */
  private static final Set<String> LEFT_OUT = Set.of("counters", "poll", "startPoll", "nextPoll");

  private static final List<EventType> EVENTS =
      List.of(EventType.PORT_ERR, EventType.GID_CHANGE, EventType.CLIENT_REREGISTER);
  private static final long SHORT_NS = 10_000;

  private final List<Map.Entry<String, Long>> calls;
  private final long completions;

  VerbsGenerator(FaultReport met) {
    calls =
        met.verbs().entrySet().stream()
            .filter(call -> !LEFT_OUT.contains(call.getKey()))
            .filter(call -> !call.getKey().equals(VerbsLog.COMPLETIONS))
            .toList();
    completions = met.verbs().getOrDefault(VerbsLog.COMPLETIONS, 0L);
  }

  /** Whether there is a call that a rule can match. */
  boolean hasCalls() {
    return !calls.isEmpty();
  }

  VerbsRule rule(SplittableRandom draw) {
    int kind = completions == 0 ? 0 : draw.nextInt(10);
    if (kind < 5) {
      Map.Entry<String, Long> call = calls.get(draw.nextInt(calls.size()));
      EventType event = EVENTS.get(draw.nextInt(EVENTS.size()));
      boolean comes = kind == 4;
      return new VerbsRule(
          comes ? Kind.EVENT : Kind.REFUSE,
          comes ? event.value() : Errno.ENOMEM.number(),
          call.getKey(),
          0,
          VerbsRule.ANY,
          nth(draw, call.getValue()));
    }
    long late = SHORT_NS * (long) Math.pow(10, draw.nextInt(4));
    return new VerbsRule(
        kind < 9 ? Kind.LATE : Kind.FAIL,
        kind < 9 ? late : WcStatus.RETRY_EXC_ERR.value(),
        "",
        0,
        VerbsRule.ANY,
        nth(draw, completions));
  }

  private static FaultChoice nth(SplittableRandom draw, long most) {
    return FaultChoice.ALL.withNth(1 + draw.nextLong(most));
  }
}
