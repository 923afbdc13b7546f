package org.roce4j.conformance.run;

import java.util.List;
import java.util.Optional;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.backend.Deviation;

/** Compares the declared deviations with the results. */
public record DeclaredDeviations(List<Deviation> deviations) {
  /** A copy of the list. */
  public DeclaredDeviations {
    deviations = List.copyOf(deviations);
  }

  /** The reason for skipping a row that the device would not survive; empty: it is run. */
  public Optional<RowResult> fatal(Row row) {
    return of(row)
        .filter(Deviation::fatal)
        .map(
            declared -> new RowResult(row, Verdict.SKIPPED, "not run: " + declared.reason(), null));
  }

  private Optional<Deviation> of(Row row) {
    return deviations.stream().filter(d -> d.concerns(row.id())).findFirst();
  }

  /**
   * A failure that is declared is a deviation, with both reasons. A row that holds in spite of its
   * declaration fails.
   */
  public RowResult hold(RowResult result) {
    Row row = result.row();
    Optional<Deviation> declared = of(row);
    if (declared.isEmpty()) {
      return result;
    }
    String reason = declared.get().reason();
    return switch (result.verdict()) {
      case FAIL -> {
        boolean asDeclared = declared.get().excuses(result.cause());
        yield new RowResult(
            row,
            asDeclared ? Verdict.DEVIATION : Verdict.FAIL,
            (asDeclared ? "" : "not as declared: ") + reason + " (" + result.reason() + ")",
            result.cause());
      }
      case PASS ->
          new RowResult(
              row,
              Verdict.FAIL,
              "holds, although this deviation is declared: " + reason + "; remove it",
              null);
      default -> result;
    };
  }
}
