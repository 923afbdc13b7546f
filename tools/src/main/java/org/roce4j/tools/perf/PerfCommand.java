package org.roce4j.tools.perf;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.roce4j.port.FaultPlan;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.options.ConfiguredDevices;
import org.roce4j.tools.options.GidConverter;
import org.roce4j.tools.options.MtuConverter;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.perf.traffic.End;
import org.roce4j.tools.perf.traffic.PerfTest;
import org.roce4j.tools.perf.traffic.Plan;
import org.roce4j.tools.perf.traffic.Verb;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j perf}. */
@Command(
    name = "perf",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Measure bandwidth or latency, with the tests and option letters of perftest.",
    description = {
      "%nTEST is one of send_bw, send_lat, write_bw, write_lat, read_bw, read_lat, atomic_bw,"
          + " atomic_lat. With neither --server nor HOST this starts a second process of its own"
          + " and measures between 127.0.0.1 and 127.0.0.2, over real UDP datagrams. With one of"
          + " them this is one side; the other is another roce4j perf or perftest's ib_send_bw,"
          + " ib_send_lat and so on, whose exchange (TCP) it speaks and whose defaults it has. Both"
          + " sides must be told the same TEST, -s, -n, -q, -c and --verify; the smaller -m"
          + " holds.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j perf write_bw -s 65536 --json",
      "      between two processes on this machine",
      "  roce4j perf send_lat -e",
      "      the same, sleeping until an event comes instead of polling",
      "  roce4j perf send_bw -s 64 -l 64 -Q 64",
      "      small messages from posted lists of 64",
      "  ib_write_bw -x 1                                   on host 10.77.0.2, with soft-RoCE",
      "  roce4j perf write_bw --bind 10.77.0.1 10.77.0.2    here",
      "      against the C program",
    })
public final class PerfCommand implements Callable<Integer> {
  private static final int MOST_BYTES = 1 << 30;
  private static final long LIMIT_RUN_NS = 400_000_000L;
  private static final int LARGE = 8192;
  private static final int LATENCY_INLINE = 220;
  private static final int MOST_LOSSY_RECEIVES = 8192;

  @Spec private CommandSpec spec;
  @Mixin private ConfiguredDevices configured;

