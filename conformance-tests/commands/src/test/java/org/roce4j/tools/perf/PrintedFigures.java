package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.tools.perf.traffic.Verb;

/** How the figures of a report follow from each other, and from the plan. */
final class PrintedFigures {
  private static final double MIB = 1 << 20;

  /** The histogram keeps three digits. */
  private static final double ROUNDED = 1.001;

  private PrintedFigures() {}

  /** The figures of a run that ended as planned, without loss. */
  static void check(PerfReport report) {
    PerfReport.Figures figures = report.figures();
    PerfPlan plan = report.plan();
    double bits = 8.0 * plan.size();
    assertTrue(figures.messages() > 0, report::toString);
    if (plan.durationNs() == 0) {
      assertEquals(plan.iterations() * plan.queuePairs(), figures.messages());
    }
    assertAlike(figures.messages() / figures.seconds(), figures.messageRate());
    assertAlike(figures.messageRate() * bits / 1e9, figures.gbps());
    assertAlike(report.measured().peakRate() * bits / 1e9, figures.peakGbps());
    checkJson(report);
    checkText(report, false, 1e9 / 8 / MIB);
    checkText(report, true, 1);
  }

  private static void checkJson(PerfReport report) {
    Map<?, ?> json = (Map<?, ?>) Json.read(Json.text(report.json()));
    settings(report)
        .forEach((key, value) -> assertEquals(text(value), text(json.remove(key)), key));
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("seconds", report.figures().seconds());
    figures.put("bw_gbps", report.figures().gbps());
    figures.put("bw_peak_gbps", report.figures().peakGbps());
    figures.put("msg_rate", report.figures().messageRate());
    figures.put("allocated_bytes_per_packet", report.figures().allocatedPerPacket());
    figures.forEach((key, value) -> assertNumber(value, json.remove(key), key));
    Object latencies = json.remove("lat_us");
    if (report.measured().latencies().getTotalCount() == 0) {
      assertNull(latencies);
    } else {
      Map<String, Double> us = microseconds(report.measured().latencies());
      Map<?, ?> told = (Map<?, ?>) latencies;
      assertEquals(us.keySet(), told.keySet());
      us.forEach((key, value) -> assertNumber(value, told.get(key), key));
    }
    assertEquals(report.counters().toString(), text(json.remove("counters")));
    assertEquals(Map.of(), json, "members that nothing is known of");
  }

  private static Map<String, Object> settings(PerfReport report) {
    PerfPlan plan = report.plan();
    Map<String, Object> settings = new LinkedHashMap<>();
    settings.put("test", plan.test());
    settings.put("role", report.role());
    settings.put("service", plan.service());
    settings.put("device", report.device());
    settings.put("transport", report.transport());
    settings.put("size", plan.size());
    settings.put("iterations", report.figures().messages());
    settings.put("qps", plan.queuePairs());
    settings.put("mtu", plan.mtu().bytes());
    settings.put("tx_depth", plan.txDepth());
    settings.put("rx_depth", plan.rxDepth());
    settings.put("post_list", plan.postList());
    settings.put("inline", plan.inline());
    settings.put("cq_mod", plan.signalEvery());
    settings.put("events", plan.events());
    settings.put("missing", report.figures().missing());
    settings.put("verified_bytes", report.verifiedBytes());
    settings.put("interrupted", report.interrupted());
    return settings;
  }

  private static Map<String, Double> microseconds(Histogram h) {
    Map<String, Double> us = new LinkedHashMap<>();
    us.put("min", h.getMinValue() / 1e3);
    us.put("p50", h.getValueAtPercentile(50) / 1e3);
    us.put("p90", h.getValueAtPercentile(90) / 1e3);
    us.put("p99", h.getValueAtPercentile(99) / 1e3);
    us.put("p99_9", h.getValueAtPercentile(99.9) / 1e3);
    us.put("max", h.getMaxValue() / 1e3);
    us.put("mean", h.getMean() / 1e3);
    us.put("stddev", h.getStdDeviation() / 1e3);
    return us;
  }

  /** JSON has three decimals. */
  private static void assertNumber(double wanted, Object found, String key) {
    assertEquals(wanted, ((Number) found).doubleValue(), 6e-4, key);
  }

  private static String text(Object value) {
    return String.valueOf(value);
  }

  private static void checkText(PerfReport report, boolean gigabits, double factor) {
    List<String> lines = report.text(gigabits);
    String[] cells = lines.get(1).strip().split(" +");
    PerfReport.Figures figures = report.figures();
    Histogram h = report.measured().latencies();
    double[] wanted =
        report.plan().test().latency()
            ? new double[] {
              report.plan().size(),
              figures.messages(),
              h.getMinValue() / 1e3,
              h.getMaxValue() / 1e3,
              h.getValueAtPercentile(50) / 1e3,
              h.getMean() / 1e3,
              h.getStdDeviation() / 1e3,
              h.getValueAtPercentile(99) / 1e3,
              h.getValueAtPercentile(99.9) / 1e3
            }
            : new double[] {
              report.plan().size(),
              figures.messages(),
              figures.peakGbps() * factor,
              figures.gbps() * factor,
              figures.messageRate() / 1e6
            };
    assertEquals(wanted.length, cells.length, lines.get(1));
    for (int i = 0; i < wanted.length; i++) {
      int point = cells[i].indexOf('.');
      double unit = point < 0 ? 1 : Math.pow(10, point + 1 - cells[i].length());
      assertEquals(wanted[i], Double.parseDouble(cells[i]), 0.51 * unit, "cell " + i);
    }
    boolean inGigabits = lines.getFirst().contains("Gb/sec");
    assertEquals(gigabits && !report.plan().test().latency(), inGigabits);
    assertEquals(
        report.plan().verify(),
        lines.contains("  " + report.verifiedBytes() + " bytes verified"),
        () -> String.join("\n", lines));
  }

  /**
   * The latencies of the side that measures them: each request that completes has one, and their
   * sum is bounded by the time of the run.
   *
   * @param exactly whether the run was alone in its time, as on the virtual network
   */
  static void checkLatencies(PerfReport report, boolean exactly) {
    PerfPlan plan = report.plan();
    Histogram h = report.measured().latencies();
    double elapsedNs = report.measured().elapsedNs();
    double sumNs = h.getMean() * h.getTotalCount();
    long messages = report.measured().messages();
    if (plan.test().latency()) {
      boolean halves = plan.verb() == Verb.SEND || plan.verb() == Verb.WRITE;
      assertEquals(halves ? messages - 1 : messages, h.getTotalCount());
      double busyNs = halves ? 2 * sumNs : sumNs;
      assertTrue(busyNs <= elapsedNs * ROUNDED, busyNs + " of " + elapsedNs + " ns");
      if (exactly) {
        assertTrue(busyNs >= 0.9 * elapsedNs, busyNs + " of " + elapsedNs + " ns");
      }
      return;
    }
    int every = plan.signalEvery();
    if (plan.durationNs() == 0) {
      assertEquals(
          plan.queuePairs() * ((plan.iterations() + every - 1) / every), h.getTotalCount());
    }
    double mostNs = elapsedNs * plan.queuePairs() * ((plan.txDepth() + every - 1) / every);
    assertTrue(sumNs <= mostNs * ROUNDED, sumNs + " of " + mostNs + " ns");
  }

  private static void assertAlike(double wanted, double found) {
    assertEquals(wanted, found, Math.abs(wanted) * 1e-6);
  }
}
