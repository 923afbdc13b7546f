package org.roce4j.tools.conformance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.roce4j.conformance.Verdict;
import org.roce4j.tools.conformance.SavedReport.SavedRow;

/**
 * Several reports as one page of Markdown: the tables by backend, why rows deviate, fail or are
 * skipped, and each row on which not all backends pass.
 */
final class SideBySide {
  private static final String HEAD =
      """
      # Conformance report

      Written by `./roce4j conformance --compare`; what the rows are: [conformance.md](conformance.md).
      A deviation is declared with its reason and checked: a row that is kept in spite of it fails.

      """;

  private final List<SavedReport> reports;
  private final StringBuilder page = new StringBuilder(HEAD);

  private SideBySide(List<SavedReport> reports) {
    this.reports = reports;
  }

  static String text(List<SavedReport> reports) {
    SideBySide page = new SideBySide(SavedReport.joined(reports));
    page.backends();
    page.tables();
    for (SavedReport report : page.reports) {
      page.reasons(report);
    }
    page.differences();
    return page.page.toString();
  }

  private void row(Stream<String> cells) {
    StringJoiner row = new StringJoiner(" | ", "| ", " |\n");
    cells.map(cell -> cell.replace("|", "\\|")).forEach(row::add);
    page.append(row);
  }

  private void head(String first) {
    row(Stream.concat(Stream.of(first), reports.stream().map(SavedReport::backend)));
    page.append("|---".repeat(1 + reports.size())).append("|\n");
  }

  private void backends() {
    page.append("| backend | what it is | passed | deviations | skipped | failed |\n");
    page.append("|---|---|---|---|---|---|\n");
    for (SavedReport report : reports) {
      row(
          Stream.of(
              report.backend(),
              report.description(),
              count(report, "", Verdict.PASS),
              count(report, "", Verdict.DEVIATION),
              count(report, "", Verdict.SKIPPED),
              count(report, "", Verdict.FAIL)));
    }
  }

  private static String count(SavedReport report, String table, Verdict verdict) {
    return Long.toString(
        report.rows().values().stream()
            .filter(row -> row.id().startsWith(table) && row.verdict() == verdict)
            .count());
  }

  private List<String> ids() {
    return reports.stream().flatMap(report -> report.rows().keySet().stream()).distinct().toList();
  }

  private void tables() {
    page.append("\n## Tables\n\nRows that passed, of those that were decided.\n\n");
    head("table");
    for (String table : ids().stream().map(id -> id.replaceAll("-.*", "-")).distinct().toList()) {
      row(
          Stream.concat(
              Stream.of(table.substring(0, table.length() - 1)),
              reports.stream().map(report -> share(report, table))));
    }
  }

  private static String share(SavedReport report, String table) {
    if (report.rows().keySet().stream().noneMatch(id -> id.startsWith(table))) {
      return "not run";
    }
    List<SavedRow> decided =
        report.rows().values().stream()
            .filter(row -> row.id().startsWith(table) && row.verdict() != Verdict.SKIPPED)
            .toList();
    long passed = decided.stream().filter(row -> row.verdict() == Verdict.PASS).count();
    return decided.isEmpty() ? "skipped" : passed + " of " + decided.size();
  }

  /** Rows by verdict and reason; of a deviation the reason ends where the finding begins. */
  private void reasons(SavedReport report) {
    Map<String, List<String>> rows = new LinkedHashMap<>();
    for (SavedRow row : report.rows().values()) {
      if (row.verdict() != Verdict.PASS) {
        String word = row.verdict().name().toLowerCase(Locale.ROOT);
        String reason =
            row.verdict() == Verdict.DEVIATION
                ? row.reason().replaceAll(" \\(.*", "")
                : row.reason();
        rows.computeIfAbsent(word + " | " + reason, none -> new ArrayList<>()).add(row.id());
      }
    }
    if (rows.isEmpty()) {
      return;
    }
    page.append("\n## What ").append(report.backend()).append(" does not pass\n\n");
    page.append("| verdict | reason | rows | for example |\n|---|---|---|---|\n");
    rows.forEach(
        (key, ids) -> {
          String[] parts = key.split(" \\| ", 2);
          row(Stream.of(parts[0], parts[1], Integer.toString(ids.size()), ids.getFirst()));
        });
  }

  private void differences() {
    page.append("\n## Rows that not every backend passes\n\n");
    head("row");
    for (String id : ids()) {
      List<Verdict> verdicts = reports.stream().map(report -> report.verdict(id)).toList();
      // Rows that need the device's own wire code are skipped as a group; the reasons say so.
      boolean interesting =
          verdicts.stream().anyMatch(v -> v == Verdict.DEVIATION || v == Verdict.FAIL);
      if (interesting) {
        SavedRow row =
            reports.stream()
                .map(report -> report.rows().get(id))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
        row(
            Stream.concat(
                Stream.of(id + ": " + row.title()),
                verdicts.stream().map(v -> v == null ? "-" : v.name().toLowerCase(Locale.ROOT))));
      }
    }
  }
}
