package org.roce4j.tools.explore.search;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultMatcher;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultReport.Hit;
import org.roce4j.port.fault.FaultRule;

/** Simpler replacements of one rule, the largest simplification first. */
final class SimplerRules {
  /** The greatest number of datagrams of a rule for which each is named by a rule of its own. */
  private static final int MOST_SINGLES = 16;

  private static final long SHORT_NS = 1_000;

  private final FaultRule rule;
  private final List<Hit> hits;
  private final List<List<FaultRule>> found = new ArrayList<>();

  private SimplerRules(FaultRule rule, List<Hit> hits) {
    this.rule = rule;
    this.hits = hits;
  }

  /**
   * @param hits datagrams to which the rule was applied when the program failed
   */
  static List<List<FaultRule>> of(FaultRule rule, List<Hit> hits) {
    SimplerRules simpler = new SimplerRules(rule, hits);
    simpler.drop();
    simpler.named();
    simpler.fewer();
    simpler.amounts();
    simpler.earlier();
    return simpler.found;
  }

  /** Replacements of a rule of the verbs: fewer, earlier or shorter faults. */
  static List<VerbsRule> of(VerbsRule rule) {
    List<VerbsRule> found = new ArrayList<>();
    FaultChoice choice = rule.choice();
    LongStream times =
        choice.times() == Long.MAX_VALUE ? LongStream.of(1) : smaller(choice.times(), 1);
    times.forEach(fewer -> found.add(with(rule, rule.value(), choice.withTimes(fewer))));
    if (rule.kind() == VerbsRule.Kind.LATE) {
      shorter(rule.value()).forEach(value -> found.add(with(rule, value, choice)));
    }
    smaller(choice.first(), 1)
        .forEach(first -> found.add(with(rule, rule.value(), choice.withFirst(first))));
    return found;
  }

  private static VerbsRule with(VerbsRule rule, long value, FaultChoice choice) {
    return new VerbsRule(rule.kind(), value, rule.call(), rule.index(), rule.qpn(), choice);
  }

  private void add(FaultMatcher matcher, FaultChoice choice, FaultAction action) {
    found.add(List.of(new FaultRule(matcher, choice, action)));
  }

  /** Tries a loss in place of the fault. */
  private void drop() {
    switch (rule.action().kind()) {
      case DROP, MARK_ECN, FORGE_ACK, FORGE_NAK, FORGE_RNR, FORGE_CNP, RATE -> {}
      default -> add(rule.matcher(), rule.choice(), FaultAction.DROP);
    }
  }

  /** Names the datagrams to which it was applied, by opcode and number. */
  private void named() {
    if (hits.isEmpty() || hits.size() > MOST_SINGLES) {
      return;
    }
    FaultAction action = TrialSize.lasts(rule.action().kind()) ? FaultAction.DROP : rule.action();
    List<FaultRule> singles = new ArrayList<>();
    for (Hit hit : hits) {
      FaultMatcher matcher =
          FaultMatcher.ALL
              .withDirection(hit.traffic().direction())
              .withOpcode(hit.traffic().opcode());
      singles.add(new FaultRule(matcher, FaultChoice.ALL.withNth(hit.nth()), action));
    }
    found.add(singles);
  }

  /** Chooses a part of its datagrams. */
  private void fewer() {
    FaultChoice choice = rule.choice();
    if (choice.times() == 1) {
      return;
    }
    long first = hits.isEmpty() ? choice.first() : hits.getFirst().meant();
    long last = hits.isEmpty() ? first + FaultReport.MOST_HITS : hits.getLast().meant();
    long seen = (last - first) / choice.every() + 1;
    long times = Math.min(choice.times(), seen);
    window(first, times);
    long half = times / 2;
    window(first + half * choice.every(), times - half);
    smaller(choice.times() == Long.MAX_VALUE ? seen : choice.times(), 1)
        .forEach(fewer -> window(choice.first(), fewer));
  }

  private void window(long first, long times) {
    FaultChoice choice = rule.choice().withFirst(first).withTimes(times);
    add(rule.matcher(), times == 1 ? choice.withEvery(1) : choice, rule.action());
  }

  private void amounts() {
    FaultAction action = rule.action();
    Kind kind = action.kind();
    if (kind.quantity() == Quantity.TIME) {
      shorter(action.amount()).forEach(this::amount);
    } else if (kind == Kind.DUPLICATE || kind == Kind.REORDER || kind == Kind.CORRUPT) {
      smaller(action.amount(), 1).forEach(this::amount);
    }
    List<Double> usual = FaultAction.of(kind).details();
    if (!usual.equals(action.details())) {
      add(rule.matcher(), rule.choice(), new FaultAction(kind, action.amount(), usual));
    }
  }

  private static LongStream shorter(long ns) {
    return LongStream.of(SHORT_NS, ns / 10, ns / 2)
        .filter(value -> value >= SHORT_NS && value < ns);
  }

  private void amount(long amount) {
    FaultAction action = rule.action();
    add(rule.matcher(), rule.choice(), new FaultAction(action.kind(), amount, action.details()));
  }

  private void earlier() {
    FaultChoice choice = rule.choice();
    if (rule.matcher().state() != null) {
      add(rule.matcher().withState(null), choice, rule.action());
    }
    smaller(choice.first(), 1)
        .forEach(first -> add(rule.matcher(), choice.withFirst(first), rule.action()));
  }

  /**
   * Numbers below a number: first the least, then closer and closer ones, so that every number is
   * reached in few steps.
   */
  private static LongStream smaller(long number, long least) {
    LongStream nearer =
        LongStream.iterate((number - least) / 2, step -> step > 0, step -> step / 2)
            .map(step -> number - step);
    return number <= least
        ? LongStream.empty()
        : LongStream.concat(LongStream.of(least), nearer).distinct();
  }
}
