package org.roce4j.tools.explore.search;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.roce4j.faulty.VerbsRule;
import org.roce4j.port.fault.FaultChoice;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultRule;

/**
 * Shrinks a trial that fails: proposes trials, receives their results, and continues from the
 * smallest that fails. It first tries fewer rules (halves, quarters, single ones), then simpler
 * rules, then another seed. It terminates, because each accepted trial is smaller by {@link
 * TrialSize} and none is proposed twice. It runs no trial itself.
 */
public final class Shrinking {
  private static final long SIMPLEST_SEED = 1;

  private final Set<String> tried = new HashSet<>();
  private final int mostTrials;
  private Trial smallest;
  private FaultReport met;
  private int count;

  /**
   * @param failing a trial that fails
   * @param met the datagrams to which its rules were applied when it failed
   * @param mostTrials greatest number of proposed trials
   */
  public Shrinking(Trial failing, FaultReport met, int mostTrials) {
    smallest = failing;
    this.met = met;
    this.mostTrials = mostTrials;
    tried.add(failing.toString());
  }

  /** The smallest trial so far that fails. */
  public Trial smallest() {
    return smallest;
  }

  /** The number of results so far. */
  public int count() {
    return count;
  }

  /** The number of further trials if none of them fails. */
  public int left() {
    return Math.min(mostTrials - count, candidates().size());
  }

  /** Whether it ended because of the bound, so that a smaller failing trial may exist. */
  public boolean cut() {
    return count >= mostTrials && !candidates().isEmpty();
  }

  /**
   * The next trials to run, in this order; empty if no smaller trial fails or the bound is reached.
   *
   * @param most greatest number of trials, 1 or more
   */
  public List<Trial> next(int most) {
    return candidates().stream().limit(Math.min(most, mostTrials - count)).toList();
  }

  /**
   * Takes the result of a trial.
   *
   * @param met the datagrams to which its rules were applied
   */
  public void told(Trial trial, boolean failed, FaultReport met) {
    count++;
    tried.add(trial.toString());
    if (failed && TrialSize.SMALLER.compare(trial, smallest) < 0) {
      smallest = trial;
      this.met = met;
    }
  }

  private List<Trial> candidates() {
    List<Trial> found = new ArrayList<>();
    fewerRules(found);
    simplerRules(found);
    joinedRules(found);
    found.add(smallest.withSeed(SIMPLEST_SEED));
    Set<String> known = new HashSet<>(tried);
    found.removeIf(
        trial -> TrialSize.SMALLER.compare(trial, smallest) >= 0 || !known.add(trial.toString()));
    return found;
  }

  private void fewerRules(List<Trial> found) {
    int size = smallest.size();
    for (int part = size; part > 0; part = part == 1 ? 0 : (part + 1) / 2) {
      for (int from = 0; from < size; from += part) {
        found.add(smallest.without(from, Math.min(size, from + part)));
      }
    }
  }

  private void simplerRules(List<Trial> found) {
    for (int i = 0; i < smallest.rules().size(); i++) {
      for (List<FaultRule> instead : SimplerRules.of(smallest.rules().get(i), met.hits(i))) {
        found.add(smallest.with(i, instead));
      }
    }
    for (int i = 0; i < smallest.verbs().size(); i++) {
      for (VerbsRule instead : SimplerRules.of(smallest.verbs().get(i))) {
        found.add(smallest.with(i, instead));
      }
    }
  }

  /** Tries to join rules that choose neighbouring datagrams. */
  private void joinedRules(List<Trial> found) {
    for (int i = 0; i < smallest.rules().size(); i++) {
      for (int j = 0; j < smallest.rules().size(); j++) {
        FaultRule joined = i == j ? null : joined(smallest.rules().get(i), smallest.rules().get(j));
        if (joined != null) {
          found.add(smallest.with(i, List.of(joined)).without(j, j + 1));
        }
      }
    }
  }

  private static FaultRule joined(FaultRule first, FaultRule second) {
    FaultChoice early = first.choice();
    FaultChoice late = second.choice();
    boolean neighbours =
        first.matcher().equals(second.matcher())
            && first.action().equals(second.action())
            && early.times() < Long.MAX_VALUE / 2
            && late.first() == early.first() + early.times()
            && late.equals(early.withFirst(late.first()).withTimes(late.times()))
            && early.every() == 1;
    return neighbours
        ? new FaultRule(
            first.matcher(), early.withTimes(early.times() + late.times()), first.action())
        : null;
  }
}
