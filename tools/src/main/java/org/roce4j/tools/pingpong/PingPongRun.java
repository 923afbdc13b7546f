package org.roce4j.tools.pingpong;

import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;

/** One run of {@code roce4j pingpong}: opens what it needs, plays, and leaves nothing open. */
final class PingPongRun {
  private final PingPongOptions options;
  private final Consumer<String> out;
  private final PrintWriter err;
  private final boolean errIsTerminal;
  private final PingPongService service;
  private final RandomGenerator random = new SecureRandom();

  /**
   * A run.
   *
   * @param out takes the lines that tell who plays with whom
   * @param err takes the progress of long work
   */
  PingPongRun(
      PingPongOptions options, Consumer<String> out, PrintWriter err, boolean errIsTerminal) {
    this.options = options;
    this.out = out;
    this.err = err;
    this.errIsTerminal = errIsTerminal;
    this.service = options.service().service();
  }

  /** Plays to the end. */
  PingPongReport play() {
    if (options.bothEnds()) {
      return playBothEnds();
    }
    return options.server() ? playServer() : playClient();
  }

  private PingPongReport playBothEnds() {
    try (OpenDevices devices = OpenDevices.forBothEnds(options);
        PingPongEnd server = end(devices, devices.server(), Role.SERVER, PayloadCheck.Peer.ROCE4J);
        PingPongEnd client =
            end(devices, devices.client(), Role.CLIENT, PayloadCheck.Peer.ROCE4J)) {
      server.endpoint().connect(client.endpoint().addresses());
      client.endpoint().connect(server.endpoint().addresses());
      List<PingPongReport.End> ends = List.of(describe(client), describe(server));
      introduce(devices, ends);
      ProgressLine progress = progress();
      PingPongLoop loop = new PingPongLoop(client, progress);
      server.start();
      client.start();
      long startNs = devices.clock().getAsLong();
      try {
        if (!options.traffic().events()) {
          loop.alternate(client, server);
        } else if (devices.virtualTime()) {
          loop.alternateByEvents(client, server);
        } else {
          loop.onTwoThreads(client, server);
        }
      } finally {
        progress.end();
      }
      long elapsedNs = devices.clock().getAsLong() - startNs;
      long verified = client.check().verifiedBytes() + server.check().verifiedBytes();
      return report(devices, ends, client, elapsedNs, verified);
    }
  }

  private PingPongReport playServer() {
    try (PeerConnection.Listener listener =
        new PeerConnection.Listener(options.port(), options.patience())) {
      if (chosenEarly()) {
        try (OpenDevices devices = OpenDevices.forOneEnd(options, bound());
            PingPongEnd end =
                end(devices, devices.server(), Role.SERVER, PayloadCheck.Peer.UNKNOWN)) {
          out.accept(
              "waiting for a client on TCP port "
                  + listener.port()
                  + ", with device address "
                  + Endpoint.plain(end.endpoint().gid()));
          try (AddressExchange exchange = new AddressExchange(listener.accept())) {
            return serve(exchange, devices, end);
          }
        }
      }
      out.accept(
          "waiting for a client on TCP port "
              + listener.port()
              + "; the device gets the address that the client calls (--bind chooses another)");
      try (AddressExchange exchange = new AddressExchange(listener.accept());
          OpenDevices devices = OpenDevices.forOneEnd(options, Gid.of(exchange.localAddress()));
          PingPongEnd end =
              end(devices, devices.server(), Role.SERVER, PayloadCheck.Peer.UNKNOWN)) {
        return serve(exchange, devices, end);
      }
    }
  }

  private PingPongReport serve(AddressExchange exchange, OpenDevices devices, PingPongEnd end) {
    end.endpoint().connect(peers(exchange));
    end.start();
    tell(exchange, end);
    exchange.awaitDone();
    exchange.hangUp();
    return playOneEnd(devices, end);
  }

