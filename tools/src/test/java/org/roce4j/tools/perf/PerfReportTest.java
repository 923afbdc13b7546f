package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.roce4j.tools.perf.exchange.BandwidthReport;
import org.roce4j.tools.perf.traffic.Measurement;

/** Each figure of one side reaches the report of the other side unchanged. */
class PerfReportTest {
  private static final double GBIT_OF_A_MIB = 8.0 * (1 << 20) / 1e9;

  private static PerfReport report(PerfReport.Figures figures, long verified) {
    return new PerfReport(
        PerfCommand.parse(List.of("send_bw", "-s", "64")).plan(),
        "client",
        "roce0",
        "fabric",
        figures,
        new Measurement(),
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
}
