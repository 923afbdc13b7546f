package org.roce4j.tools.pingpong;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.tools.options.GidConverter;
import org.roce4j.tools.options.MtuConverter;
import org.roce4j.tools.options.TransportName;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j pingpong}. */
@Command(
    name = "pingpong",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Exchange verified messages between two queue pairs and tell how fast it went.",
    description = {
      "%nWith neither --server nor HOST both ends run in this process, on two devices with the"
          + " addresses 127.0.0.1 and 127.0.0.2, over real UDP datagrams. With one of them this is"
          + " one end; the other is another roce4j pingpong or rdma-core's ibv_rc_pingpong,"
          + " ibv_uc_pingpong, ibv_ud_pingpong or ibv_srq_pingpong, whose exchange of addresses"
          + " (TCP) it speaks and whose defaults it has. Both sides must be"
          + " told the same --iters, --size, --mtu and --qps: the protocol does not exchange them.",
      "%nEvery byte of every message is verified: another roce4j sends bytes that depend on the"
          + " message and the offset, the C programs send back what they received. Nothing repeats"
          + " a message that uc or ud lost: --patience ends the run.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j pingpong",
      "      1000 messages of 4096 bytes each way, in one process",
      "  roce4j pingpong --iters 500 --size 65536 --capture p.pcapng",
      "      keep every packet; wireshark, tshark and roce4j inspect read the file",
      "  roce4j pingpong --transport fabric",
      "      no socket: a virtual network in virtual time",
      "  roce4j pingpong --server --bind 127.0.0.1",
      "  roce4j pingpong --bind 127.0.0.2 127.0.0.1",
      "      two processes: the server first, then the client that calls it",
      "  ibv_rc_pingpong -g 1                       on host 10.77.0.2, with soft-RoCE",
      "  roce4j pingpong --bind 10.77.0.1 10.77.0.2     here",
      "      against the C program",
    })
public final class PingPongCommand implements Callable<Integer> {
  private static final long MAX_SIZE = 1L << 31;
  private static final int MAX_QPS = 255;

