package org.roce4j.tools.explore;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.explore.search.Trial;

/** Runs the program several times under one plan and prints the number of failures. */
final class Replay {
  private final Trials trials;
  private final Bounds bounds;
  private final PrintWriter out;

  Replay(Trials trials, Bounds bounds, PrintWriter out) {
    this.trials = trials;
    this.bounds = bounds;
    this.out = out;
  }

  /** Runs under the base plan. */
  int run(long seed) {
    int failed = 0;
    int of = 0;
    Outcome last = null;
    while (of < Math.max(1, bounds.repeats())) {
      Outcome outcome = trials.run(new Trial(seed, List.of()), bounds.firstTimeoutNs());
      if (outcome.end() == Outcome.Ending.STOPPED) {
        break;
      }
      of++;
      if (outcome.failed()) {
        failed++;
        last = outcome;
      }
    }
    out.printf(
        Locale.ROOT,
        "fails %d of %d times%s%n",
        failed,
        of,
        last == null ? "" : ": " + last.failure());
    if (last != null) {
      last.telling(ExploreReport.SHOWN_LINES).forEach(line -> out.println("  " + line));
    }
    out.flush();
    return failed > 0 ? ToolFailure.RUN_TIME : 0;
  }
}
