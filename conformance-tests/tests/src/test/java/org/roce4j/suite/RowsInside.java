package org.roce4j.suite;

import java.util.List;
import java.util.regex.Pattern;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.FabricBackend;
import org.roce4j.conformance.run.Suite;
import org.roce4j.conformance.run.SuiteRun;

/** Rows of the specification on the fabric. */
public final class RowsInside {
  private RowsInside() {}

  /** The complaints of the rows whose ids match. */
  public static List<String> complaints(String pattern) {
    Pattern ids = Pattern.compile(pattern);
    try (FabricBackend backend = new FabricBackend(1)) {
      SuiteRun run = new SuiteRun(backend);
      return Suite.rows().stream()
          .filter(row -> ids.matcher(row.id()).matches())
          .map(run::run)
          .filter(result -> result.verdict() == Verdict.FAIL)
          .map(Object::toString)
          .toList();
    }
  }
}
