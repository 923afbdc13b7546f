package org.roce4j.benchmarks.table;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.roce4j.benchmarks.table.BenchRow.Section;
import org.roce4j.tools.console.Markup;
import org.roce4j.tools.report.ReportPage;

/** The table as an HTML page, with a chart for each section that is plotted. */
final class BenchPage {
  private final BenchReport report;
  private final ReportPage page = new ReportPage("roce4j bench");
  private final Map<String, Object> charts = new LinkedHashMap<>();

  private BenchPage(BenchReport report) {
    this.report = report;
  }

  static String text(BenchReport report) {
    BenchPage page = new BenchPage(report);
    page.head();
    for (Section section : Section.values()) {
      List<BenchRow> rows = report.of(section);
      if (!rows.isEmpty()) {
        page.section(section, rows);
      }
    }
    return page.page
        .add("</main>\n")
        .charts()
        .data("CHARTS", page.charts)
        .script(BenchPage.class, "charts.js")
        .text();
  }

  private void head() {
    page.add("<header>\n").add("h1", "roce4j bench");
    page.add("p class=\"about\"", report.introduction());
    List<BenchRow> failed = report.rows().stream().filter(BenchRow::hasFailed).toList();
    if (failed.isEmpty()) {
      page.add("p class=\"outcome pass\"", "✓ %d rows".formatted(report.rows().size()));
    } else {
      page.add(
          "p class=\"outcome fail\"",
          "✗ %d of %d rows failed".formatted(failed.size(), report.rows().size()));
      page.add("<ul>\n");
      failed.forEach(
          row -> page.add("li", String.join(" ", row.arguments()) + ": " + row.failure()));
      page.add("</ul>\n");
    }
    page.add("</header>\n<main>\n");
  }

  private void section(Section section, List<BenchRow> rows) {
    page.add("h2", section.title());
    if (rows.stream().filter(row -> Double.isFinite(row.figure())).count() > 2
        && section.isPlotted()) {
      chart(section, rows);
    }
    page.add("<div class=\"scroll\"><table><thead><tr><th>test</th>");
    page.add("th class=\"number\"", section.axis());
    for (String column : section.columns()) {
      page.add("th class=\"number\"", column);
    }
    page.add("</tr></thead><tbody>\n");
    rows.forEach(this::row);
    page.add("</tbody></table></div>\n");
  }

  private void row(BenchRow row) {
    page.add(row.hasFailed() ? "<tr class=\"fail\">" : "<tr>");
    page.add("td", row.series()).add("td class=\"number\"", row.count());
    if (row.result() == null) {
      page.add(
          "<td class=\"sign\" colspan=\"%d\">%s</td>"
              .formatted(
                  BenchRow.CELLS, Markup.text((row.hasFailed() ? "✗ " : "– ") + row.failure())));
    } else {
      row.cells().forEach(cell -> page.add("td class=\"number\"", cell));
    }
    page.add("</tr>\n");
  }

  /** The data for charts.js: x values, and for each line its y values, null where it has none. */
  private void chart(Section section, List<BenchRow> rows) {
    TreeSet<Long> xs = new TreeSet<>();
    Map<String, Map<Long, Double>> lines = new LinkedHashMap<>();
    for (BenchRow row : rows) {
      xs.add(row.x());
      lines.computeIfAbsent(row.series(), line -> new LinkedHashMap<>()).put(row.x(), row.figure());
    }
    Map<String, Object> chart = new LinkedHashMap<>();
    chart.put("axis", section.axis());
    chart.put("unit", section.unit());
    chart.put("x", List.copyOf(xs));
    Map<String, Object> values = new LinkedHashMap<>();
    lines.forEach(
        (line, points) ->
            values.put(line, xs.stream().map(x -> points.getOrDefault(x, Double.NaN)).toList()));
    chart.put("lines", values);
    charts.put(section.name(), chart);
    page.add(
        "<figure role=\"img\" aria-label=\"%s by %s; the table below has the numbers\"><div class=\"plot\" data-chart=\"%s\"></div></figure>\n"
            .formatted(section.unit(), section.axis(), section.name()));
  }
}
