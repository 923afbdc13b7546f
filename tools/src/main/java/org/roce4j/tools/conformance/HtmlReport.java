package org.roce4j.tools.conformance;

import java.util.Locale;
import org.roce4j.conformance.RowResult;
import org.roce4j.conformance.run.SuiteReport;
import org.roce4j.tools.console.Markup;

/** The report as a page of its own: the counts, then a table of all rows. */
final class HtmlReport {
  private static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>roce4j conformance: %1$s</title>
      <style>
      body { font-family: sans-serif; margin: 2em; }
      table { border-collapse: collapse; }
      td, th { border: 1px solid #ccc; padding: 0.2em 0.6em; text-align: left; }
      td:first-child { font-family: monospace; white-space: nowrap; }
      .pass { color: #060; } .fail { background: #fcc; }
      .skipped { color: #666; } .deviation { background: #ffd; }
      </style>
      </head>
      <body>
      <h1>Conformance of %1$s</h1>
      <p>%2$s</p>
      <p><strong>%3$s</strong></p>
      <table>
      <tr><th>row</th><th>source</th><th>what must hold</th><th>verdict</th><th>reason</th></tr>
      """;

  private HtmlReport() {}

  static String text(SuiteReport report) {
    StringBuilder page =
        new StringBuilder(
            HEAD.formatted(
                Markup.text(report.backend()),
                Markup.text(report.description()),
                Markup.text(report.summary())));
    for (RowResult result : report.results()) {
      String verdict = result.verdict().name().toLowerCase(Locale.ROOT);
      page.append("<tr class=\"").append(verdict).append("\">");
      cell(page, result.row().id());
      cell(page, result.row().source());
      cell(page, result.row().title());
      cell(page, verdict);
      cell(page, result.reason());
      page.append("</tr>\n");
    }
    return page.append("</table>\n</body>\n</html>\n").toString();
  }

  private static void cell(StringBuilder page, String text) {
    page.append("<td>").append(Markup.text(text)).append("</td>");
  }
}
