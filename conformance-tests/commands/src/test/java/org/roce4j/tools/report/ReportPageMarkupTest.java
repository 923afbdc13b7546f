package org.roce4j.tools.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
}
