package org.roce4j.tools.explore;

import org.roce4j.tools.explore.search.Trial;
import org.roce4j.verbs.text.Wording;

/**
 * A trial that fails.
 *
 * @param number number of the first run that failed, from 1
 * @param outcome outcome of that run
 * @param failed number of runs that failed in the same way
 * @param of number of runs
 * @param shrunk number of runs that searched a smaller trial
 * @param complete whether every smaller trial was tried
 */
record FaultFinding(
    int number, Trial trial, Outcome outcome, int failed, int of, int shrunk, boolean complete) {
  /** This finding after shrinking that has found no smaller trial. */
  FaultFinding shrunk(int runs, boolean all) {
    return new FaultFinding(number, trial, outcome, failed, of, runs, all);
  }

  String how() {
    return Wording.of("fails %d of %d times: %s", failed, of, outcome.failure());
  }
}
