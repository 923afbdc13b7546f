package org.roce4j.faulty;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.roce4j.faulty.VerbsRule.Kind;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.text.Wording;

/** The counts of a plan's rules. Callers hold its lock. */
final class PlanState {
  private static final long STREAM = 0x9E37_79B9_7F4A_7C15L;

  private final List<Counted> rules = new ArrayList<>();
  private final LongSupplier clock;
  private final long begunNs;

  /** Null: nothing is logged. */
  private final VerbsLog log;

  private static final class Counted {
    final VerbsRule rule;
    final SplittableRandom draw;
    long meant;

    Counted(VerbsRule rule, SplittableRandom draw) {
      this.rule = rule;
      this.draw = draw;
    }
  }

  PlanState(VerbsFaults plan, LongSupplier clock, VerbsLog log) {
    this.log = log;
    this.clock = clock;
    begunNs = clock.getAsLong();
    for (VerbsRule rule : plan.rules()) {
      rules.add(new Counted(rule, new SplittableRandom(plan.seed() + (rules.size() + 1) * STREAM)));
    }
  }

  long nowNs() {
    return clock.getAsLong();
  }

  /** Tells the log of a completion that a rule has failed. */
  void tellFailure(VerbsRule rule, CompletionQueue cq, TakenCompletion completion) {
    if (log != null) {
      log.fail(
          Wording.of(
              "QP 0x%x on %s: %s failed with %s: %s%s",
              completion.qpn(),
              cq.context().device().name(),
              completion,
              WcStatus.of(completion.status()),
              Decoration.FAILED_IT,
              rule));
    }
  }

  /** The rules that choose a completion or event. Every rule that matches it counts it. */
  List<VerbsRule> choose(Set<Kind> kinds, int qpn, long value) {
    if (log != null && kinds.contains(Kind.LATE)) {
      log.count(VerbsLog.COMPLETIONS);
    }
    return choose(
        qpn,
        rule ->
            kinds.contains(rule.kind())
                && (rule.kind() != Kind.LOSE_EVENT || rule.value() == value));
  }

  /**
   * The rules that choose a call. Every rule that matches it counts it.
   *
   * @param object the object that is called
   * @param has whether the call has a request of that index
   */
  List<VerbsRule> choose(String call, Object object, IntPredicate has) {
    if (log != null) {
      log.count(call);
    }
    return choose(
        object instanceof QueuePair qp ? qp.qpNum() : VerbsRule.ANY,
        rule ->
            rule.kind().meansCalls()
                && Calls.isMeant(rule.call(), call)
                && rule.isAbout(object)
                && has.test(rule.index()));
  }

  private synchronized List<VerbsRule> choose(int qpn, Predicate<VerbsRule> means) {
    List<VerbsRule> chosen = List.of();
    for (Counted each : rules) {
      VerbsRule rule = each.rule;
      if ((rule.qpn() == VerbsRule.ANY || rule.qpn() == qpn)
          && means.test(rule)
          && rule.choice().isOpen(nowNs() - begunNs)
          && rule.choice().chooses(++each.meant)
          && (rule.choice().probability() == 1
              || each.draw.nextDouble() < rule.choice().probability())) {
        chosen = chosen.isEmpty() ? new ArrayList<>() : chosen;
        chosen.add(rule);
        if (log != null) {
          log.choose(rule);
        }
      }
    }
    return chosen;
  }
}
