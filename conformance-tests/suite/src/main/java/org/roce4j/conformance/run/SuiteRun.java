package org.roce4j.conformance.run;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.Backend;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.RowSkipped;

/** Runs rows against a backend, each on a new bench. */
public final class SuiteRun {
  private final Backend backend;
  private final DeclaredDeviations deviations;

  /** For that backend, with the deviations that it declares. */
  public SuiteRun(Backend backend) {
    this.backend = backend;
    deviations = new DeclaredDeviations(backend.deviations());
  }

  /**
   * Runs these rows in order.
   *
   * @param each told every result as it comes; answers whether to go on
   */
  public SuiteReport run(List<Row> rows, Predicate<RowResult> each) {
    List<RowResult> results = new ArrayList<>();
    for (Row row : rows) {
      RowResult result = run(row);
      results.add(result);
      if (!each.test(result)) {
        break;
      }
    }
    return new SuiteReport(backend.name(), backend.description(), List.copyOf(results));
  }

  /** Runs one row, unless the device would not survive it, and holds it against the deviations. */
  public RowResult run(Row row) {
    return deviations.fatal(row).orElseGet(() -> deviations.hold(judge(row)));
  }

  private RowResult judge(Row row) {
    Bench bench = new Bench(backend.open(), backend.capabilities());
    try {
      row.check().run(bench);
    } catch (RowSkipped e) {
      return closed(bench, new RowResult(row, Verdict.SKIPPED, e.getMessage(), null));
    } catch (RuntimeException | AssertionError e) {
      return closed(bench, failure(row, e));
    }
    return closed(bench, new RowResult(row, Verdict.PASS, "", null));
  }

  private static RowResult closed(Bench bench, RowResult result) {
    try {
      bench.close();
      return result;
    } catch (RuntimeException | AssertionError e) {
      return result.verdict() == Verdict.FAIL ? result : failure(result.row(), e);
    }
  }

  private static RowResult failure(Row row, Throwable e) {
    String message = e.getMessage();
    boolean ours = e instanceof AssertionError && message != null;
    return new RowResult(row, Verdict.FAIL, ours ? message : String.valueOf(e), e);
  }
}
