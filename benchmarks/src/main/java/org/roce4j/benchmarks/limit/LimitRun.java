package org.roce4j.benchmarks.limit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.perf.Comparison;
import org.roce4j.tools.perf.Session;
import org.roce4j.tools.perf.WarmUp;
import org.roce4j.tools.perf.traffic.Measurement;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.verbs.Gid;

/**
 * Plays a session and its twins in turn, every second time in the opposite order. Both sides follow
 * the same timetable and meet after each run.
 */
final class LimitRun implements AutoCloseable {
  private static final long TWIN_WARM_UP_NS = 1_000_000_000L;
  private static final double MOST_LOST = 0.02;
  private static final String WORD = "word that a run is over";

  private final int pairs;
  private final WarmUp warmUp;
  private final Session session;
  private final boolean client;
  private final PerfPlan plan;
  private final long runNs;
  private final Map<TwinKind, Twin> twins = new EnumMap<>(TwinKind.class);

  /**
   * Binds the twins' sockets.
   *
   * @param pairs interleaved runs of the device and of each twin
   */
  LimitRun(Session session, boolean client, WarmUp warmUp, int pairs, int port, Path page) {
    this.pairs = pairs;
    this.warmUp = warmUp;
    this.session = session;
    this.client = client;
    this.plan = session.plan();
    this.runNs = plan.durationNs();
    Gid own = session.side().gid();
    Gid peer = session.side().peerAddresses().getFirst().gid();
    int payload = Math.min(plan.size(), plan.mtu().bytes());
    boolean complete = false;
    try {
      for (TwinKind kind : kinds(plan)) {
        int ownPort = port + kind.ordinal();
        twins.put(kind, new Twin(kind, page, own, peer, ownPort, payload, plan.events()));
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /** The twins of a test. */
  static List<TwinKind> kinds(PerfPlan plan) {
    if (plan.test().latency()) {
      if (plan.size() > plan.mtu().bytes()) {
        throw ToolFailure.atRunTime(
            "--limit compares a latency with single datagrams: choose -s up to the path MTU, "
                + plan.mtu().bytes());
      }
      return List.of(TwinKind.PING_PONG);
    }
    return plan.size() <= plan.mtu().bytes()
        ? List.of(TwinKind.WORK, TwinKind.TRAINS, TwinKind.SINGLES)
        : List.of(TwinKind.WORK, TwinKind.TRAINS);
  }

  /**
   * The result.
   *
   * @param measurement measurement of the device's last run
   * @param device its median, Gb/s or microseconds
   * @param runs runs of the device
   * @param lost greatest share of packets that a twin has lost
   */
  record Outcome(
      PerfPlan plan,
      Measurement measurement,
      double device,
      List<Double> runs,
      Map<TwinKind, Ratios> ratios,
      Map<TwinKind, Double> twins,
      double lost)
      implements Comparison {

    /** Whether the twins show the limit of the machine, which they do not if they lose packets. */
    @Override
    public boolean credible() {
      return lost <= MOST_LOST;
    }

    private String unit() {
      return plan.test().latency() ? "us" : "gbps";
    }

    @Override
    public Map<String, Object> json() {
      Map<String, Object> limits = new LinkedHashMap<>();
      ratios.forEach(
          (kind, r) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("ratio", r.median());
            row.put("low", r.low());
            row.put("high", r.high());
            row.put("min", r.least());
            row.put("max", r.most());
            row.put("device_" + unit(), device);
            row.put("twin_" + unit(), twins.get(kind));
            limits.put(kind.name().toLowerCase(Locale.ROOT), row);
          });
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("pairs", runs.size());
      json.put("seconds", plan.durationNs() / 1e9);
      json.put("twins", limits);
      json.put("lost_by_twins", lost);
      json.put("credible", credible());
      return json;
    }

    @Override
    public List<String> text() {
      List<String> lines = new ArrayList<>();
      lines.add(
          String.format(
              Locale.ROOT,
              "  beside plain UDP, %d pairs of %.1f s; %s is better",
              runs.size(),
              plan.durationNs() / 1e9,
              plan.test().latency() ? "less" : "more"));
      lines.add(
          "  twin                       ratio   95 % of the median   min..max      device / twin");
      ratios.forEach(
          (kind, r) ->
              lines.add(
                  String.format(
                      Locale.ROOT,
                      "  %-25s  %5.2f   %5.2f..%-5.2f         %5.2f..%-5.2f  %.2f / %.2f %s",
                      kind.title(),
                      r.median(),
                      r.low(),
                      r.high(),
                      r.least(),
                      r.most(),
                      device,
                      twins.get(kind),
                      plan.test().latency() ? "us" : "Gb/s")));
      if (!credible()) {
        lines.add(
            String.format(
                Locale.ROOT,
                "  these ratios mean nothing: plain UDP lost %.1f %% of its packets; other load?",
                100 * lost));
      }
      return lines;
    }
  }

  /** Plays the timetable. */
  Outcome play() {
    session.warmUp(warmUp);
    twins.keySet().forEach(kind -> twin(kind, Math.min(warmUp.mostNs(), TWIN_WARM_UP_NS)));
    session.warmUp(warmUp); // once more: twins and device share methods
    List<Double> device = new ArrayList<>();
    Map<TwinKind, List<Double>> twin = new EnumMap<>(TwinKind.class);
    twins.keySet().forEach(kind -> twin.put(kind, new ArrayList<>()));
    for (int i = 0; i < pairs; i++) {
      List<TwinKind> order = new ArrayList<>(twins.keySet());
      if (i % 2 == 0) {
        device.add(device(runNs));
      } else {
        Collections.reverse(order);
      }
      for (TwinKind kind : order) {
        twin.get(kind).add(twin(kind, runNs));
      }
      if (i % 2 != 0) {
        device.add(device(runNs));
      }
    }
    Map<TwinKind, Ratios> ratios = new EnumMap<>(TwinKind.class);
    Map<TwinKind, Double> medians = new EnumMap<>(TwinKind.class);
    twin.forEach(
        (kind, runs) -> {
          double[] each = new double[runs.size()];
          for (int i = 0; i < each.length; i++) {
            each[i] = runs.get(i) == 0 ? 0 : device.get(i) / runs.get(i);
          }
          ratios.put(kind, Ratios.of(each));
          medians.put(kind, Ratios.median(array(runs)));
        });
    return new Outcome(
        plan,
        session.player().measurement(),
        Ratios.median(array(device)),
        device,
        ratios,
        medians,
        twins.values().stream().mapToDouble(Twin::lost).max().orElse(0));
  }

  private static double[] array(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private double device(long ns) {
    Measurement measurement = session.measure(ns);
    return plan.test().latency()
        ? measurement.latencies().getValueAtPercentile(50) / 1e3
        : measurement.rate() * plan.size() * 8 / 1e9;
  }

  private double twin(TwinKind kind, long ns) {
    double figure = 0;
    if (client) {
      figure = twins.get(kind).send(ns);
    } else {
      session.watch();
      twins.get(kind).serve(session::peerSpoke);
    }
    session.meet(WORD);
    return figure;
  }

  @Override
  public void close() {
    twins.values().forEach(Twin::close);
  }
}
