package org.roce4j.tools.pingpong;

import java.nio.file.Files;
import java.nio.file.Path;
import org.roce4j.tools.options.MtuConverter;
import org.roce4j.tools.options.SizeConverter;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.side.SideOptions;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Opcode;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of {@code roce4j pingpong}. */
final class PingPongOptions extends SideOptions {
  private static final int MAX_QPS = 255;
  private static final int WHOLE_PACKETS = 65_535;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "HOST",
      description = "Be the client of the server on that host.")
  private String host;

  @Option(
      names = "--service",
      paramLabel = "SERVICE",
      defaultValue = "rc",
      description =
          "Transport service: rc, reliable connection (default); uc, unreliable connection; ud,"
              + " datagrams; srq, reliable connections on one shared receive queue; xrc, extended"
              + " reliable connections of several clients.")
  private PingPongService service;

  @Option(
      names = {"-n", "--iters"},
      paramLabel = "N",
      description =
          "Messages in each direction (default: 1000); of xrc with each client (default: 5).")
  private Long iterations;

  @Option(
      names = {"-s", "--size"},
      paramLabel = "BYTES",
      converter = SizeConverter.class,
      description =
          "Bytes of a message, 0 to 2147483648, or with a unit: 64KiB (default: 4096; ud: 1024, at"
              + " most --mtu).")
  private Long size;

  @Option(
      names = {"-q", "--qps"},
      paramLabel = "N",
      description =
          "With --service srq, the queue pairs that share one receive queue, 1 to 255 (default:"
              + " 16). They share --iters too.")
  private Integer qps;

  @Option(
      names = {"-c", "--clients"},
      paramLabel = "N",
      description =
          "With --service xrc, the clients of the server, 1 to 255 (default: 1). They share a"
              + " domain, so one process plays them all: give both sides the same number.")
  private Integer clients;

  @Option(
      names = {"-m", "--mtu"},
      paramLabel = "MTU",
      defaultValue = "1024",
      converter = MtuConverter.class,
      description = "Path MTU: 256, 512, 1024, 2048 or 4096 (default: ${DEFAULT-VALUE}).")
  private Mtu mtu;

  @Option(
      names = {"-e", "--events"},
      description = "Sleep until a completion event comes instead of polling.")
  private boolean events;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "Use this device of roce4j devices instead of making one.")
  private String device;

  @Option(
      names = {"-g", "--gid-index"},
      paramLabel = "N",
      defaultValue = "0",
      description = "Where the address stands in the device's GID table (default: 0).")
  private int gidIndex;

  @Option(
      names = "--capture",
      paramLabel = "FILE",
      description = "Keep every packet in this pcapng file.")
  private Path capture;

  @Option(
      names = "--snaplen",
      paramLabel = "N",
      description = "Keep at most N bytes of a packet (default: all).")
  private Integer snaplen;

  @Option(
      names = {"-u", "--qp-timeout"},
      paramLabel = "N",
      defaultValue = "" + PingPongPlan.DEFAULT_ACK_TIMEOUT,
      description =
          "ACK timeout of rc and srq: 4.096 us * 2^N, 0 for none; after eight of them the peer is"
              + " given up (default: ${DEFAULT-VALUE}, 67 ms, as the C programs).")
  private int ackTimeout;

  private PingPongPlan plan;

  /** Checks the command line as far as that needs no device, and fills in the defaults. */
  PingPongOptions resolve() {
    checkSide();
    long messages = iterations == null ? service.defaultIterations() : iterations;
    demand(messages >= 1, "--iters must be 1 or more, not " + messages);
    long bytes = size == null ? service.defaultSize() : size;
    demand(
        bytes >= 0 && bytes <= Opcode.MOST_MESSAGE_BYTES,
        "--size must be 0 to " + Opcode.MOST_MESSAGE_BYTES + " bytes, not " + bytes);
    demand(
        service != PingPongService.UD || bytes <= mtu.bytes(),
        Wording.of(
            "a datagram has no second packet: --size %d is over --mtu %d; both sides need a smaller"
                + " --size or a larger --mtu",
            bytes, mtu.bytes()));
    checkQueuePairs();
    demand(port() >= 1 && port() <= 65535, "--port must be 1 to 65535, not " + port());
    demand(ackTimeout >= 0 && ackTimeout <= 31, "-u must be 0 to 31, not " + ackTimeout);
    demand(snaplen == null || capture != null, "--snaplen says how much --capture keeps: add it");
    demand(
        snaplen == null || (snaplen >= 64 && snaplen <= 262_144),
        "--snaplen must be 64 to 262144 bytes, not " + snaplen);
    checkDevice();
    checkCapture();
    int queuePairs = queuePairs();
    if (service == PingPongService.XRC) {
      messages *= queuePairs;
    }
    plan = new PingPongPlan(messages, bytes, mtu, events, queuePairs, ackTimeout);
    return this;
  }

  private void checkQueuePairs() {
    demand(
        qps == null || service == PingPongService.SRQ,
        "--qps is for --service srq; "
            + service
            + (service == PingPongService.XRC
                ? " has a pair for each of its --clients"
                : " plays on one queue pair"));
    demand(
        clients == null || service == PingPongService.XRC,
        "--clients is for --service xrc; " + service + " has one client");
    demand(inRange(qps), "--qps must be 1 to " + MAX_QPS + ", not " + qps);
    demand(inRange(clients), "--clients must be 1 to " + MAX_QPS + ", not " + clients);
  }

  private static boolean inRange(Integer number) {
    return number == null || (number >= 1 && number <= MAX_QPS);
  }

  private int queuePairs() {
    Integer chosen = service == PingPongService.XRC ? clients : qps;
    return chosen == null ? service.defaultQps() : chosen;
  }

  private void checkDevice() {
    boolean fabric = transport() == TransportName.FABRIC;
    demand(
        !(fabric && configured().given()),
        "the fabric has devices of its own: leave out --config and --set, or choose another"
            + " --transport");
    demand(
        !(fabric && gidIndex != 0),
        "on the fabric every address stands at index 0: leave out --gid-index");
    demand(
        device == null || capture == null,
        "--capture needs a device made for this run: leave out --device");
  }

  private void checkCapture() {
    if (capture == null) {
      return;
    }
    Path directory = capture.toAbsolutePath().getParent();
    demand(!Files.isDirectory(capture), "--capture " + capture + " is a directory");
    demand(
        directory != null && Files.isDirectory(directory),
        "--capture: there is no directory " + directory);
    demand(
        Files.exists(capture) ? Files.isWritable(capture) : Files.isWritable(directory),
        "--capture: " + capture + " cannot be written");
  }

  PingPongService service() {
    return service;
  }

  /** TCP connections of a game between two processes. */
  int connections() {
    return service == PingPongService.XRC ? plan.qps() : 1;
  }

  /** The kind of game. */
  PingPongPlan plan() {
    return plan;
  }

  @Override
  public String host() {
    return host;
  }

  @Override
  public String device() {
    return device;
  }

  @Override
  public int gidIndex() {
    return gidIndex;
  }

  /** The capture file, or null. */
  Path capture() {
    return capture;
  }

  /** The number of bytes kept of each packet. */
  int snaplen() {
    return snaplen == null ? WHOLE_PACKETS : snaplen;
  }
}
