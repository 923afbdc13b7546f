package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.tools.perf.exchange.BandwidthReport;
import org.roce4j.tools.perf.traffic.Measurement;

/** Each figure of one side reaches the report of the other side unchanged. */
class PerfReportTest {
  private static final double GBIT_OF_A_MIB = 8.0 * (1 << 20) / 1e9;

  private static PerfReport report(PerfReport.Figures figures, long verified) {
    return report("send_bw", figures, new Measurement(), verified);
  }

  private static PerfReport report(
      String test, PerfReport.Figures figures, Measurement measured, long verified) {
    return new PerfReport(
        PerfCommand.parse(List.of(test, "-s", "64", "-m", "1024")).plan(),
        "client",
        "roce0",
        "fabric",
        figures,
        measured,
        verified,
        Map.of(),
        null,
        false);
  }

  @Test
  void whatThePeerMeasuredIsWhatItSaid() {
    PerfReport own =
        report(new PerfReport.Figures(1000, 0, 3 * GBIT_OF_A_MIB, 2e6, 5 * GBIT_OF_A_MIB, 1, 0), 7);
    BandwidthReport said = own.forPeer();
    assertEquals(64, said.size());
    assertEquals(1000, said.iterations());
    assertEquals(5, said.peak(), 1e-9);
    assertEquals(3, said.average(), 1e-9);
    assertEquals(2, said.messageRate(), 1e-9);
    PerfReport.Figures heard = report(null, 0).measuredBy(said).figures();
    assertEquals(1000, heard.messages());
    assertEquals(3 * GBIT_OF_A_MIB, heard.gbps(), 1e-9);
    assertEquals(5 * GBIT_OF_A_MIB, heard.peakGbps(), 1e-9);
    assertEquals(2e6, heard.messageRate(), 1e-3);
    assertEquals(1000 / 2e6, heard.seconds(), 1e-9);
  }

  @Test
  void whatBothSidesVerifiedIsAdded() {
    assertEquals(12, report(null, 7).verifiedThere(5).verifiedBytes());
  }

  /** With the latencies 1 us to 10,000 us, once each, all figures differ. */
  @Test
  void eachFigureOfLatencyStandsUnderItsName() {
    Measurement measured = new Measurement();
    for (int us = 1; us <= 10_000; us++) {
      measured.latencies().recordValue(us * 1000L);
    }
    PerfReport report =
        report("send_lat", new PerfReport.Figures(4711, 0, 1, 2, 3, 4, 0), measured, 0);
    double[] columns = {64, 4711, 1, 10_000, 5000, 5000.5, 2886.75, 9900, 9990};
    List<String> lines = report.text(false);
    int head = 0;
    while (!lines.get(head).contains("t_min[usec]")) {
      head++;
    }
    String[] words = lines.get(head + 1).strip().split(" +");
    assertEquals(columns.length, words.length);
    for (int i = 0; i < columns.length; i++) {
      assertEquals(columns[i], Double.parseDouble(words[i]), columns[i] / 500, "column " + i);
    }
    Map<String, Double> named =
        Map.of(
            "min", 1.0, "p50", 5000.0, "p90", 9000.0, "p99", 9900.0, "p99_9", 9990.0, "max", 10e3,
            "mean", 5000.5, "stddev", 2886.75);
    Map<?, ?> json = (Map<?, ?>) report.json().get("lat_us");
    assertEquals(named.keySet(), json.keySet());
    named.forEach((name, us) -> assertEquals(us, (double) json.get(name), us / 500, name));
  }

  /** One processor for each side is enough only where the thread that polls also sends. */
  @ParameterizedTest
  @CsvSource({"linux, true", "netty, false"})
  void theThreadThatPollsDrivesThePortOfLinuxAlone(String transport, boolean drives) {
    List<String> words = List.of("send_bw", "--transport", transport);
    assertEquals(drives, PerfDevice.drivenByPoller(PerfCommand.parse(words)));
  }
}
