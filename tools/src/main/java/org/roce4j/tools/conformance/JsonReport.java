package org.roce4j.tools.conformance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.Verdict;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.tools.console.Json;

/** The report for programs: the counts, and each row with its verdict. */
final class JsonReport {
  private JsonReport() {}

  static String text(SuiteReport report) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("backend", report.backend());
    json.put("description", report.description());
    json.put("passed", report.count(Verdict.PASS));
    json.put("failed", report.count(Verdict.FAIL));
    json.put("skipped", report.count(Verdict.SKIPPED));
    json.put("deviations", report.count(Verdict.DEVIATION));
    List<Map<String, Object>> rows = new ArrayList<>();
    for (RowResult result : report.results()) {
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("id", result.row().id());
      row.put("source", result.row().source());
      row.put("title", result.row().title());
      row.put("verdict", result.verdict().name().toLowerCase(Locale.ROOT));
      row.put("reason", result.reason());
      rows.add(row);
    }
    json.put("rows", rows);
    return Json.text(json) + "\n";
  }
}
