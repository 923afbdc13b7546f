package org.roce4j.tools.conformance;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;
import org.roce4j.conformance.SpecificationSection;
import org.roce4j.conformance.Verdict;
import org.roce4j.tools.conformance.SavedReport.SavedRow;
import org.roce4j.tools.console.Markup;
import org.roce4j.tools.report.ReportPage;
import org.roce4j.verbs.text.Wording;

/**
 * The report as a page of its own. Rows stand in groups, one for each section of the specification
 * that they cite, with its text; failures come first.
 */
final class HtmlReport {
  /** The worst first. */
  private static final List<Verdict> ORDER =
      List.of(Verdict.FAIL, Verdict.DEVIATION, Verdict.SKIPPED, Verdict.PASS);

  private static final List<TablesExtension> TABLES =
      List.of((TablesExtension) TablesExtension.create());
  private static final Parser MARKDOWN = Parser.builder().extensions(TABLES).build();
  private static final HtmlRenderer HTML =
      HtmlRenderer.builder().extensions(TABLES).escapeHtml(true).build();

  private final SavedReport report;
  private final ReportPage page;

  private HtmlReport(SavedReport report) {
    this.report = report;
    page = new ReportPage("roce4j conformance: " + report.backend());
  }

  static String text(SavedReport report) {
    HtmlReport html = new HtmlReport(report);
    html.head();
    html.groups();
    return html.page.script(ReportPage.class, "rows.js").text();
  }

  private void head() {
    List<SavedRow> rows = List.copyOf(report.rows().values());
    long failed = count(rows, Verdict.FAIL);
    page.add("<header>\n");
    page.add("h1", "Conformance of " + report.backend());
    page.add("p class=\"about\"", report.description());
    if (failed > 0) {
      page.add(
          "p class=\"outcome fail\"", Wording.of("✗ %,d of %,d rows failed", failed, rows.size()));
    } else {
      page.add("p class=\"outcome pass\"", Wording.of("✓ none of %,d rows failed", rows.size()));
    }
    page.add("</header>\n<div id=\"filter\" role=\"search\"><fieldset><legend>Verdict</legend>\n");
    for (Verdict verdict : ORDER) {
      page.add(
          Wording.of(
              "<button type=\"button\" data-verdict=\"%s\" aria-pressed=\"false\" class=\"%s\">%s"
                  + " <b>%,d</b></button>\n",
              name(verdict), name(verdict), sign(verdict), count(rows, verdict)));
    }
    page.add(
        "</fieldset>\n"
            + "<label>Find <input id=\"find\" type=\"search\" placeholder=\"row, rule, words ( /"
            + " )\"></label>\n");
    page.add("<output id=\"count\"></output></div>\n");
  }

  private void groups() {
    Map<String, List<SavedRow>> groups = new LinkedHashMap<>();
    for (SavedRow row : report.rows().values()) {
      List<SpecificationSection> cited = SpecificationSection.cited(row.source());
      String key = cited.isEmpty() ? row.source() : place(cited.getFirst());
      groups.computeIfAbsent(key, k -> new ArrayList<>()).add(row);
    }
    page.add("<main>\n");
    groups.entrySet().stream()
        .sorted(Comparator.comparingInt(group -> rank(worst(group.getValue()))))
        .forEach(group -> group(group.getKey(), group.getValue()));
    page.add("</main>\n");
  }

  private void group(String place, List<SavedRow> rows) {
    Verdict worst = worst(rows);
    SpecificationSection section =
        SpecificationSection.cited(rows.getFirst().source()).stream().findFirst().orElse(null);
    page.add(
        Wording.of(
            "<details class=\"group %s\"%s><summary><span class=\"sign\">%s</span> <span"
                + " class=\"title\">%s</span> <code>%s</code> <span"
                + " class=\"counts\">%s</span></summary>\n",
            name(worst),
            worst == Verdict.FAIL ? " open" : "",
            sign(worst).split(" ")[0],
            Markup.text(section == null ? "Outside the tables" : title(section)),
            Markup.text(place),
            counts(rows)));
    if (section != null) {
      page.add("<details class=\"cited\"><summary>What the specification says</summary>\n");
      page.add(
          "<div class=\"text\">"
              + HTML.render(MARKDOWN.parse(section.text()))
              + "</div></details>\n");
    }
    page.add(
        "<div class=\"scroll\"><table><thead><tr><th>row</th><th>what must"
            + " hold</th><th>source</th><th>verdict</th><th>reason</th></tr></thead><tbody>\n");
    rows.stream().sorted(Comparator.comparingInt(row -> rank(row.verdict()))).forEach(this::row);
    page.add("</tbody></table></div></details>\n");
  }

  private void row(SavedRow row) {
    String id = Markup.text(row.id());
    page.add(
        Wording.of(
            "<tr id=\"%s\" class=\"%s\"><td class=\"id\"><a"
                + " href=\"#%s\">%s</a></td><td>%s</td><td>%s</td><td"
                + " class=\"sign\">%s</td><td>%s</td></tr>\n",
            id,
            name(row.verdict()),
            id,
            id,
            Markup.text(row.title()),
            Markup.text(row.source()),
            sign(row.verdict()),
            Markup.text(row.reason())));
  }

  private static String place(SpecificationSection section) {
    return section.document() + " " + section.number();
  }

  private static String title(SpecificationSection section) {
    return section.heading().equals(section.chapter())
        ? section.heading()
        : section.chapter() + " · " + section.heading();
  }

  private static String counts(List<SavedRow> rows) {
    StringJoiner counts = new StringJoiner(", ");
    for (Verdict verdict : ORDER) {
      long count = count(rows, verdict);
      if (count > 0) {
        counts.add(Wording.of("%,d %s", count, words(verdict)));
      }
    }
    return counts.toString();
  }

  private static long count(List<SavedRow> rows, Verdict verdict) {
    return rows.stream().filter(row -> row.verdict() == verdict).count();
  }

  private static Verdict worst(List<SavedRow> rows) {
    return rows.stream()
        .map(SavedRow::verdict)
        .min(Comparator.comparingInt(HtmlReport::rank))
        .orElse(Verdict.PASS);
  }

  private static int rank(Verdict verdict) {
    return ORDER.indexOf(verdict);
  }

  private static String name(Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT);
  }

  private static String words(Verdict verdict) {
    return switch (verdict) {
      case PASS -> "passed";
      case FAIL -> "failed";
      case SKIPPED -> "skipped";
      case DEVIATION -> "deviating";
    };
  }

  /** A sign that needs no colour, and a word. */
  private static String sign(Verdict verdict) {
    return switch (verdict) {
      case PASS -> "✓ passed";
      case FAIL -> "✗ failed";
      case SKIPPED -> "– skipped";
      case DEVIATION -> "≠ deviating";
    };
  }
}
