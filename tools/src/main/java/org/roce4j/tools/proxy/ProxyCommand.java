package org.roce4j.tools.proxy;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import org.roce4j.emulator.Faults;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.port.fault.FaultRule;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.FaultsConverter;
import org.roce4j.tools.options.GidConverter;
import org.roce4j.tools.options.TransportName;
import org.roce4j.verbs.Gid;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j proxy}. */
@Command(
    name = "proxy",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Stand between two real ends, each believing this to be its peer, and break things.",
    description = {
      "%nA and B are adapters, soft-RoCE, C programs or roce4j. A talks to the first address of"
          + " --bind, B to the second. Datagrams of UDP port 4791 go on with the addresses"
          + " rewritten, also in the messages of connection managers, and with a new ICRC; damage"
          + " stays damage. Programs without a connection manager exchange GIDs over TCP: with"
          + " --exchange they do that through the proxy, too.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --faults \"loss=1%%\"",
      "  rping -s -a 10.0.0.2      on B",
      "  rping -c -a 10.0.0.3      on A",
      "  roce4j proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --exchange 18515",
      "  ib_send_bw                on B",
      "  ib_send_bw 10.0.0.3       on A"
    })
public final class ProxyCommand implements Callable<Integer> {
  private static final long MOST_SECONDS = Long.MAX_VALUE / 1_000_000_000;

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      paramLabel = "A",
      converter = GidConverter.class,
      description = "One end.")
  private Gid a;

  @Parameters(
      index = "1",
      paramLabel = "B",
      converter = GidConverter.class,
      description = "The other end.")
  private Gid b;

  @Option(
      names = "--bind",
      paramLabel = "IP,IP",
      split = ",",
      required = true,
      converter = GidConverter.class,
      description = "Two addresses of this machine: A's peer, and B's peer.")
  private List<Gid> bind;

  @Option(
      names = "--faults",
      paramLabel = "PLAN",
      converter = FaultsConverter.class,
      description =
          "A fault plan, or a file with one: direction=out is from A to B, direction=in from B to"
              + " A; links are both.")
  private Faults faults = Faults.NONE;

  @Option(
      names = "--exchange",
      paramLabel = "PORT[:PORT]",
      converter = ExchangePorts.class,
      description =
          "Also pass on TCP connections to this port of --bind's addresses, to the second port, if"
              + " it is another, of the end behind, and change the GIDs in them, as bytes or"
              + " digits: for perftest without -R and the programs of libibverbs.")
  private Exchange.Ports exchange;

  @Option(
      names = "--capture",
      paramLabel = "FILE,FILE",
      split = ",",
      description = "Keep the packets of both sides: what A sends and gets, and what B does.")
  private List<Path> captures = List.of();

  @Option(
      names = "--transport",
      paramLabel = "TRANSPORT",
      defaultValue = "auto",
      description = "What carries the packets: linux, netty, or auto (default).")
  private TransportName transport;

  @Option(
      names = "--for",
      paramLabel = "SECONDS",
      description = "End after that time (default: when it is interrupted).")
  private long seconds = MOST_SECONDS;

  @Override
  public Integer call() {
    check();
    PrintWriter out = spec.commandLine().getOut();
    Proxy.Ends ends = new Proxy.Ends(a, bind.get(0), b, bind.get(1));
    try (Interruption interruption = new Interruption();
        Proxy proxy = new Proxy(ends, transport.toString(), plan(), captures);
        Exchange passing =
            exchange == null ? null : new Exchange(exchange, ends.toB(), ends.toA())) {
      interruption.begin();
      out.println("proxy ready");
      out.flush();
      long begunNs = System.nanoTime();
      while (!interruption.asked() && System.nanoTime() - begunNs < seconds * 1_000_000_000) {
        proxy.turn();
      }
      proxy.report().forEach(out::println);
      if (passing != null) {
        out.println("exchange: " + passing);
      }
      out.flush();
    }
    return 0;
  }

  /** The rules of the plan, and those of its links in both directions. */
  private FaultPlan plan() {
    List<FaultRule> rules = new ArrayList<>(faults.packets());
    for (FaultDirection direction : List.of(FaultDirection.OUT, FaultDirection.IN)) {
      for (FaultRule rule : faults.links().rulesOfPort()) {
        rules.add(
            new FaultRule(rule.matcher().withDirection(direction), rule.choice(), rule.action()));
      }
    }
    return new FaultPlan(faults.seed(), rules);
  }

  private void check() {
    demand(bind.size() == 2, "--bind needs two addresses, of A's peer and of B's peer");
    List<Gid> all = List.of(a, b, bind.get(0), bind.get(1));
    demand(
        new HashSet<>(all).size() == 4,
        "A, B and the addresses of --bind are four different addresses");
    for (Gid one : all) {
      demand(
          !one.isMulticast() && !one.toInetAddress().isAnyLocalAddress(),
          one.addressText() + " is not the address of one end");
    }
    demand(
        a.isIpv4Mapped() == bind.get(0).isIpv4Mapped()
            && b.isIpv4Mapped() == bind.get(1).isIpv4Mapped()
            && a.isIpv4Mapped() == b.isIpv4Mapped(),
        "all four addresses are IPv4, or all are IPv6");
    demand(
        captures.isEmpty() || captures.size() == 2,
        "--capture needs two files, for A's side and for B's");
    demand(
        captures.stream().map(file -> file.toAbsolutePath().normalize()).distinct().count()
            == captures.size(),
        "--capture needs two different files");
    demand(
        faults.verbs().isEmpty(),
        "a proxy meets datagrams, no verbs: leave out the rules of the verbs");
    demand(
        transport != TransportName.FABRIC, "the fabric has no sockets: choose another transport");
    demand(seconds > 0 && seconds <= MOST_SECONDS, "--for needs 1 to " + MOST_SECONDS + " seconds");
  }

  private static void demand(boolean right, String message) {
    if (!right) {
      throw ToolFailure.usage(message);
    }
  }
}
