package org.roce4j.spec.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.roce4j.backend.Backend;
import org.roce4j.backend.Deviation;
import org.roce4j.spec.Row;
import org.roce4j.spec.RowResult;
import org.roce4j.spec.Verdict;
import org.roce4j.spec.bench.Bench;
import org.roce4j.spec.bench.RowSkipped;

/** Runs rows against a backend, each on a new bench. */
public final class SuiteRun {
  private final Backend backend;

  public SuiteRun(Backend backend) {
    this.backend = backend;
  }

  /**
   * Runs these rows in order.
   *
   * @param each told every result as it comes
   */
  public SuiteReport run(List<Row> rows, Consumer<RowResult> each) {
    List<RowResult> results = new ArrayList<>();
    for (Row row : rows) {
      RowResult result = run(row);
      results.add(result);
      each.accept(result);
    }
    return new SuiteReport(backend.name(), backend.description(), List.copyOf(results));
  }

  /** Runs one row, and holds it against the declared deviations. */
  public RowResult run(Row row) {
    RowResult result = judge(row);
    Optional<Deviation> declared =
        backend.deviations().stream().filter(d -> d.concerns(row.id())).findFirst();
    if (declared.isEmpty()) {
      return result;
    }
    String reason = declared.get().reason();
    return switch (result.verdict()) {
      case FAIL ->
          new RowResult(
              row, Verdict.DEVIATION, reason + " (" + result.reason() + ")", result.cause());
      case PASS ->
          new RowResult(
              row,
              Verdict.FAIL,
              "holds, although this deviation is declared: " + reason + "; remove it",
              null);
      default -> result;
    };
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
