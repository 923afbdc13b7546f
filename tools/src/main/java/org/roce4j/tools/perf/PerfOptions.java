package org.roce4j.tools.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.tools.side.SideOptions;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options of {@code roce4j perf}. */
public final class PerfOptions extends SideOptions {
  /** Options that the second process gets in another form or not at all. */
  private static final Set<String> OWN =
      Set.of(
          "--server",
          "--bind",
          "--port",
          "--warm-up",
          "--qp-timeout",
          "--pin",
          "--report_gbits",
          "--json",
          "--debug");

  @Mixin private PerfPlan plan;

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "HOST",
      description = "Be the client of the server on that host.")
  private String host;

  @Option(
      names = {"-x", "--gid-index"},
      paramLabel = "N",
      defaultValue = "0",
      description = "Where the address stands in the device's GID table (default: 0).")
  private int gidIndex;

  @Option(
      names = {"-d", "--device", "--ib-dev"},
      paramLabel = "NAME",
      description = "Use this device of roce4j devices instead of making one.")
  private String device;

  @Option(
      names = {"-R", "--rdma_cm"},
      description =
          "Connect by rdma_cm, at the port of the exchange, instead of by what the exchange tells;"
              + " RC and UD, on both sides; the path MTU is the device's.")
  private boolean byCm;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      converter = WarmUp.Converter.class,
      description =
          "Play for SECONDS before measuring, or auto: until both processes have compiled what they"
              + " run, 0.6 to 12 s (default: auto in a pair of its own, else 0); with --server or"
              + " HOST another roce4j must do so too.")
  private WarmUp warmUp;

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

  @Mixin private Yardstick yardstick = Yardstick.find();

  /** Checks the command line as far as that needs no device, and fills in the defaults. */
  PerfOptions resolve() {
    checkSide();
    demand(port() >= 0 && port() <= 65535, "--port must be 0 to 65535, not " + port());
    demand(!local() || bind().size() != 1, "a pair of processes needs two addresses: --bind IP,IP");
    plan.resolve(this, yardstick.wanted() ? yardstick.runNs() : 0);
    yardstick.check(this);
    demand(!byCm || plan.service() != QpType.UC, "rdma_cm has no UC: leave out -R, or choose -c");
    demand(
        transport() != TransportName.FABRIC || !plan.events() && plan.durationNs() == 0,
        "on the fabric nobody sleeps and time is virtual: leave out -e and -D");
    warmUp = warmUp != null ? warmUp : local() ? WarmUp.AUTO : WarmUp.NONE;
    return this;
  }

  /**
   * The command line of one side of a pair on this machine: these options, with the pair's defaults
   * filled in.
   *
   * @param peer the option to wait for the peer, or the peer's address
   * @param address of its device, unless the options name a device
   */
  List<String> side(String peer, int tcpPort, Gid address) {
    List<String> words = new ArrayList<>();
    words.add(plan.test().toString());
    for (OptionSpec option : command().commandLine().getParseResult().matchedOptionsSet()) {
      String name = option.longestName();
      if (OWN.contains(name)) {
        continue;
      }
      if (option.arity().max() == 0) {
        words.add(name);
      } else {
        option.originalStringValues().forEach(value -> words.add(name + "=" + value));
      }
    }
    words.add("--port=" + tcpPort);
    words.add("--warm-up=" + warmUp);
    words.add("--qp-timeout=" + plan.ackTimeout());
    if (device == null) {
      words.add("--bind=" + address.addressText());
    }
    words.add(peer);
    return words;
  }

  /** The plan; both sides replace its path MTU by the one that they agree on. */
  public PerfPlan plan() {
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

  /** Whether the queue pairs are connected by the connection manager. */
  boolean byCm() {
    return byCm;
  }

  /** How long to play before measuring; both sides must do so, or neither. */
  public WarmUp warmUp() {
    return warmUp;
  }

  /** Whether each of two local processes is pinned to a processor. */
  boolean pin() {
    return pin;
  }

  /** The yardstick that the run is compared with. */
  Yardstick yardstick() {
    return yardstick;
  }
}
