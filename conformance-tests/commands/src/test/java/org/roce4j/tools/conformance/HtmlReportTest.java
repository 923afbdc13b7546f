package org.roce4j.tools.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Verdict;
import org.roce4j.tools.conformance.SavedReport.SavedRow;

/** The order and the text of the page of a report; how it behaves in a browser is told apart. */
class HtmlReportTest {
  private static final Pattern GROUP =
      Pattern.compile(
          "<details class=\"group (\\w+)\"( open)?>.*?<code>(.*?)</code> <span"
              + " class=\"counts\">(.*?)</span>");
  private static final Pattern ROW = Pattern.compile("<tr id=\"(.*?)\" class=\"(\\w+)\">");
  private static final Pattern BUTTON =
      Pattern.compile("data-verdict=\"(\\w+)\".*?<b>(\\d+)</b></button>");

  private final Map<String, SavedRow> rows = new LinkedHashMap<>();

  private void row(String id, String source, Verdict verdict) {
    rows.put(id, new SavedRow(id, source, "what " + id + " says", verdict, "why " + id));
  }

  private String page() {
    return HtmlReport.text(new SavedReport("odd", "an <odd> device", rows));
  }

  private static List<String> found(Pattern pattern, String page) {
    return pattern.matcher(page).results().map(HtmlReportTest::groups).toList();
  }

  private static String groups(MatchResult match) {
    StringBuilder all = new StringBuilder();
    for (int i = 1; i <= match.groupCount(); i++) {
      all.append(match.group(i) == null ? "" : match.group(i)).append(';');
    }
    return all.toString();
  }

  /** Rows that cite one section are one group; only a group with a failure is open. */
  @Test
  void theWorstGroupAndTheWorstRowOfItStandFirst() {
    row("A-1", "verbs-tables 1.3", Verdict.PASS);
    row("B-1", "rc-transport 3.2", Verdict.PASS);
    row("B-2", "rc-transport 3.2 R1", Verdict.SKIPPED);
    row("C-1", "the manual", Verdict.DEVIATION);
    row("D-1", "another book", Verdict.PASS);
    row("D-2", "another book", Verdict.DEVIATION);
    row("D-3", "another book", Verdict.FAIL);
    row("D-4", "another book", Verdict.SKIPPED);
    String page = page();
    assertEquals(
        List.of(
            "fail; open;another book;1 failed, 1 deviating, 1 skipped, 1 passed;",
            "deviation;;the manual;1 deviating;",
            "skipped;;rc-transport 3.2;1 skipped, 1 passed;",
            "pass;;verbs-tables 1.3;1 passed;"),
        found(GROUP, page));
    assertEquals(
        List.of(
            "D-3;fail;",
            "D-2;deviation;",
            "D-4;skipped;",
            "D-1;pass;",
            "C-1;deviation;",
            "B-2;skipped;",
            "B-1;pass;",
            "A-1;pass;"),
        found(ROW, page));
    assertEquals(List.of("fail;1;", "deviation;2;", "skipped;2;", "pass;3;"), found(BUTTON, page));
    assertTrue(page.contains("<p class=\"outcome fail\">✗ 1 of 8 rows failed</p>"), page);
  }

  @Test
  void aReportWithoutFailuresSaysSo() {
    row("A-1", "verbs-tables 1.3", Verdict.PASS);
    row("A-2", "verbs-tables 1.3", Verdict.SKIPPED);
    assertTrue(page().contains("<p class=\"outcome pass\">✓ none of 2 rows failed</p>"));
  }

  @Test
  void onlyAGroupOfTheSpecificationCitesIt() {
    row("A-1", "the manual", Verdict.PASS);
    assertTrue(page().contains("Outside the tables"));
    assertFalse(page().contains("What the specification says"));
    rows.clear();
    row("A-1", "verbs-tables 1.3", Verdict.PASS);
    assertFalse(page().contains("Outside the tables"));
    assertTrue(page().contains("What the specification says"));
    assertTrue(page().contains("<th>"), "its table");
  }

  @Test
  void aRowTellsAllThatIsKnownAndNoneOfItIsMarkup() {
    rows.put("<1>", new SavedRow("<1>", "<book>", "<title>", Verdict.FAIL, "<reason>"));
    String page = page();
    for (String part : List.of("1", "book", "title", "reason")) {
      assertTrue(page.contains("&lt;%s&gt;</".formatted(part)), part);
      assertEquals(part.equals("title"), page.contains("<" + part + ">"), part);
    }
    assertTrue(page.contains(">an &lt;odd&gt; device</p>"));
    assertTrue(page.contains("<h1>Conformance of odd</h1>"));
    assertTrue(page.contains("<td class=\"sign\">✗ failed</td>"));
  }
}
