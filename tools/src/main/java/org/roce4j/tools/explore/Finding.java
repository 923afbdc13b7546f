package org.roce4j.tools.explore;

import org.roce4j.tools.explore.search.Trial;

/**
 * A trial that fails.
 *
 * @param number of the run that failed first, from 1
 * @param outcome how it ended
 * @param failed how often it failed in the same way
 * @param of how often it was run
 * @param shrunk runs that looked for a smaller one
 * @param complete whether no smaller one was left to try
 */
record Finding(
    int number, Trial trial, Outcome outcome, int failed, int of, int shrunk, boolean complete) {
  /** Nothing smaller was found. */
  Finding shrunk(int runs, boolean all) {
    return new Finding(number, trial, outcome, failed, of, runs, all);
  }

  String how() {
    return "fails %d of %d times: %s".formatted(failed, of, outcome.failure());
  }
}
