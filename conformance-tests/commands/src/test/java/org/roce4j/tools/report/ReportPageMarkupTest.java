package org.roce4j.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportPageMarkupTest {
  private static final String HOSTILE = "</script><img src=x onerror=alert(1)>";

  /** Names and texts of a report come from files, so markup in them is shown as text. */
  @Test
  void whatAReportHoldsIsNoMarkup() {
    String page =
        new ReportPage(HOSTILE)
            .add("p class=\"a\"", HOSTILE)
            .data("report", Map.of("row", HOSTILE, HOSTILE, 1))
            .text();
    assertEquals(-1, page.indexOf("<img"), page);
    assertEquals(2, page.split("</script>", -1).length, "the page's own");
  }

  /** In the order in which they were added, the style of all reports first. */
  @Test
  void aPageCarriesEachPartOnce() throws IOException {
    String page =
        new ReportPage("a title")
            .add("<main>")
            .data("ONE", List.of(1, 2))
            .script(ReportPage.class, "rows.js")
            .data("TWO", 2)
            .add("p class=\"a\"", "words")
            .add("</main>")
            .text();
    assertEquals(1, page.split("<title>a title</title>", -1).length - 1);
    assertTrue(page.contains("<style>\n" + part("report.css") + "\n</style>"), page);
    assertTrue(page.contains("<body>\n<main><p class=\"a\">words</p>\n</main>\n"), page);
    String scripts = "const ONE = [1,2];\n" + part("rows.js") + "\nconst TWO = 2;";
    assertTrue(page.contains("<script>\n" + scripts + "\n</script>"), page);
  }

  private static String part(String name) throws IOException {
    try (InputStream in = ReportPage.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aPartThatIsMissingIsNamed() {
    ReportPage page = new ReportPage("a title");
    IllegalStateException missing =
        assertThrows(
            IllegalStateException.class, () -> page.script(ReportPage.class, "nowhere.js"));
    assertTrue(missing.getMessage().contains("nowhere.js"), missing::getMessage);
  }
}
