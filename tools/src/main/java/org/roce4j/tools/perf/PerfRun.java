package org.roce4j.tools.perf;

import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.tools.perf.exchange.BandwidthReport;
import org.roce4j.tools.perf.exchange.PerftestExchange;
import org.roce4j.tools.perf.traffic.End;
import org.roce4j.tools.perf.traffic.Plan;
import org.roce4j.tools.perf.traffic.Player;
import org.roce4j.tools.perf.traffic.Round;
import org.roce4j.tools.perf.traffic.Tally;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** One side of a test, or both on the virtual network: opens what it needs, leaves nothing open. */
final class PerfRun {
  static final Gid FIRST = Gid.of(InetAddress.ofLiteral("127.0.0.1"));
  static final Gid SECOND = Gid.of(InetAddress.ofLiteral("127.0.0.2"));
  private static final PerftestExchange.Agreement NOTHING_TO_AGREE =
      new PerftestExchange.Agreement(4096, 64, null);

  private final PerfOptions options;
  private final Consumer<String> out;

  /**
   * A run.
   *
   * @param out takes the lines that tell who plays with whom
   */
  PerfRun(PerfOptions options, Consumer<String> out) {
    this.options = options;
    this.out = out;
  }

  /** Waits for a client and serves it. */
  PerfReport serve() {
    try (PeerConnection.Listener listener =
        new PeerConnection.Listener(options.port(), options.patience())) {
      return serve(listener);
    }
  }

  PerfReport serve(PeerConnection.Listener listener) {
    boolean early = options.device() != null || !options.bind().isEmpty();
    out.accept(
        " waiting for a client on TCP port "
            + listener.port()
            + (early ? "" : "; the device gets the address that the client calls"));
    if (early) {
      try (PerfDevice device = PerfDevice.open(options, bound());
          PerftestExchange exchange = new PerftestExchange(listener.accept(), false)) {
        return play(device, exchange, false);
      }
    }
    try (PerftestExchange exchange = new PerftestExchange(listener.accept(), false);
        PerfDevice device =
            PerfDevice.open(options, Gid.of(exchange.connection().localAddress()))) {
      return play(device, exchange, false);
    }
  }

  /** Calls the server and plays. */
  PerfReport call() {
    try (PeerConnection connection =
            PeerConnection.connect(options.host(), options.port(), options.patience());
        PerfDevice device =
            PerfDevice.open(
                options,
                options.bind().isEmpty() ? Gid.of(connection.addressForDevice()) : bound());
        PerftestExchange exchange = new PerftestExchange(connection, true)) {
      return play(device, exchange, true);
    }
  }

  private Gid bound() {
    return options.bind().isEmpty() ? null : options.bind().getFirst();
  }

  private PerfReport play(PerfDevice device, PerftestExchange exchange, boolean client) {
    try (Session session = Session.open(options, device.context(), exchange, client)) {
      introduce(session.plan(), session.end(), device);
      if (options.limit() != null) {
        return besideTwins(session, device, client);
      }
      session.warmUp(options.warmUp());
      Tally tally = session.measure();
      PerfReport own =
          report(session.plan(), client, tally, session.end(), session.player(), device);
      BandwidthReport theirs = session.finish(client ? own.forPeer() : BandwidthReport.NONE);
      return !client && !session.plan().test().serverPlays() ? own.measuredBy(theirs) : own;
    }
  }

  private PerfReport besideTwins(Session session, PerfDevice device, boolean client) {
    try (LimitRun run = new LimitRun(options, session, client)) {
      LimitRun.Outcome outcome = run.play();
      PerfReport own =
          report(session.plan(), client, outcome.tally(), session.end(), session.player(), device);
      session.finish(client ? own.forPeer() : BandwidthReport.NONE);
      return own.beside(outcome);
    }
  }

  private void introduce(Plan plan, End end, PerfDevice device) {
    PerfReport.introduction(plan, end, device.context().device().name() + ", " + device.transport())
        .forEach(out);
  }

  private static PerfReport report(
      Plan plan, boolean client, Tally tally, End end, Player player, PerfDevice device) {
    return new PerfReport(
        plan,
        client ? "client" : "server",
        device.context().device().name(),
        device.transport(),
        PerfReport.Figures.of(plan, tally, player.missing()),
        tally,
        end.verifiedBytes(),
        counted(device.context()),
        null);
  }

  private static Map<String, Long> counted(Context context) {
    Map<String, Long> counters = new LinkedHashMap<>(context.counters());
    counters.values().removeIf(value -> value == 0);
    return counters;
  }

  /** Both sides on the virtual network, in virtual time, on this thread. */
  PerfReport onFabric() {
    List<Gid> addresses = options.bind().isEmpty() ? List.of(FIRST, SECOND) : options.bind();
    SecureRandom random = new SecureRandom();
    try (FabricDevices fabric = new FabricDevices(FabricOptions.of(0));
        Context left = fabric.device("fabric0", addresses.getFirst()).open();
        Context right = fabric.device("fabric1", addresses.getLast()).open()) {
      Plan plan = Session.checked(options.plan().over(PerfDevice.mtu(left, options.mtu())));
      try (End server = new End(left, false, plan, NOTHING_TO_AGREE, 0, random);
          End client = new End(right, true, plan, NOTHING_TO_AGREE, 0, random)) {
        server.connect(client.keys());
        client.connect(server.keys());
        Player serving = server.player();
        Player playing = client.player();
        PerfReport.introduction(plan, client, "fabric1, a virtual network in virtual time")
            .forEach(out);
        new Round(fabric.fabric()::nowNs, options.patience().toNanos())
            .playBoth(playing, serving, plan.iterations());
        return new PerfReport(
            plan,
            "client",
            "fabric1",
            "fabric",
            PerfReport.Figures.of(plan, playing.tally(), serving.missing()),
            playing.tally(),
            client.verifiedBytes() + server.verifiedBytes(),
            counted(right),
            null);
      }
    }
  }
}
