package org.roce4j.benchmarks.table;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.roce4j.benchmarks.table.BenchRow.Section;
import org.roce4j.tools.console.Json;

class BenchReportTest {
  private static final BenchReport REPORT =
      new BenchReport(
          Map.of("transport", "linux"),
          List.of(
              BenchRow.of(Section.THROUGHPUT, "write_bw", 64, "write_bw -s 64")
                  .with(
                      Map.of("bw_gbps", 1.5, "msg_rate", 3e6, "allocated_bytes_per_packet", 0), 7),
              BenchRow.of(Section.THROUGHPUT, "write_bw", 4096, "write_bw -s 4096")
                  .with(Map.of("bw_gbps", 40.0, "msg_rate", 1.2e6), -1),
              BenchRow.of(Section.LATENCY, "polling", 2, "send_lat -s 2")
                  .with(Map.of("lat_us", Map.of("p50", 3.7, "p99", 5.0)), 0),
              BenchRow.of(Section.LIMIT, "write_bw", 65_536, "write_bw --limit")
                  .with(
                      Map.of(
                          "limit",
                          Map.of("twins", Map.of("work", Map.of("ratio", 0.7, "low", 0.6)))),
                      0),
              BenchRow.of(Section.LOSS, "1%", 65_536, "write_bw").failed("the peer <died>")));

  @Test
  void theTextTellsFigureAndUnit() {
    assertEquals(
        List.of("1.50 Gb/s", "3.00 Mmsg/s", "0.0 B/packet", "7"), REPORT.rows().get(0).cells());
    assertEquals("", REPORT.rows().get(1).cells().getLast());
    assertEquals("3.70 us", REPORT.rows().get(2).cells().getFirst());
    assertEquals("0.70", REPORT.rows().get(3).cells().getFirst());
    assertEquals(List.of("the peer <died>"), REPORT.rows().get(4).cells());
  }

  @Test
  void whatIsLeftOutHasNotFailed() {
    BenchRow row = REPORT.rows().getLast();
    assertTrue(row.hasFailed());
    assertFalse(row.notRun().hasFailed());
    assertEquals(List.of("left out: two minutes are over"), row.notRun().cells());
  }

  @Test
  void theKernelsCountOfDropsIsReadByItsName() throws IOException {
    List<String> snmp =
        List.of("Tcp: A B", "Tcp: 1 2", "Udp: InDatagrams RcvbufErrors Other", "Udp: 5 42 6");
    assertEquals(42, SocketDrops.ofIpv4(snmp));
    assertThrows(IOException.class, () -> SocketDrops.ofIpv4(snmp.subList(0, 2)));
  }

  @Test
  void jsonHasARowForEach() {
    String json = Json.text(REPORT.json());
    assertTrue(
        json.startsWith("{\"transport\":\"linux\",\"rows\":[{\"section\":\"throughput\""), json);
    assertTrue(
        json.contains("\"figure\":1.500,\"unit\":\"Gb/s\",\"failure\":null,\"left_out\":false"),
        json);
    assertTrue(
        json.contains("\"failure\":\"the peer <died>\",\"left_out\":false,\"result\":null"), json);
  }

  @Test
  void markdownStandsBetweenItsMarks() {
    String text = REPORT.markdown();
    assertTrue(text.startsWith(BenchReport.BEGIN) && text.endsWith(BenchReport.END), text);
    assertTrue(text.contains("| write_bw | 4 Ki | 40.00 Gb/s | 1.20 Mmsg/s | "), text);
  }

  @Test
  void thePageNamesFailuresFirstAndHasHeadings() {
    String html = BenchPage.text(REPORT);
    assertTrue(html.contains("<li>write_bw: the peer &lt;died&gt;</li>"), html);
    assertTrue(html.indexOf("✗ 1 of 5 rows failed") < html.indexOf("<main>"), html);
    assertTrue(html.contains("<th class=\"number\">socket drops</th>"), html);
  }

  @Test
  void jsonIsReadAsItWasWritten() {
    BenchReport read = BenchReport.read(Json.text(REPORT.json()));
    assertEquals(REPORT.markdown(), read.markdown());
    assertEquals(BenchPage.text(REPORT), BenchPage.text(read));
    assertThrows(IllegalArgumentException.class, () -> BenchReport.read("[1]"));
  }

  @Test
  void theTableHasEveryPart() {
    for (Section section : Section.values()) {
      assertTrue(BenchTable.rows(false).stream().anyMatch(row -> row.section() == section));
    }
    assertTrue(BenchTable.rows(true).size() <= 30);
  }
}
