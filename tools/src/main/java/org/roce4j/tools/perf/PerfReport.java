package org.roce4j.tools.perf;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.roce4j.tools.perf.exchange.BandwidthReport;
import org.roce4j.tools.perf.exchange.QueuePairKey;
import org.roce4j.tools.perf.traffic.Measurement;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.tools.perf.traffic.PerfSide;
import org.roce4j.verbs.text.Wording;

/**
 * The result of a run, as text in perftest's columns and as JSON.
 *
 * @param plan what was done
 * @param role client or server
 * @param device name of the device
 * @param transport the port that carried the packets
 * @param figures of this side, or of the client where the server measures nothing
 * @param measured of this side
 * @param verifiedBytes the number of correct bytes, 0 unless the run verified
 * @param counters of the device, those that are not zero
 * @param limit the comparison, or null
 * @param interrupted whether Ctrl-C has ended it early
 */
public record PerfReport(
    PerfPlan plan,
    String role,
    String device,
    String transport,
    Figures figures,
    Measurement measured,
    long verifiedBytes,
    Map<String, Long> counters,
    Comparison limit,
    boolean interrupted) {
  private static final String LINE = "-".repeat(87);
  private static final double MIB = 1 << 20;

  /**
   * The figures.
   *
   * @param messages that were sent, or received
   * @param missing messages that did not arrive, known to a receiver only
   * @param gbps payload in one direction, 10^9 bits a second
   * @param messageRate messages a second
   * @param peakGbps of the fastest 64th of the run, 0 if not known
   * @param seconds the time measured
   * @param allocatedPerPacket bytes that the thread of the data path allocated, per data packet
   */
  record Figures(
      long messages,
      long missing,
      double gbps,
      double messageRate,
      double peakGbps,
      double seconds,
      double allocatedPerPacket) {

    static Figures of(PerfPlan plan, Measurement measured, long missing) {
      double bits = 8.0 * plan.size();
      return new Figures(
          measured.messages(),
          missing,
          measured.rate() * bits / 1e9,
          measured.rate(),
          measured.peakRate() * bits / 1e9,
          measured.elapsedNs() / 1e9,
          (double) measured.allocated() / Math.max(1, measured.messages() * plan.packets()));
    }

    static Figures of(BandwidthReport peer) {
      double rate = peer.messageRate() * 1e6;
      return new Figures(
          peer.iterations(),
          0,
          peer.average() * MIB * 8 / 1e9,
          rate,
          peer.peak() * MIB * 8 / 1e9,
          rate == 0 ? 0 : peer.iterations() / rate,
          0);
    }
  }

  /** The report for the peer. */
  BandwidthReport forPeer() {
    return new BandwidthReport(
        plan.size(),
        figures.messages(),
        figures.peakGbps() * 1e9 / 8 / MIB,
        figures.gbps() * 1e9 / 8 / MIB,
        figures.messageRate() / 1e6);
  }

  /** This report with the figures that the client measured. */
  PerfReport measuredBy(BandwidthReport peer) {
    return new PerfReport(
        plan,
        role,
        device,
        transport,
        Figures.of(peer),
        measured,
        verifiedBytes,
        counters,
        limit,
        interrupted);
  }

  /** This report with the number of bytes that the other side verified. */
  PerfReport verifiedThere(long bytes) {
    return new PerfReport(
        plan,
        role,
        device,
        transport,
        figures,
        measured,
        verifiedBytes + bytes,
        counters,
        limit,
        interrupted);
  }

  /** This report with a comparison. */
  PerfReport beside(Comparison outcome) {
    return new PerfReport(
        plan,
        role,
        device,
        transport,
        figures,
        measured,
        verifiedBytes,
        counters,
        outcome,
        interrupted);
  }

  /** False for a comparison that shows nothing. */
  boolean credible() {
    return limit == null || limit.credible();
  }

  /** The lines before the test. */
  static List<String> introduction(PerfPlan plan, PerfSide side, String device) {
    List<String> lines = new ArrayList<>();
    lines.add(LINE);
    lines.add(
        Wording.of(
            "  %s %s test, %s, %d queue pair%s, device %s",
            plan.verb().title(),
            plan.test().latency() ? "latency" : "BW",
            plan.service(),
            plan.queuePairs(),
            plan.queuePairs() == 1 ? "" : "s",
            device));
    lines.add(
        Wording.of(
            "  path MTU %d, TX depth %d, post list %d, CQ moderation %d, inline %d, %s%s",
            plan.mtu().bytes(),
            plan.txDepth(),
            plan.postList(),
            plan.signalEvery(),
            plan.inline(),
            plan.events() ? "events" : "polling",
            plan.verify() ? ", every byte verified" : ""));
    lines.add(address("local ", side.addresses().getFirst()));
    lines.add(address("remote", side.peerAddresses().getFirst()));
    lines.add(LINE);
    return lines;
  }

  private static String address(String whose, QueuePairKey key) {
    return Wording.of(
        "  %s address: QPN 0x%06x PSN 0x%06x RKey 0x%08x VAddr 0x%016x GID %s",
        whose, key.qpn(), key.psn(), key.rkey(), key.address(), key.gid().addressText());
  }

  /**
   * The results.
   *
   * @param gigabits in Gb/s instead of 2^20 bytes a second
   */
  List<String> text(boolean gigabits) {
    List<String> lines = new ArrayList<>();
    lines.addAll(plan.test().latency() ? latencyText() : bandwidthText(gigabits));
    lines.add(LINE);
    if (interrupted) {
      lines.add("  interrupted; the figures are of what was done by then");
    }
    if (figures.missing() > 0 && plan.lossy()) {
      lines.add(
          "  "
              + figures.missing()
              + " messages did not arrive: "
              + plan.service()
              + " does not repeat what is lost");
    }
    if (plan.verify()) {
      lines.add("  " + verifiedBytes + " bytes verified");
    }
    if (limit != null) {
      lines.addAll(limit.text());
    }
    return lines;
  }

  private List<String> bandwidthText(boolean gigabits) {
    String unit = gigabits ? "Gb/sec" : "MB/sec";
    double factor = gigabits ? 1 : 1e9 / 8 / MIB;
    return List.of(
        " #bytes     #iterations    BW peak["
            + unit
            + "]    BW average["
            + unit
            + "]   MsgRate[Mpps]",
        Wording.of(
            " %-7d    %-10d       %-7.2f            %-7.2f            %-7.6f",
            plan.size(),
            figures.messages(),
            figures.peakGbps() * factor,
            figures.gbps() * factor,
            figures.messageRate() / 1e6));
  }

  private List<String> latencyText() {
    Histogram h = measured.latencies();
    return List.of(
        " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]"
            + "    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec]",
        Wording.of(
            " %-7d %-10d     %-7.2f        %-7.2f      %-7.2f            %-7.2f        %-7.2f"
                + "         %-7.2f                %-7.2f",
            plan.size(),
            figures.messages(),
            us(h.getMinValue()),
            us(h.getMaxValue()),
            us(h.getValueAtPercentile(50)),
            us(h.getMean()),
            us(h.getStdDeviation()),
            us(h.getValueAtPercentile(99)),
            us(h.getValueAtPercentile(99.9))));
  }

  private static double us(double ns) {
    return ns / 1e3;
  }

  /** The JSON object. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("test", plan.test().toString());
    json.put("role", role);
    json.put("service", plan.service().toString());
    json.put("device", device);
    json.put("transport", transport);
    json.put("size", plan.size());
    json.put("iterations", figures.messages());
    json.put("qps", plan.queuePairs());
    json.put("mtu", plan.mtu().bytes());
    json.put("tx_depth", plan.txDepth());
    json.put("rx_depth", plan.rxDepth());
    json.put("post_list", plan.postList());
    json.put("inline", plan.inline());
    json.put("cq_mod", plan.signalEvery());
    json.put("events", plan.events());
    json.put("seconds", BigDecimal.valueOf(figures.seconds()).setScale(9, RoundingMode.HALF_UP));
    json.put("bw_gbps", figures.gbps());
    json.put("bw_peak_gbps", figures.peakGbps());
    json.put("msg_rate", figures.messageRate());
    json.put("lat_us", measured.latencies().getTotalCount() == 0 ? null : latencyJson());
    json.put("allocated_bytes_per_packet", figures.allocatedPerPacket());
    json.put("missing", figures.missing());
    json.put("verified_bytes", verifiedBytes);
    json.put("interrupted", interrupted);
    json.put("counters", counters);
    if (limit != null) {
      json.put("limit", limit.json());
    }
    return json;
  }

  private Map<String, Object> latencyJson() {
    Histogram h = measured.latencies();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("min", us(h.getMinValue()));
    json.put("p50", us(h.getValueAtPercentile(50)));
    json.put("p90", us(h.getValueAtPercentile(90)));
    json.put("p99", us(h.getValueAtPercentile(99)));
    json.put("p99_9", us(h.getValueAtPercentile(99.9)));
    json.put("max", us(h.getMaxValue()));
    json.put("mean", us(h.getMean()));
    json.put("stddev", us(h.getStdDeviation()));
    return json;
  }
}
