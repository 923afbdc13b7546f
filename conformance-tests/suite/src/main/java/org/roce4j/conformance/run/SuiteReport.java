package org.roce4j.conformance.run;

import java.util.List;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.verbs.text.Wording;

/** The outcome of every row on one backend. */
public record SuiteReport(String backend, String description, List<RowResult> results) {
  /** How many rows have this verdict. */
  public long count(Verdict verdict) {
    return results.stream().filter(result -> result.verdict() == verdict).count();
  }

  /** Whether no row failed and there was one at all. */
  public boolean conforms() {
    return !results.isEmpty() && count(Verdict.FAIL) == 0;
  }

  /** The counts in one line. */
  public String summary() {
    return Wording.of(
        "%s: %d rows: %d passed, %d failed, %d skipped, %d deviations",
        backend,
        results.size(),
        count(Verdict.PASS),
        count(Verdict.FAIL),
        count(Verdict.SKIPPED),
        count(Verdict.DEVIATION));
  }
}
