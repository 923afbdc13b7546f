package org.roce4j.tools.explore.search;

import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultMatcher;
import org.roce4j.port.fault.FaultRule;

/**
 * The order of trials by size: number of faults, then number of rules, complexity of the faults,
 * amounts, whether datagrams are named, their places, and the seed. All are non-negative integers,
 * so no sequence of ever smaller trials is infinite.
 */
final class TrialSize {
  /** The number of faults counted for a rule without bound or with a lasting fault. */
  private static final long MANY = 1_000_000;

  /** The kinds of faults, the simplest first. */
  private static final List<Kind> KINDS =
      List.of(
          Kind.DROP,
          Kind.DUPLICATE,
          Kind.DELAY,
          Kind.REORDER,
          Kind.MARK_ECN,
          Kind.CORRUPT_ICRC,
          Kind.CORRUPT_PAYLOAD,
          Kind.CORRUPT_HEADER,
          Kind.CORRUPT,
          Kind.LATENCY);

  static final Comparator<Trial> SMALLER =
      Comparator.comparingLong(sum(TrialSize::faults, rule -> chosen(rule.choice())))
          .thenComparingInt(Trial::size)
          .thenComparingLong(sum(TrialSize::kind, rule -> rule.kind().ordinal()))
          .thenComparingLong(sum(TrialSize::amount, TrialSize::late))
          .thenComparingLong(sum(rule -> unnamed(rule.matcher()), rule -> 0))
          .thenComparingLong(sum(rule -> position(rule.choice()), rule -> position(rule.choice())))
          .thenComparingLong(trial -> Math.abs(trial.seed()));

  private TrialSize() {}

  private static ToLongFunction<Trial> sum(
      ToLongFunction<FaultRule> part, ToLongFunction<VerbsRule> ofVerbs) {
    return trial ->
        trial.rules().stream().mapToLong(part).sum()
            + trial.verbs().stream().mapToLong(ofVerbs).sum();
  }

  private static long faults(FaultRule rule) {
    long chosen = chosen(rule.choice());
    return lasts(rule.action().kind()) ? chosen * MANY : chosen;
  }

  private static long chosen(FaultChoice choice) {
    return Math.min(choice.times(), MANY) + (choice.probability() < 1 ? 1 : 0);
  }

  /** Whether a fault of one datagram affects later ones. */
  static boolean lasts(Kind kind) {
    return switch (kind) {
      case BURST, BLACKHOLE, PORT_DOWN, RATE -> true;
      default -> false;
    };
  }

  private static long kind(FaultRule rule) {
    int place = KINDS.indexOf(rule.action().kind());
    return place >= 0 ? place : KINDS.size();
  }

  private static long amount(FaultRule rule) {
    FaultAction action = rule.action();
    return action.amount() + action.details().stream().mapToLong(d -> (long) (d * MANY)).sum();
  }

  private static long late(VerbsRule rule) {
    return rule.kind() == VerbsRule.Kind.LATE ? rule.value() : 0;
  }

  private static int unnamed(FaultMatcher matcher) {
    return (matcher.opcode() == FaultMatcher.ANY ? 1 : 0)
        + (matcher.direction() == null ? 1 : 0)
        + (matcher.state() == null ? 0 : 2);
  }

  private static long position(FaultChoice choice) {
    return Math.min(choice.first(), MANY) + Math.min(choice.every(), MANY);
  }
}