  @Spec private CommandSpec spec;
  @Mixin private ConfiguredDevices configured;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "HOST",
      description = "Be the client of the server on that host.")
  private String host;

  @Option(names = "--server", description = "Wait for a client.")
  private boolean server;

  @Option(
      names = "--service",
      paramLabel = "SERVICE",
      defaultValue = "rc",
      description =
          "Transport service: rc, reliable connection (default); uc, unreliable connection; ud,"
              + " datagrams; srq, reliable connections on one shared receive queue.")
  private ServiceName service;

  @Option(
      names = {"-n", "--iters"},
      paramLabel = "N",
      defaultValue = "1000",
      description = "Messages in each direction (default: ${DEFAULT-VALUE}).")
  private long iterations;

  @Option(
      names = {"-s", "--size"},
      paramLabel = "BYTES",
      description = "Bytes of a message, 0 to 2147483648 (default: 4096; ud: 1024, at most --mtu).")
  private Long size;

  @Option(
      names = {"-q", "--qps"},
      paramLabel = "N",
      description =
          "With --service srq, the queue pairs that share one receive queue, 1 to 255 (default:"
              + " 16). They share --iters too.")
  private Integer qps;

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
      names = "--transport",
      paramLabel = "TRANSPORT",
      defaultValue = "auto",
      description =
          "What carries the packets: linux, netty, fabric (a virtual network in this process), or"
              + " auto, the best that works here (default).")
  private TransportName transport;

  @Option(
      names = "--device",
      paramLabel = "NAME",
      description = "Use this device of roce4j devices instead of making one.")
  private String device;

  @Option(
      names = "--bind",
      paramLabel = "IP",
      split = ",",
      converter = GidConverter.class,
      description =
          "Local address; two, with a comma, for two devices in one process. Default: 127.0.0.1 and"
              + " 127.0.0.2 in one process, else the address that leads to the peer.")
  private List<Gid> bind = new ArrayList<>();

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
      description = "Keep at most so many bytes of a packet (default: all).")
  private Integer snaplen;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      defaultValue = "18515",
      description = "TCP port of the exchange of addresses (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = {"-u", "--qp-timeout"},
      paramLabel = "N",
      defaultValue = "" + Traffic.DEFAULT_ACK_TIMEOUT,
      description =
          "ACK timeout of rc and srq: 4.096 us * 2^N, 0 for none; after eight of them the peer is"
              + " given up (default: ${DEFAULT-VALUE}, 67 ms, as the C programs).")
  private int ackTimeout;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "Give up a peer that sends nothing for so long, while addresses are exchanged and after"
              + " (default: ${DEFAULT-VALUE}).")
  private int patience;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    PingPongOptions options = options();
    PrintWriter out = spec.commandLine().getOut();
    PingPongRun run =
        new PingPongRun(
            options,
            line -> {
              if (!json) {
                out.println(line);
                out.flush();
              }
            },
            spec.commandLine().getErr(),
            Terminal.isStderr());
    PingPongReport report = run.play();
    if (json) {
      out.println(Json.text(report.json()));
    } else {
      report.results().forEach(out::println);
    }
    out.flush();
    return 0;
  }

  /** The command line, checked as far as that needs no device. */
  PingPongOptions options() {
    demand(!(server && host != null), "--server waits for a peer and HOST calls one: choose");
    demand(iterations >= 1, "--iters must be 1 or more, not " + iterations);
    long bytes = size == null ? service.defaultSize() : size;
    demand(
        bytes >= 0 && bytes <= MAX_SIZE,
        "--size must be 0 to " + MAX_SIZE + " bytes, not " + bytes);
    demand(
        service != ServiceName.UD || bytes <= mtu.bytes(),
        "a datagram has no second packet: --size "
            + bytes
            + " is over --mtu "
            + mtu.bytes()
            + "; both sides need a smaller --size or a larger --mtu");
    demand(
        qps == null || service == ServiceName.SRQ,
        "--qps is for --service srq; " + service + " plays on one queue pair");
    demand(
        qps == null || (qps >= 1 && qps <= MAX_QPS),
        "--qps must be 1 to " + MAX_QPS + ", not " + qps);
    demand(port >= 1 && port <= 65535, "--port must be 1 to 65535, not " + port);
    demand(gidIndex >= 0 && gidIndex <= 255, "--gid-index must be 0 to 255, not " + gidIndex);
    demand(ackTimeout >= 0 && ackTimeout <= 31, "-u must be 0 to 31, not " + ackTimeout);
    demand(patience >= 1, "--patience must be 1 second or more, not " + patience);
    demand(snaplen == null || capture != null, "--snaplen says how much --capture keeps: add it");
    demand(
        snaplen == null || (snaplen >= 64 && snaplen <= 262_144),
        "--snaplen must be 64 to 262144 bytes, not " + snaplen);
    checkAddresses();
    checkCapture();
    return new PingPongOptions(
        service,
        new Traffic(
            iterations, bytes, mtu, events, qps == null ? service.defaultQps() : qps, ackTimeout),
        transport,
        configured,
        device,
        List.copyOf(bind),
        gidIndex,
        capture,
        snaplen == null ? 65_535 : snaplen,
        port,
        server,
        host,
        Duration.ofSeconds(patience));
  }

  private void checkAddresses() {
    boolean oneEnd = server || host != null;
    demand(
        !(oneEnd && transport == TransportName.FABRIC),
        "the fabric lives in one process: leave out --server and HOST, or choose another"
            + " --transport");
    demand(
        !(transport == TransportName.FABRIC && configured.given()),
        "the fabric has devices of its own: leave out --config and --set, or choose another"
            + " --transport");
    demand(
        !(transport == TransportName.FABRIC && gidIndex != 0),
        "on the fabric every address stands at index 0: leave out --gid-index");
    demand(
        bind.size() <= (oneEnd ? 1 : 2),
        "--bind takes at most "
            + (oneEnd ? 1 : 2)
            + (oneEnd ? " address" : " addresses")
            + " here, not "
            + bind.size());
    demand(
        bind.size() < 2 || bind.get(0).isIpv4Mapped() == bind.get(1).isIpv4Mapped(),
        "both addresses of --bind must be IPv4 or both IPv6");
    demand(
        bind.size() < 2 || !bind.get(0).equals(bind.get(1)),
        "--bind names one address twice; one is enough for a device that talks to itself");
    demand(
        device == null || bind.isEmpty(),
        "--device has its own addresses (--gid-index selects one): leave out --bind");
    demand(
        device == null || transport == TransportName.AUTO,
        "--device has its own transport: leave out --transport");
    demand(
        device == null || capture == null,
        "--capture needs a device made for this run: leave out --device");
    for (Gid address : bind) {
      demand(
          !address.isMulticast()
              && !address.isZero()
              && !(address.isIpv4Mapped() && address.ipv4() == 0),
          "--bind needs the address of one interface, not " + Endpoint.plain(address));
    }
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

  private void demand(boolean right, String message) {
    if (!right) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
