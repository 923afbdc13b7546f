package org.roce4j.tools.explore;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.options.Quantity;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.explore.search.PlanGenerator;
import org.roce4j.tools.explore.search.Shrinking;
import org.roce4j.tools.explore.search.Trial;

/**
 * Runs the program without faults, then with one plan after the other, and shrinks the first plan
 * that fails.
 */
final class Exploration {
  private static final int MOST_ATTEMPTS = 10;
  private static final double SURE = 3;

  /**
   * A rule of the verbs that never applies. It is needed because calls and completions are counted
   * only if there is such a rule.
   */
  private static final VerbsRule COUNTING =
      new VerbsRule(
          VerbsRule.Kind.LATE, 1, "", 0, VerbsRule.ANY, FaultChoice.ALL.withNth(Long.MAX_VALUE));

  private final Trials trials;
  private final Bounds bounds;
  private final long seed;
  private final boolean verbs;
  private final Told told;
  private final BooleanSupplier stopped;
  private Optional<FaultFinding> seenOnce = Optional.empty();
  private int runs;
  private int untouched;

  /** Follows the search. */
  interface Told {
    void healthy(Outcome outcome);

    void searching(int done);

    void confirmed(FaultFinding finding);

    /** A failure did not occur again. */
    void once(FaultFinding finding);

    /**
     * @param left number of further trials if no smaller one fails
     */
    void shrinking(int done, int left);
  }

  /**
   * @param verbs whether to try faults at the verbs
   */
  Exploration(
      Trials trials, Bounds bounds, long seed, boolean verbs, Told told, BooleanSupplier stopped) {
    this.verbs = verbs;
    this.trials = trials;
    this.bounds = bounds;
    this.seed = seed;
    this.told = told;
    this.stopped = stopped;
  }

  /** The number of plans tried. */
  int runs() {
    return runs;
  }

  /** The number of plans whose rules were applied to no datagram. */
  int untouched() {
    return untouched;
  }

  /** The smallest trial that fails; empty if none failed. */
  Optional<FaultFinding> run() {
    Outcome healthy = healthy();
    if (healthy.end() == Outcome.Ending.STOPPED) {
      return Optional.empty();
    }
    Optional<FaultFinding> found = search(new PlanGenerator(healthy.met(), seed));
    return found.isPresent() ? found.map(this::shrunk) : seenOnce;
  }

  private Outcome healthy() {
    Trial none = new Trial(seed, List.of(), verbs ? List.of(COUNTING) : List.of());
    Outcome outcome = trials.run(none, bounds.firstTimeoutNs());
    if (outcome.end() == Outcome.Ending.HUNG) {
      throw ToolFailure.usage(
          "it does not end without faults: ended after %s, --timeout allows it more; it"
              + " prints%s",
          Quantity.TIME.print(bounds.firstTimeoutNs()), printed(outcome));
    }
    if (outcome.failed()) {
      throw ToolFailure.usage(
          "it fails without faults (%s); it prints%s", outcome.failure(), printed(outcome));
    }
    if (outcome.end() == Outcome.Ending.STOPPED) {
      return outcome;
    }
    if (outcome.met().datagrams().isEmpty()) {
      throw ToolFailure.usage(
          "no datagram went through a device of roce4j, so no fault can reach it: it must send"
              + " something, and get ROCE4J_PLAN of its environment");
    }
    trials.timeoutNs(bounds.timeoutNs(outcome.tookNs()));
    told.healthy(outcome);
    return outcome;
  }

  private static String printed(Outcome outcome) {
    String lines = String.join(" | ", outcome.telling(5));
    return lines.isEmpty() ? " nothing" : ": " + lines;
  }

  private Optional<FaultFinding> search(PlanGenerator generator) {
    long start = System.nanoTime();
    Deque<CompletableFuture<Outcome>> underWay = new ArrayDeque<>();
    Deque<Trial> running = new ArrayDeque<>();
    int started = 0;
    Optional<FaultFinding> found = Optional.empty();
    while (true) {
      while (found.isEmpty()
          && underWay.size() < bounds.jobs()
          && started < bounds.runs()
          && System.nanoTime() - start < bounds.timeNs()
          && !stopped.getAsBoolean()) {
        Trial trial = generator.trial(++started);
        running.add(trial);
        underWay.add(trials.start(trial));
      }
      if (underWay.isEmpty()) {
        return found;
      }
      Trial trial = running.remove();
      Outcome outcome = Trials.await(underWay.remove());
      if (outcome.end() == Outcome.Ending.STOPPED) {
        continue;
      }
      runs++;
      untouched += trial.verbs().isEmpty() && outcome.met().hits().isEmpty() ? 1 : 0;
      told.searching(runs);
      if (outcome.failed() && found.isEmpty()) {
        found = confirmed(trial, outcome);
      }
    }
  }

  private Optional<FaultFinding> confirmed(Trial trial, Outcome outcome) {
    FaultFinding finding = repeated(runs, trial, outcome, 0, true);
    if (finding.failed() > 1 || bounds.repeats() == 0 || stopped.getAsBoolean()) {
      told.confirmed(finding);
      return Optional.of(finding);
    }
    told.once(finding);
    seenOnce = seenOnce.or(() -> Optional.of(finding));
    return Optional.empty();
  }

  private FaultFinding repeated(
      int number, Trial trial, Outcome outcome, int shrunk, boolean complete) {
    int failed = 1;
    int of = 1;
    for (int i = 0; i < bounds.repeats() && !stopped.getAsBoolean(); i++) {
      Outcome again = trials.run(trial);
      if (again.end() != Outcome.Ending.STOPPED) {
        of++;
        failed += again.sameAs(outcome) ? 1 : 0;
      }
    }
    return new FaultFinding(number, trial, outcome, failed, of, shrunk, complete);
  }

  // ---- smaller

  /**
   * The number of passes after which a trial counts as passing, if failures are not reproducible.
   */
  private static int attempts(FaultFinding found) {
    double needed = Math.ceil(SURE * found.of() / found.failed());
    return found.failed() == found.of() ? 1 : (int) Math.min(needed, MOST_ATTEMPTS);
  }

  private FaultFinding shrunk(FaultFinding found) {
    Shrinking shrinking = new Shrinking(found.trial(), found.outcome().met(), bounds.shrinks());
    int attempts = attempts(found);
    Outcome smallest = found.outcome();
    while (!stopped.getAsBoolean()) {
      List<Trial> next = shrinking.next(bounds.jobs());
      if (next.isEmpty()) {
        break;
      }
      List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
      for (Trial trial : next) {
        outcomes.add(trials.start(trial, found.outcome(), attempts));
      }
      for (int i = 0; i < next.size(); i++) {
        Outcome outcome = Trials.await(outcomes.get(i));
        boolean same = outcome.sameAs(found.outcome());
        if (outcome.end() != Outcome.Ending.STOPPED) {
          Trial before = shrinking.smallest();
          shrinking.told(next.get(i), same, same ? outcome.met() : FaultReport.NONE);
          smallest = shrinking.smallest().equals(before) ? smallest : outcome;
          told.shrinking(shrinking.count(), shrinking.left());
        }
      }
    }
    boolean complete = !stopped.getAsBoolean() && !shrinking.cut();
    Trial left = shrinking.smallest();
    int count = shrinking.count();
    return left.equals(found.trial())
        ? found.shrunk(count, complete)
        : repeated(found.number(), left, smallest, count, complete);
  }
}