  @Parameters(index = "0", paramLabel = "TEST", description = "${COMPLETION-CANDIDATES}")
  private PerfTest test;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "HOST",
      description = "Be the client of the server on that host.")
  private String host;

  @Option(names = "--server", description = "Wait for a client.")
  private boolean server;

  @Option(
      names = {"-c", "--connection"},
      paramLabel = "TYPE",
      defaultValue = "RC",
      description = "RC (default), UC or UD.")
  private QpType service;

  @Option(
      names = {"-s", "--size"},
      paramLabel = "BYTES",
      description = "Bytes of a message (default: bandwidth 65536, latency 2; atomics have 8).")
  private Integer size;

  @Option(
      names = {"-n", "--iters"},
      paramLabel = "N",
      description = "Messages of each queue pair (default: 1000; write_bw: 5000).")
  private Long iterations;

  @Option(
      names = {"-D", "--duration"},
      paramLabel = "SECONDS",
      description = "Send for so long instead of counting; between two roce4j, on both sides.")
  private Double duration;

  @Option(
      names = {"-m", "--mtu"},
      paramLabel = "MTU",
      converter = MtuConverter.class,
      description = "Path MTU: 256, 512, 1024, 2048 or 4096 (default: what the device carries).")
  private Mtu mtu;

  @Option(
      names = {"-q", "--qp"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Queue pairs of a bandwidth test (default: ${DEFAULT-VALUE}).")
  private int queuePairs;

  @Option(
      names = {"-t", "--tx-depth"},
      paramLabel = "N",
      description = "Requests outstanding on a queue pair (default: bandwidth 128, latency 16).")
  private Integer txDepth;

  @Option(
      names = {"-r", "--rx-depth"},
      paramLabel = "N",
      description = "Receives posted on a queue pair (default: 512).")
  private Integer rxDepth;

  @Option(
      names = {"-l", "--post_list"},
      paramLabel = "N",
      defaultValue = "1",
      description = "Requests posted in one call, in bandwidth tests (default: ${DEFAULT-VALUE}).")
  private int postList;

  @Option(
      names = {"-I", "--inline_size"},
      paramLabel = "BYTES",
      description =
          "Messages up to so many bytes are copied when posted (default: bandwidth 0, latency"
              + " 220).")
  private Integer inline;

  @Option(
      names = {"-Q", "--cq-mod"},
      paramLabel = "N",
      description = "One completion for so many requests (default: 100; over 8192 bytes: 1).")
  private Integer signalEvery;

  @Option(
      names = {"-u", "--qp-timeout"},
      paramLabel = "N",
      description =
          "ACK timeout of RC: 4.096 us * 2^N (default: 14, 67 ms; in a pair of its own 17, 0.5 s,"
              + " as both share this machine with others).")
  private Integer ackTimeout;

  @Option(
      names = {"-e", "--events"},
      description = "Sleep until a completion event comes instead of polling.")
  private boolean events;

  @Option(
      names = "--verify",
      description = "Check every byte that arrives; between two roce4j, on both sides.")
  private boolean verify;

  @Option(
      names = {"-x", "--gid-index"},
      paramLabel = "N",
      defaultValue = "0",
      description = "Where the address stands in the device's GID table (default: 0).")
  private int gidIndex;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      defaultValue = "18515",
      description = "TCP port of the exchange (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "--bind",
      paramLabel = "IP",
      split = ",",
      converter = GidConverter.class,
      description =
          "Local address of the device; two, with a comma, for client and server on this machine."
              + " Default: 127.0.0.2 and 127.0.0.1, else the address that leads to the peer.")
  private List<Gid> bind = new ArrayList<>();

  @Option(
      names = {"-d", "--device", "--ib-dev"},
      paramLabel = "NAME",
      description = "Use this device of roce4j devices instead of making one.")
  private String device;

  @Option(
      names = "--transport",
      paramLabel = "TRANSPORT",
      defaultValue = "auto",
      description =
          "What carries the packets: linux, netty, fabric (a virtual network in this process, in"
              + " virtual time), or auto, the best that works here (default).")
  private TransportName transport;

  @Option(
      names = "--faults",
      paramLabel = "PLAN",
      description = "A fault plan for this side's port, such as \"seed=7; drop probability=1%%\".")
  private String faults;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      converter = WarmUp.Converter.class,
      description =
          "Play for so long before measuring, or auto: until both processes have compiled what they"
              + " run, 0.6 to 12 s (default: auto in a pair of its own, else 0); with --server or"
              + " HOST another roce4j must do so too.")
  private WarmUp warmUp;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Give up a peer that sends nothing for so long (default: ${DEFAULT-VALUE}).")
  private int patience;

  @Option(
      names = "--limit",
      description =
          "Run plain UDP of the same sizes and mode in turn with the device, in a pair of its own,"
              + " and tell the ratio; a run takes -D (default: 0.4 s).")
  private boolean limit;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "7",
      description = "Runs of device and twin with --limit (default: ${DEFAULT-VALUE}).")
  private int pairs;

  @Option(names = "--twin-port", hidden = true)
  private int twinPort;

  @Option(names = "--twin-page", hidden = true)
  private Path twinPage;

  @Option(
      names = "--pin",
      negatable = true,
      defaultValue = "true",
      fallbackValue = "true",
      description =
          "Tie the two processes of a pair of its own to a processor each, where taskset is there"
              + " and the port needs no thread of its own (default; --no-pin to leave it to the"
              + " system).")
  private boolean pin;

  @Option(names = "--report_gbits", description = "Tell bandwidth in Gb/s instead of MiB/s.")
  private boolean gigabits;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    PerfOptions options = options();
    PrintWriter out = spec.commandLine().getOut();
    Consumer<String> lines =
        line -> {
          if (!json) {
            out.println(line);
            out.flush();
          }
        };
    PerfReport report = run(options, lines);
    if (json) {
      out.println(Json.text(report.json()));
    } else {
      report.text(gigabits).forEach(out::println);
      report.limitText().forEach(out::println);
    }
    out.flush();
    return report.credible() ? 0 : 1;
  }

  private static PerfReport run(PerfOptions options, Consumer<String> out) {
    if (options.transport() == TransportName.FABRIC) {
      return new PerfRun(options, out).onFabric();
    }
    if (options.local()) {
      try (LocalPair pair = new LocalPair(options.pin() && PerfDevice.drivenByPoller(options))) {
        return pair.run(options, out);
      }
    }
    PerfRun run = new PerfRun(options, out);
    return options.server() ? run.serve() : run.call();
  }

  /** The command line, checked as far as that needs no device. */
  PerfOptions options() {
    demand(!(server && host != null), "--server waits for a peer and HOST calls one: choose");
    checkService();
    Plan plan = plan();
    checkAddresses();
    demand(port >= 0 && port <= 65535, "--port must be 0 to 65535, not " + port);
    demand(gidIndex >= 0 && gidIndex <= 255, "--gid-index must be 0 to 255, not " + gidIndex);
    demand(patience >= 1, "--patience must be 1 second or more, not " + patience);
    boolean local = !server && host == null;
    demand(
        !limit || local || twinPage != null,
        "--limit needs a pair of its own: leave out --server and HOST");
    demand(
        !limit || transport != TransportName.FABRIC, "--limit measures a machine, not the fabric");
    demand(!limit || !verify, "--limit and --verify are two questions: choose");
    demand(pairs >= 1 && pairs <= 1000, "--pairs must be 1 to 1000, not " + pairs);
    WarmUp warm = warmUp == null ? (local ? WarmUp.AUTO : WarmUp.NONE) : warmUp;
    if (faults != null) {
      demand(device == null, "--faults needs a device made for this run: leave out --device");
      try {
        FaultPlan.parse(faults);
      } catch (VerbsException e) {
        throw new ParameterException(spec.commandLine(), "--faults: " + e.remedy());
      }
    }
    return new PerfOptions(
        plan,
        mtu,
        warm,
        transport,
        configured,
        device,
        List.copyOf(bind),
        gidIndex,
        faults,
        port,
        server,
        host,
        Duration.ofSeconds(patience),
        limit ? new LimitOptions(pairs, twinPort, twinPage) : null,
        pin);
  }

  private void checkService() {
    demand(
        service == QpType.RC || service == QpType.UC || service == QpType.UD,
        "-c must be RC, UC or UD, not " + service);
    boolean possible =
        switch (service) {
          case UD -> test.verb() == Verb.SEND;
          case UC -> test.verb() == Verb.SEND || test.verb() == Verb.WRITE;
          default -> true;
        };
    demand(
        possible,
        test
            + " does not exist on "
            + service
            + ": "
            + (service == QpType.UD ? "UD has SEND only" : "UC has SEND and WRITE only"));
    demand(
        !(events && test == PerfTest.WRITE_LAT),
        "write_lat looks at memory, where no event comes: leave out -e");
    demand(queuePairs >= 1 && queuePairs <= 100_000, "-q must be 1 to 100000, not " + queuePairs);
    demand(queuePairs == 1 || !test.latency(), "-q is for bandwidth tests");
    demand(postList == 1 || !test.latency(), "-l is for bandwidth tests");
    boolean oneEnd = server || host != null;
    demand(
        !(oneEnd && transport == TransportName.FABRIC),
        "the fabric lives in one process: leave out --server and HOST, or choose another"
            + " --transport");
    demand(
        transport != TransportName.FABRIC || !events && duration == null,
        "on the fabric nobody sleeps and time is virtual: leave out -e and -D");
  }

  private Plan plan() {
    int bytes = size == null ? defaultSize() : size;
    demand(
        bytes >= 0 && bytes <= MOST_BYTES,
        "-s must be 0 to " + MOST_BYTES + " bytes, not " + bytes);
    demand(
        test.verb() != Verb.ATOMIC || bytes == Long.BYTES,
        "an atomic operation has 8 bytes: leave out -s");
    demand(
        test != PerfTest.WRITE_LAT || bytes >= 1,
        "write_lat needs a byte to look at: -s 1 or more");
    demand(
        service != QpType.UD || bytes <= (mtu == null ? 4096 : mtu.bytes()),
        "a datagram has no second packet: -s "
            + bytes
            + " is over the path MTU; choose a smaller -s");
    demand(iterations == null || duration == null, "-n counts and -D times: choose");
    long count = iterations == null ? (test == PerfTest.WRITE_BW ? 5000 : 1000) : iterations;
    demand(count >= 1, "-n must be 1 or more, not " + count);
    demand(
        duration == null || duration > 0 && duration <= 3600,
        "-D must be over 0, up to 3600 seconds");
    demand(postList >= 1 && postList <= 4096, "-l must be 1 to 4096, not " + postList);
    demand(
        timed() || count % postList == 0, "-n " + count + " must be a multiple of -l " + postList);
    int tx = txDepth(count);
    int every = signalEvery(bytes, tx);
    int timeout = ackTimeout != null ? ackTimeout : !server && host == null ? 17 : 14;
    demand(timeout >= 0 && timeout <= 31, "-u must be 0 to 31, not " + timeout);
    int copied = inline == null ? (test.latency() ? LATENCY_INLINE : 0) : inline;
    demand(copied >= 0 && copied <= 4096, "-I must be 0 to 4096, not " + copied);
    boolean mayInline = test.verb() == Verb.SEND || test.verb() == Verb.WRITE;
    checkVerify(bytes);
    return new Plan(
        test,
        service,
        bytes,
        count,
        duration != null ? Math.round(duration * 1e9) : limit ? LIMIT_RUN_NS : 0,
        queuePairs,
        mtu,
        tx,
        rxDepth(count),
        postList,
        mayInline ? copied : 0,
        every,
        timeout,
        events,
        verify);
  }

  private boolean timed() {
    return duration != null || limit;
  }

  private int defaultSize() {
    if (test.verb() == Verb.ATOMIC) {
      return Long.BYTES;
    }
    if (test.latency()) {
      return 2;
    }
    return service == QpType.UD ? (mtu == null ? 1024 : mtu.bytes()) : 65536;
  }

  private int txDepth(long count) {
    int tx = txDepth == null ? (test.latency() || verify ? 16 : 128) : txDepth;
    demand(tx >= 1 && tx <= 8192, "-t must be 1 to 8192, not " + tx);
    if (txDepth == null) {
      tx = Math.max(tx, postList);
    }
    demand(tx >= postList, "-t " + tx + " has no room for a list of -l " + postList);
    return timed() ? tx : (int) Math.min(tx, count);
  }

  private int rxDepth(long count) {
    int rx = rxDepth == null ? (verify && service == QpType.RC ? 32 : 512) : rxDepth;
    demand(rx >= 1 && rx <= 16_384, "-r must be 1 to 16384, not " + rx);
    if (rxDepth == null && service != QpType.RC && !verify && queuePairs == 1) {
      return duration == null ? Math.clamp(count, 1, MOST_LOSSY_RECEIVES) : MOST_LOSSY_RECEIVES;
    }
    return timed() ? rx : (int) Math.min(rx, count);
  }

  private int signalEvery(int bytes, int tx) {
    if (postList > 1) {
      int every = signalEvery == null ? postList : signalEvery;
      demand(
          every >= 1 && postList % every == 0,
          "-l " + postList + " must be a multiple of -Q " + every);
      return every;
    }
    boolean large = bytes > LARGE && service != QpType.UD;
    int every = signalEvery != null ? signalEvery : large ? 1 : 100;
    demand(every >= 1, "-Q must be 1 or more, not " + every);
    return Math.min(every, tx);
  }

  private void checkVerify(int bytes) {
    if (!verify) {
      return;
    }
    demand(
        service == QpType.RC || test.verb() == Verb.SEND && bytes >= Long.BYTES,
        "--verify on " + service + " needs a SEND test with messages of 8 bytes or more");
    demand(postList == 1, "--verify looks at one message after the other: leave out -l");
  }

  private void checkAddresses() {
    boolean oneEnd = server || host != null;
    demand(
        bind.size() <= (oneEnd ? 1 : 2),
        "--bind takes at most "
            + (oneEnd ? "1 address" : "2 addresses")
            + " here, not "
            + bind.size());
    demand(
        bind.size() < 2 || bind.get(0).isIpv4Mapped() == bind.get(1).isIpv4Mapped(),
        "both addresses of --bind must be IPv4 or both IPv6");
    demand(
        oneEnd || bind.size() != 1 && new HashSet<>(bind).size() == bind.size(),
        "a pair of processes needs two addresses: --bind IP,IP");
    demand(
        device == null || bind.isEmpty(),
        "--device has its own addresses (--gid-index selects one): leave out --bind");
    demand(
        device == null || transport == TransportName.AUTO,
        "--device has its own transport: leave out --transport");
    for (Gid address : bind) {
      demand(
          !address.isMulticast()
              && !address.isZero()
              && !(address.isIpv4Mapped() && address.ipv4() == 0),
          "--bind needs the address of one interface, not " + End.plain(address));
    }
  }

  private void demand(boolean right, String message) {
    if (!right) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
