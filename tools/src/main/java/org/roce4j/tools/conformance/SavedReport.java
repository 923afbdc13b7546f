package org.roce4j.tools.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.ToolFailure;

/**
 * A report, as {@code --json} writes it and a file holds it.
 *
 * @param rows by id, in the order in which they were run
 */
record SavedReport(String backend, String description, Map<String, SavedRow> rows) {
  /** A row and its outcome. */
  record SavedRow(String id, String source, String title, Verdict verdict, String reason) {}

  /** The report of a run. */
  static SavedReport of(SuiteReport report) {
    Map<String, SavedRow> rows = new LinkedHashMap<>();
    for (RowResult result : report.results()) {
      Row row = result.row();
      rows.put(
          row.id(),
          new SavedRow(row.id(), row.source(), row.title(), result.verdict(), result.reason()));
    }
    return new SavedReport(report.backend(), report.description(), rows);
  }

  /** Reads a file. */
  static SavedReport read(Path file) {
    try {
      return of((Map<?, ?>) Json.read(Files.readString(file)));
    } catch (IOException e) {
      throw ToolFailure.usage("cannot read " + file + ": " + e.getMessage());
    } catch (ClassCastException | IllegalArgumentException | NullPointerException e) {
      throw ToolFailure.usage(
          file + " is no report of roce4j conformance --json: " + e.getMessage());
    }
  }

  private static SavedReport of(Map<?, ?> json) {
    Map<String, SavedRow> rows = new LinkedHashMap<>();
    for (Object entry : (List<?>) json.get("rows")) {
      Map<?, ?> row = (Map<?, ?>) entry;
      String id = row.get("id").toString();
      rows.put(
          id,
          new SavedRow(
              id,
              row.get("source").toString(),
              row.get("title").toString(),
              Verdict.valueOf(row.get("verdict").toString().toUpperCase(Locale.ROOT)),
              row.get("reason").toString()));
    }
    return new SavedReport(
        json.get("backend").toString(), json.get("description").toString(), rows);
  }

  /**
   * Parts of one report, run apart, as one: those with the same backend and description. A row that
   * was run again counts as it was found last.
   */
  static List<SavedReport> joined(List<SavedReport> parts) {
    Map<List<String>, SavedReport> reports = new LinkedHashMap<>();
    for (SavedReport part : parts) {
      reports
          .computeIfAbsent(
              List.of(part.backend, part.description),
              _ -> new SavedReport(part.backend, part.description, new LinkedHashMap<>()))
          .rows
          .putAll(part.rows);
    }
    return List.copyOf(reports.values());
  }

  /** The outcome of a row; null if the report does not have it. */
  Verdict verdict(String id) {
    SavedRow row = rows.get(id);
    return row == null ? null : row.verdict();
  }
}
