package org.roce4j.faulty;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.roce4j.faulty.VerbsRule.Kind;

/** What the rules of a plan have counted. Its methods are called under its lock. */
final class PlanState {
  private static final long STREAM = 0x9E37_79B9_7F4A_7C15L;

  private final List<Counted> rules = new ArrayList<>();
  private final LongSupplier clock;
  private final long begunNs;

  private static final class Counted {
    final VerbsRule rule;
    final SplittableRandom draw;
    long meant;

    Counted(VerbsRule rule, SplittableRandom draw) {
      this.rule = rule;
      this.draw = draw;
    }
  }

  PlanState(VerbsFaults plan, LongSupplier clock) {
    this.clock = clock;
    begunNs = clock.getAsLong();
    for (VerbsRule rule : plan.rules()) {
      rules.add(new Counted(rule, new SplittableRandom(plan.seed() + (rules.size() + 1) * STREAM)));
    }
  }

  long nowNs() {
    return clock.getAsLong();
  }

  /** The rules that choose this call, completion or event; all that mean it count it. */
  synchronized List<VerbsRule> choose(Set<Kind> kinds, String call, int qpn, long value) {
    List<VerbsRule> chosen = List.of();
    for (Counted each : rules) {
      VerbsRule rule = each.rule;
      if (kinds.contains(rule.kind())
          && (rule.call().isEmpty() || rule.call().equals(call))
          && (rule.qpn() == VerbsRule.ANY || rule.qpn() == qpn)
          && (rule.kind() != Kind.LOSE_EVENT || rule.value() == value)
          && rule.choice().isOpen(nowNs() - begunNs)
          && rule.choice().chooses(++each.meant)
          && (rule.choice().probability() == 1
              || each.draw.nextDouble() < rule.choice().probability())) {
        chosen = chosen.isEmpty() ? new ArrayList<>() : chosen;
        chosen.add(rule);
      }
    }
    return chosen;
  }
}
