package org.roce4j.tools.perf;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.tools.peer.SourceAddress;
import org.roce4j.tools.perf.exchange.BandwidthReport;
import org.roce4j.tools.perf.exchange.CmLine;
import org.roce4j.tools.perf.exchange.PerftestExchange;
import org.roce4j.tools.perf.traffic.Measurement;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.tools.perf.traffic.PerfSide;
import org.roce4j.tools.perf.traffic.Player;
import org.roce4j.tools.perf.traffic.Round;
import org.roce4j.tools.side.LocalAddress;
import org.roce4j.tools.side.Role;
import org.roce4j.tools.side.Side;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.cm.RdmaCm;

/** One side of a test, or both sides on the virtual network. It closes everything that it opens. */
final class PerfRun {
  static final Gid FIRST = Gid.of(InetAddress.ofLiteral("127.0.0.1"));
  static final Gid SECOND = Gid.of(InetAddress.ofLiteral("127.0.0.2"));

  /** The time that one side waits before the other takes its turn, on the virtual network. */
  private static final long STEP_NS = 1_000_000;

  private static final PerftestExchange.Agreement NOTHING_TO_AGREE =
      new PerftestExchange.Agreement(4096, 64, null);

  private final PerfOptions options;
  private final Consumer<String> out;
  private final Onlooker onlooker;

  /**
   * A run.
   *
   * @param out takes the lines that name both sides
   */
  PerfRun(PerfOptions options, Consumer<String> out, Onlooker onlooker) {
    this.options = options;
    this.out = out;
    this.onlooker = onlooker;
  }

  /** Waits for a client and serves it. */
  PerfReport serve() {
    if (options.byCm()) {
      return serveByCm(options.port());
    }
    try (PeerConnection.PeerListener listener =
        new PeerConnection.PeerListener(
            options.port(), options.patience(), 1, options.acceptTimeout())) {
      return serve(listener);
    }
  }

  /**
   * The same.
   *
   * @param listener where by rdma_cm, of it the port alone
   */
  PerfReport serve(PeerConnection.PeerListener listener) {
    if (options.byCm()) {
      return serveByCm(listener.port());
    }
    boolean early = options.deviceIsChosen();
    out.accept(
        " waiting for a client on TCP port "
            + listener.port()
            + (early ? "" : "; the device gets the address that the client calls"));
    if (early) {
      try (PerfDevice device = PerfDevice.open(options, options.bound());
          PerftestExchange exchange = new PerftestExchange(listener.accept(), false)) {
        return play(device, exchange, false, null);
      }
    }
    try (PeerConnection connection = listener.accept();
        PerfDevice device = PerfDevice.open(options, Gid.of(connection.localAddress()));
        PerftestExchange exchange = new PerftestExchange(connection, false)) {
      return play(device, exchange, false, null);
    }
  }

  private PerfReport serveByCm(int port) {
    if (!options.deviceIsChosen()) {
      throw ToolFailure.usage("a server with -R listens at an address of its own: --bind or -d");
    }
    try (PerfDevice device = PerfDevice.open(options, options.bound());
        RdmaCm cm = RdmaCm.open(device.context())) {
      InetSocketAddress at = at(device, port);
      try (PerftestExchange exchange = new PerftestExchange(accepted(cm, at), false)) {
        return play(device, exchange, false, at);
      }
    }
  }

  private CmLine accepted(RdmaCm cm, InetSocketAddress at) {
    try (CmLine.CmListener listener = new CmLine.CmListener(cm, at)) {
      out.accept(" waiting for a client on rdma_cm port " + at.getPort());
      return listener.accept(options.patience(), options.acceptTimeout());
    }
  }

  private InetSocketAddress at(PerfDevice device, int port) {
    return new InetSocketAddress(
        device
            .context()
            .queryGid(options.localAddress().port(), options.gidIndex())
            .toInetAddress(),
        port);
  }

  /** Calls the server and plays. */
  PerfReport call() {
    if (options.byCm()) {
      return callByCm();
    }
    try (PeerConnection connection =
            PeerConnection.connect(options.host(), options.port(), options.patience());
        PerfDevice device =
            PerfDevice.open(
                options,
                options.bind().isEmpty()
                    ? Gid.of(connection.addressForDevice())
                    : options.bound());
        PerftestExchange exchange = new PerftestExchange(connection, true)) {
      return play(device, exchange, true, null);
    }
  }