  private PingPongReport playClient() {
    try (AddressExchange exchange =
            new AddressExchange(
                PeerConnection.connect(options.host(), options.port(), options.patience()));
        OpenDevices devices =
            OpenDevices.forOneEnd(
                options, chosenEarly() ? bound() : Gid.of(exchange.addressForDevice()));
        PingPongEnd end = end(devices, devices.client(), Role.CLIENT, PayloadCheck.Peer.UNKNOWN)) {
      tell(exchange, end);
      List<ExchangedAddress> peers = peers(exchange);
      exchange.sayDone();
      exchange.hangUp();
      end.endpoint().connect(peers);
      end.start();
      return playOneEnd(devices, end);
    }
  }

  private void tell(AddressExchange exchange, PingPongEnd end) {
    exchange.send(end.endpoint().addresses(), service.exchangedMessages());
  }

  private List<ExchangedAddress> peers(AddressExchange exchange) {
    return exchange.receive(
        service.exchangedMessages(), options.traffic().qps(), service.program());
  }

  private PingPongReport playOneEnd(OpenDevices devices, PingPongEnd end) {
    List<PingPongReport.End> ends = List.of(describe(end));
    introduce(devices, ends);
    ProgressLine progress = progress();
    long startNs = devices.clock().getAsLong();
    try {
      new PingPongLoop(end, progress).alone(end);
    } finally {
      progress.end();
    }
    return report(devices, ends, end, end.lastNs() - startNs, end.check().verifiedBytes());
  }

  private boolean chosenEarly() {
    return options.device() != null || !options.bind().isEmpty();
  }

  /** The address of {@code --bind}, null with {@code --device}. */
  private Gid bound() {
    return options.bind().isEmpty() ? null : options.bind().get(0);
  }

  private PingPongEnd end(OpenDevices devices, Context context, Role role, PayloadCheck.Peer peer) {
    boolean remote = peer == PayloadCheck.Peer.UNKNOWN;
    int gidIndex = devices.gidIndex();
    Endpoint endpoint = new Endpoint(context, role, service, options.traffic(), gidIndex, random);
    PayloadCheck check = new PayloadCheck(role, service, options.traffic(), peer);
    boolean complete = false;
    try {
      PingPongEnd end =
          new PingPongEnd(endpoint, check, devices.clock(), options.patience().toNanos(), remote);
      complete = true;
      return end;
    } finally {
      if (!complete) {
        endpoint.close();
      }
    }
  }

  private PingPongReport.End describe(PingPongEnd end) {
    Endpoint endpoint = end.endpoint();
    return new PingPongReport.End(
        endpoint.role().toString(),
        endpoint.context().device().name(),
        endpoint.addresses(),
        endpoint.lanes().stream().map(Lane::peer).toList());
  }

  private void introduce(OpenDevices devices, List<PingPongReport.End> ends) {
    PingPongReport.introduction(
            options.service(),
            options.traffic(),
            ends,
            devices.transport(),
            devices.transportReason())
        .forEach(out);
  }

  private ProgressLine progress() {
    return new ProgressLine(
        err, errIsTerminal, "round trips", options.traffic().iterations(), System.nanoTime());
  }

  private PingPongReport report(
      OpenDevices devices,
      List<PingPongReport.End> ends,
      PingPongEnd end,
      long elapsedNs,
      long verifiedBytes) {
    return new PingPongReport(
        options.service(),
        options.traffic(),
        ends,
        devices.transport(),
        devices.transportReason(),
        devices.virtualTime(),
        Math.max(1, elapsedNs),
        end.latencies(),
        counters(devices),
        verifiedBytes,
        end.check().peer(),
        options.capture() == null ? null : options.capture().toString());
  }

  private static Map<String, Map<String, Long>> counters(OpenDevices devices) {
    Map<String, Map<String, Long>> all = new LinkedHashMap<>();
    for (Context context : devices.contexts()) {
      Map<String, Long> counted = new LinkedHashMap<>(context.counters());
      counted.values().removeIf(value -> value == 0);
      all.put(context.device().name(), counted);
    }
    return all;
  }
}
