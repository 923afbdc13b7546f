package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.roce4j.tools.console.Json;

/** The pages of {@code conformance --html} and {@code bench --html}, in a browser. */
class ReportPageTest extends BrowserTest {
  private static Path conformance;
  private static Path bench;

  @BeforeAll
  static void start() throws IOException {
    conformance = page("conformance", conformanceReport());
    bench = page("bench", benchReport());
  }

  private static Path page(String command, Map<String, ?> report) throws IOException {
    Path json = directory.resolve(command + ".json");
    Path html = directory.resolve(command + ".html");
    Files.writeString(json, Json.text(report));
    roce4j(command, "--from=" + json, "--html=" + html);
    return html;
  }

  private static Map<String, Object> conformanceReport() {
    List<Map<String, String>> rows = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      rows.add(row("TMO-CODE-" + i, "rc-transport 3.2", i == 7 ? "skipped" : "pass"));
    }
    rows.add(row("QPT-RC-RTR-RTS-MIN", "verbs-tables 1.3", "pass"));
    rows.add(row("QPT-RC-INIT-RTR-MIN", "verbs-tables 1.3", "fail"));
    rows.add(row("ACC-READ-MR_W-QP_R", "rc-transport 6.1, 0 R9", "deviation"));
    rows.add(row("MAN-FORK-INIT", "the manual of libibverbs", "pass"));
    return Map.of("backend", "fabric", "description", "two <devices>", "rows", rows);
  }

  private static Map<String, String> row(String id, String source, String verdict) {
    return Map.of(
        "id", id,
        "source", source,
        "title", "what " + id + " holds",
        "verdict", verdict,
        "reason", verdict.equals("pass") ? "" : "because <it> " + verdict);
  }

  private static Map<String, Object> benchReport() {
    List<Map<String, ?>> rows = new ArrayList<>();
    for (int bytes = 64; bytes <= 1 << 20; bytes *= 4) {
      rows.add(throughput("write_bw", bytes, bytes / 20_000.0));
      rows.add(throughput("send_bw", bytes, bytes / 30_000.0));
    }
    rows.add(
        Map.of(
            "section", "loss",
            "series", "1%",
            "x", 65536,
            "arguments", "write_bw --faults loss=1%",
            "failure", "the peer <died>"));
    return Map.of("transport", "linux", "rows", rows);
  }

  private static Map<String, ?> throughput(String series, int bytes, double gbps) {
    return Map.of(
        "section",
        "throughput",
        "series",
        series,
        "x",
        bytes,
        "arguments",
        series + " -s " + bytes,
        "result",
        Map.of(
            "bw_gbps", gbps, "msg_rate", 1e6, "allocated_bytes_per_packet", 0, "rcvbuf_errors", 3));
  }

  @Test
  void failuresStandFirstAndOpen() {
    tab.show(conformance, "");
    assertEquals("✗ 1 of 44 rows failed", tab.text("document.querySelector('.outcome').innerText"));
    assertEquals("QPT-RC-INIT-RTR-MIN", tab.text("document.querySelector('tr[id]').id"));
    assertEquals(
        "verbs-tables 1.3: true, rc-transport 6.1: false, rc-transport 3.2: false,"
            + " the manual of libibverbs: false",
        tab.text(
            "[...document.querySelectorAll('.group')].map((g) =>"
                + " `${g.querySelector('code').textContent}: ${g.open}`).join(', ')"));
    assertEquals("two <devices>", tab.text("document.querySelector('.about').textContent"));
  }

  @Test
  void rowsAreChosenByVerdictAndByWords() {
    tab.show(conformance, "");
    tab.click("[data-verdict=skipped]")
        .until("document.querySelector('#count').value === '1 of 44 rows'");
    assertEquals("TMO-CODE-7", tab.text(VISIBLE));
    tab.click("[data-verdict=skipped]").key("/").type("code-39 holds");
    tab.until("document.querySelector('#count').value === '1 of 44 rows'");
    assertEquals("TMO-CODE-39", tab.text(VISIBLE));
    tab.key("Escape").until("document.querySelector('#count').value === '44 rows'");
  }

  private static final String VISIBLE =
      "[...document.querySelectorAll('tr[id]')].filter((r) => r.checkVisibility())"
          + ".map((r) => r.id).join(' ')";

  @Test
  void anAddressLeadsToItsRow() {
    tab.show(conformance, "TMO-CODE-39");
    tab.until("document.querySelector('#TMO-CODE-39').checkVisibility()");
    assertTrue(
        (Boolean)
            tab.ask(
                "(() => { const b = document.querySelector('#TMO-CODE-39').getBoundingClientRect();"
                    + " return b.top > 0 && b.bottom < innerHeight; })()"));
  }

  @Test
  void aGroupShowsWhatItsSpecificationSays() {
    tab.show(conformance, "TMO-CODE-7");
    tab.ask(
        "document.querySelector('#TMO-CODE-7').closest('.group').querySelector('.cited').open ="
            + " true");
    String cited =
        tab.text(
            "document.querySelector('#TMO-CODE-7').closest('.group').querySelector('.cited').innerText");
    assertTrue(cited.contains("4.096"), cited);
  }

  @Test
  void aChartHasALineForEachTestAndTheTableItsNumbers() {
    tab.show(bench, "");
    assertEquals("✗ 1 of 17 rows failed", tab.text("document.querySelector('.outcome').innerText"));
    assertEquals(
        "bytes,write_bw,send_bw",
        tab.text("[...document.querySelectorAll('.u-legend th')].map((t) => t.innerText).join()"));
    assertEquals(8, tab.number("document.querySelector('.plot').plot.data[0].length"));
    assertEquals(2, tab.number("document.querySelectorAll('main table:not(.u-legend)').length"));
    assertTrue(
        tab.text("document.querySelector('.fail .sign').innerText").contains("the peer <died>"));
  }

  @Test
  void aPageFitsDarkAndNarrowWindows() throws IOException {
    for (Path page : List.of(conformance, bench)) {
      tab.look(360, 700, true).show(page, "");
      assertEquals(360, tab.number("document.documentElement.scrollWidth"));
      assertNotEquals(
          "rgb(255, 255, 255)", tab.text("getComputedStyle(document.body).backgroundColor"));
      tab.picture(PICTURES.resolve("report-dark-" + page.getFileName() + ".png"));
    }
  }
}
