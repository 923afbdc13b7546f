package org.roce4j.tools.pingpong;

import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.tools.side.Role;
import org.roce4j.tools.side.Side;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** One run of {@code roce4j pingpong}. It closes everything that it opens. */
final class PingPongRun {
  private final PingPongOptions options;
  private final Consumer<String> out;
  private final PrintWriter err;
  private final boolean errIsTerminal;
  private final Interruption interruption;
  private final PingPongService service;
  private final RandomGenerator random = new SecureRandom();

  /**
   * A run.
   *
   * @param out receives the lines that name both sides
   * @param err receives the progress of long work
   * @param interruption ends the game early; the report then covers the messages so far
   */
  PingPongRun(
      PingPongOptions options,
      Consumer<String> out,
      PrintWriter err,
      boolean errIsTerminal,
      Interruption interruption) {
    this.options = options;
    this.out = out;
    this.err = err;
    this.errIsTerminal = errIsTerminal;
    this.interruption = interruption;
    this.service = options.service();
  }

  /** Plays to the end. */
  PingPongReport play() {
    if (options.local()) {
      return playBothSides();
    }
    return options.server() ? playServer() : playClient();
  }

  private PingPongReport playBothSides() {
    try (OpenDevices devices = OpenDevices.forBothSides(options);
        PingPongPlayer server =
            player(devices, devices.server(), Role.SERVER, PayloadCheck.PeerProgram.ROCE4J);
        PingPongPlayer client =
            player(devices, devices.client(), Role.CLIENT, PayloadCheck.PeerProgram.ROCE4J)) {
      PingPongSide.connect(client.side(), server.side());
      PingPongPlayer starter = client.side().starts() ? client : server;
      PingPongPlayer other = starter == client ? server : client;
      List<PingPongReport.PlayerLine> players = List.of(describe(client), describe(server));
      introduce(devices, players);
      ProgressLine progress = progress();
      PingPongLoop loop = new PingPongLoop(starter, progress, interruption);
      interruption.begin();
      server.start();
      client.start();
      long startNs = devices.clock().getAsLong();
      try {
        if (!options.plan().events()) {
          loop.alternate(starter, other);
        } else if (devices.virtualTime()) {
          loop.alternateByEvents(starter, other);
        } else {
          loop.onTwoThreads(starter, other);
        }
      } finally {
        progress.end();
      }
      long elapsedNs = devices.clock().getAsLong() - startNs;
      long verified = client.check().verifiedBytes() + server.check().verifiedBytes();
      return report(devices, players, starter, elapsedNs, verified);
    }
  }

  private PingPongReport playServer() {
    try (PeerConnection.PeerListener listener =
        new PeerConnection.PeerListener(
            options.port(), options.patience(), options.connections(), options.acceptTimeout())) {
      if (options.deviceIsChosen()) {
        try (OpenDevices devices = OpenDevices.forOneSide(options, options.bound());
            PingPongPlayer player =
                player(devices, devices.server(), Role.SERVER, PayloadCheck.PeerProgram.UNKNOWN)) {
          out.accept(
              "waiting for a client on TCP port "
                  + listener.port()
                  + ", with device address "
                  + player.side().gid().addressText());
          try (PeerExchange exchange = exchange(listener::accept)) {
            return serve(exchange, devices, player);
          }
        }
      }
      out.accept(
          "waiting for a client on TCP port "
              + listener.port()
              + "; the device gets the address that the client calls (--bind chooses another)");
      try (PeerExchange exchange = exchange(listener::accept);
          OpenDevices devices = OpenDevices.forOneSide(options, Gid.of(exchange.localAddress()));
          PingPongPlayer player =
              player(devices, devices.server(), Role.SERVER, PayloadCheck.PeerProgram.UNKNOWN)) {
        return serve(exchange, devices, player);
      }
    }
  }

  private PeerExchange exchange(Supplier<PeerConnection> connections) {
    PeerConnection first = connections.get();
    return service == PingPongService.XRC
        ? new XrcExchange(first, connections, options.patience())
        : new OneConnection(first, options);
  }

  private PingPongReport serve(PeerExchange exchange, OpenDevices devices, PingPongPlayer player) {
    exchange.asServer(player);
    return playOneSide(devices, player, exchange);
  }

  private PingPongReport playClient() {
    try (PeerExchange exchange = exchange(this::call);
        OpenDevices devices =
            OpenDevices.forOneSide(
                options,
                options.deviceIsChosen() ? options.bound() : Gid.of(exchange.addressForDevice()));
        PingPongPlayer player =
            player(devices, devices.client(), Role.CLIENT, PayloadCheck.PeerProgram.UNKNOWN)) {
      exchange.asClient(player);
      return playOneSide(devices, player, exchange);
    }
  }

  private PeerConnection call() {
    return PeerConnection.connect(options.host(), options.port(), options.patience());
  }

  private PingPongReport playOneSide(
      OpenDevices devices, PingPongPlayer player, PeerExchange exchange) {
    List<PingPongReport.PlayerLine> players = List.of(describe(player));
    introduce(devices, players);
    ProgressLine progress = progress();
    interruption.begin();
    long startNs = devices.clock().getAsLong();
    try {
      new PingPongLoop(player, progress, interruption).alone(player);
      exchange.part(player, interruption);
    } finally {
      progress.end();
    }
    return report(
        devices, players, player, player.lastNs() - startNs, player.check().verifiedBytes());
  }

  private PingPongPlayer player(
      OpenDevices devices, Context context, Role role, PayloadCheck.PeerProgram peer) {
    boolean remote = peer == PayloadCheck.PeerProgram.UNKNOWN;
    PingPongSide side =
        new PingPongSide(context, role, service, options.plan(), devices.local(), random);
    PayloadCheck check = new PayloadCheck(role, service, options.plan(), peer);
    boolean complete = false;
    try {
      PingPongPlayer player =
          new PingPongPlayer(side, check, devices.clock(), options.patience().toNanos(), remote);
      complete = true;
      return player;
    } finally {
      if (!complete) {
        side.close();
      }
    }
  }

  private PingPongReport.PlayerLine describe(PingPongPlayer player) {
    PingPongSide side = player.side();
    return new PingPongReport.PlayerLine(
        side.role().toString(),
        side.context().device().name(),
        side.addresses(),
        side.peerAddresses());
  }

  private void introduce(OpenDevices devices, List<PingPongReport.PlayerLine> players) {
    PingPongReport.introduction(
            options.service(),
            options.plan(),
            players,
            devices.transport(),
            devices.transportReason())
        .forEach(out);
  }

  private ProgressLine progress() {
    return new ProgressLine(
        err, errIsTerminal, "round trips", options.plan().iterations(), System.nanoTime());
  }

  private PingPongReport report(
      OpenDevices devices,
      List<PingPongReport.PlayerLine> players,
      PingPongPlayer player,
      long elapsedNs,
      long verifiedBytes) {
    return new PingPongReport(
        options.service(),
        options.plan(),
        players,
        devices.transport(),
        devices.transportReason(),
        devices.virtualTime(),
        Math.max(1, elapsedNs),
        player.received(),
        player.latencies(),
        counters(devices),
        verifiedBytes,
        player.check().peer(),
        options.capture() == null ? null : options.capture().toString());
  }

  private static Map<String, Map<String, Long>> counters(OpenDevices devices) {
    Map<String, Map<String, Long>> all = new LinkedHashMap<>();
    for (Context context : devices.contexts()) {
      all.put(context.device().name(), Side.counters(context));
    }
    return all;
  }
}