  private PerfReport callByCm() {
    InetSocketAddress server = new InetSocketAddress(options.host(), options.port());
    if (server.isUnresolved()) {
      throw ToolFailure.atRunTime("no host is called '" + options.host() + "'");
    }
    Gid own =
        options.bind().isEmpty()
            ? Gid.of(SourceAddress.leadingTo(server.getAddress()))
            : options.bound();
    try (PerfDevice device = PerfDevice.open(options, own);
        RdmaCm cm = RdmaCm.open(device.context());
        PerftestExchange exchange =
            new PerftestExchange(
                CmLine.connect(cm, at(device, 0), server, options.patience()), true)) {
      return play(device, exchange, true, server);
    }
  }

  /** The connections are null where the exchange connects. */
  private void connect(
      PerfSide server, PerfSide client, CmConnections listening, CmConnections calling) {
    if (listening == null) {
      server.connect(client.addresses());
      client.connect(server.addresses());
      return;
    }
    listening.listen(options.port());
    calling.call(new InetSocketAddress(server.gid().toInetAddress(), options.port()));
    while (!listening.isComplete() || !calling.isComplete()) {
      listening.step(STEP_NS);
      calling.step(STEP_NS);
    }
    server.learn(client.addresses());
    client.learn(server.addresses());
  }

  private PerfReport play(
      PerfDevice device, PerftestExchange exchange, boolean client, InetSocketAddress server) {
    try (Session session =
        Session.open(options, device.context(), exchange, client, server, onlooker)) {
      String name = device.context().device().name() + ", " + device.transport();
      PerfReport.introduction(session.plan(), session.side(), name).forEach(out);
      if (options.yardstick().wanted()) {
        Comparison comparison = options.yardstick().compare(options, session, client);
        PerfReport own = report(session, client, comparison.measurement(), device);
        session.finish(client ? own.forPeer() : BandwidthReport.NONE);
        return own.beside(comparison);
      }
      session.warmUp(options.warmUp());
      PerfReport own = report(session, client, session.measure(), device);
      if (onlooker.interrupted() && !client) {
        return own; // the client has not finished and learns it from its own requests
      }
      BandwidthReport theirs = session.finish(client ? own.forPeer() : BandwidthReport.NONE);
      return !client && !session.plan().test().serverPlays() ? own.measuredBy(theirs) : own;
    }
  }

  private static PerfReport report(
      Session session, boolean client, Measurement measured, PerfDevice device) {
    return new PerfReport(
        session.plan(),
        client ? "client" : "server",
        device.context().device().name(),
        device.transport(),
        PerfReport.Figures.of(session.plan(), measured, session.player().missing()),
        measured,
        session.side().verifiedBytes(),
        Side.counters(device.context()),
        null,
        session.interrupted());
  }

  /** Both sides on the virtual network, in virtual time, on this thread. */
  PerfReport onFabric() {
    List<Gid> addresses = options.bind().isEmpty() ? List.of(FIRST, SECOND) : options.bind();
    SecureRandom random = new SecureRandom();
    try (FabricDevices fabric = options.fabric(addresses.getLast());
        Context left = fabric.device("fabric0", addresses.getFirst()).open();
        Context right =
            options
                .faults()
                .atVerbs(fabric.device("fabric1", addresses.getLast()), fabric.fabric()::nowNs)
                .open()) {
      PerfPlan plan = planOver(left);
      boolean latency = plan.test().latency();
      try (PerfSide server =
              new PerfSide(left, Role.SERVER, plan, NOTHING_TO_AGREE, LocalAddress.FIRST, random);
          PerfSide client =
              new PerfSide(right, Role.CLIENT, plan, NOTHING_TO_AGREE, LocalAddress.FIRST, random);
          CmConnections listening =
              options.byCm() ? new CmConnections(server, plan.ackTimeout(), latency) : null;
          CmConnections calling =
              options.byCm() ? new CmConnections(client, plan.ackTimeout(), latency) : null) {
        connect(server, client, listening, calling);
        Player serving = server.player();
        Player playing = client.player();
        PerfReport.introduction(plan, client, "fabric1, a virtual network in virtual time")
            .forEach(out);
        Round round = new Round(fabric.fabric()::nowNs, options.patience().toNanos());
        onlooker.measure(plan, watch -> round.playBoth(playing, serving, plan.iterations(), watch));
        return new PerfReport(
            plan,
            "client",
            "fabric1",
            "fabric",
            PerfReport.Figures.of(plan, playing.measurement(), serving.missing()),
            playing.measurement(),
            client.verifiedBytes() + server.verifiedBytes(),
            Side.counters(right),
            null,
            onlooker.interrupted());
      }
    }
  }

  private PerfPlan planOver(Context device) {
    return Session.checked(options.plan().over(Side.mtu(device, 1, options.plan().mtu(), "-m")));
  }
}
