package org.roce4j.benchmarks.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.benchmarks.table.BenchRow.Section;
import org.roce4j.tools.console.Markup;

/**
 * The table with its results.
 *
 * @param about what was measured: machine, Java, transport
 * @param rows in order
 */
record BenchReport(Map<String, String> about, List<BenchRow> rows) {
  /** Where a Markdown file takes the table. */
  static final String BEGIN = "<!-- roce4j bench: begin -->";

  static final String END = "<!-- roce4j bench: end -->";

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>(about);
    json.put("rows", rows.stream().map(BenchRow::json).toList());
    return json;
  }

  /** A line of text for a row. */
  static String text(BenchRow row) {
    StringBuilder line = new StringBuilder();
    line.append(String.format(Locale.ROOT, "  %-24s %10s", row.series(), count(row)));
    for (String cell : row.cells()) {
      line.append(String.format(Locale.ROOT, "  %16s", cell));
    }
    return line.toString();
  }

  private static String count(BenchRow row) {
    return row.section() == Section.QUEUE_PAIRS ? Long.toString(row.x()) : LineChart.bytes(row.x());
  }

  /** What was measured, in a sentence. */
  String introduction() {
    List<String> parts = new ArrayList<>();
    about.forEach((name, value) -> parts.add(name + " " + value));
    return String.join(", ", parts);
  }

  private List<BenchRow> of(Section section) {
    return rows.stream().filter(row -> row.section() == section).toList();
  }

  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append(BEGIN).append("\n\nMade by `./roce4j bench`: ").append(introduction());
    text.append(".\n");
    for (Section section : Section.values()) {
      List<BenchRow> part = of(section);
      if (part.isEmpty()) {
        continue;
      }
      text.append("\n**").append(section.title()).append("**\n\n");
      text.append("| test | ").append(section.axis()).append(" | ").append(section.unit());
      text.append(" | | allocated | socket drops |\n|---|---|---|---|---|---|\n");
      for (BenchRow row : part) {
        text.append("| ").append(row.series()).append(" | ").append(count(row));
        List<String> cells = row.cells();
        for (int i = 0; i < BenchRow.CELLS; i++) {
          text.append(" | ").append(i < cells.size() ? cells.get(i) : "");
        }
        text.append(" |\n");
      }
    }
    return text.append('\n').append(END).toString();
  }

  String html() {
    StringBuilder page = new StringBuilder();
    page.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.append("<title>roce4j bench</title><style>body{font-family:sans-serif;margin:2em}");
    page.append("td,th{padding:2px 12px;text-align:right}td:first-child{text-align:left}");
    page.append("</style></head><body>\n<h1>roce4j bench</h1>\n<p>");
    page.append(Markup.text(introduction())).append("</p>\n");
    for (Section section : Section.values()) {
      List<BenchRow> part = of(section);
      if (part.isEmpty()) {
        continue;
      }
      page.append("<h2>").append(Markup.text(section.title())).append("</h2>\n");
      if (section == Section.THROUGHPUT
          || section == Section.LATENCY
          || section == Section.QUEUE_PAIRS) {
        page.append(chart(section, part));
      }
      page.append("<table>\n");
      for (BenchRow row : part) {
        page.append("<tr><td>").append(Markup.text(row.series())).append("</td><td>");
        page.append(count(row)).append("</td>");
        row.cells().forEach(cell -> page.append("<td>").append(Markup.text(cell)).append("</td>"));
        page.append("</tr>\n");
      }
      page.append("</table>\n");
    }
    return page.append("</body></html>\n").toString();
  }

  private static String chart(Section section, List<BenchRow> part) {
    LineChart chart = new LineChart(section.title(), section.axis(), section.unit());
    part.forEach(row -> chart.add(row.series(), row.x(), row.figure()));
    return chart.svg();
  }
}
