package org.roce4j.tools.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.OptionRange;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j cmtime}. */
@Command(
    name = "cmtime",
    mixinStandardHelpOptions = true,
    header = "Measure each step of many connections, as cmtime does.",
    description =
        "%nNo message is sent over the connections. The server ends with the last one. It fails if"
            + " all that it has are over and no other comes for a second, or if a client is gone"
            + " without a word. Without queue pairs (-m) it cannot ask, and waits.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j cmtime -b 127.0.0.1 -c 1000           serve a thousand connections",
      "  roce4j cmtime -s 127.0.0.1 -c 1000           make them, and tell how long each step took",
      "  roce4j cmtime -s 127.0.0.1 -c 1000 -S        the same of TCP, where the server has -S, too"
    })
public final class CmtimeCommand implements Callable<Integer> {
  /** A number has 24 bits. */
  private static final int QPNS = 1 << 24;

  @Spec private CommandSpec spec;
  @Mixin private CmDevices devices;

  @Option(
      names = "-s",
      paramLabel = "ADDRESS",
      description = "Where the server is; without it this is the server.")
  private String server;

  @ArgGroup(multiplicity = "0..1")
  private Own own;

  /** The local address. */
  private static final class Own {
    @Option(names = "-b", paramLabel = "ADDRESS", description = "The local address.")
    private String address;

    @Option(
        names = "-B",
        paramLabel = "INTERFACE",
        description = "The local address: the first one of a network interface.")
    private String card;
  }

  @Option(
      names = "-c",
      paramLabel = "CONNECTIONS",
      defaultValue = "100",
      description = "Connections (default: ${DEFAULT-VALUE}).")
  private int connections;

  @Option(
      names = "-p",
      paramLabel = "PORT",
      defaultValue = "7471",
      converter = PortNumber.class,
      description = "Port of rdma_cm, or of TCP with -S (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(
      names = "-t",
      paramLabel = "MS",
      defaultValue = "2000",
      description = "Time for address and route each, in milliseconds (default: ${DEFAULT-VALUE}).")
  private int timeoutMs;

  @Option(
      names = "-r",
      paramLabel = "RETRIES",
      defaultValue = "2",
      description =
          "How often address and route are resolved again that could not be (default:"
              + " ${DEFAULT-VALUE}).")
  private int retries;

  @Option(
      names = "-n",
      paramLabel = "THREADS",
      defaultValue = "1",
      description = "Threads that do the steps (default: ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "-m",
      paramLabel = "US",
      description =
          "Instead of creating and modifying a queue pair, wait for so many microseconds each time."
              + " Both sides should do so.")
  private Integer delayUs;

  @Option(
      names = "-q",
      paramLabel = "QPN",
      defaultValue = "1000",
      description =
          "With -m, the first of the numbers that stand for queue pairs (default:"
              + " ${DEFAULT-VALUE}).")
  private int firstQpn;

  @Option(names = "-S", description = "Measure TCP connections instead, for comparison.")
  private boolean sockets;

  @Option(
      names = {"-C", "-L", "-P"},
      arity = "0..1",
      paramLabel = "X",
      description =
          "Refused: many peers with a controller. Here a client names its server, with -s.")
  private String mesh;

  @Override
  public Integer call() {
    check();
    InetAddress bound = own == null ? null : ownAddress();
    InetAddress to = server == null ? null : CmDevices.address(server);
    Speech speech = new Speech("cmtime", spec.commandLine());
    if (sockets) {
      playSockets(bound, to, speech);
      return 0;
    }
    CmtimeRun run =
        new CmtimeRun(connections, timeoutMs, retries, threads, delayUs, firstQpn, speech);
    devices.play(bound, to, port, run::serve, run::measure);
    return 0;
  }

  private void check() {
    if (mesh != null) {
      throw ToolFailure.usage(
          "-C, -L and -P are for many peers with a controller: start a server, and clients that"
              + " name it by -s");
    }
    OptionRange.check("-c", connections, 1, QPNS);
    OptionRange.check("-n", threads, 1, Integer.MAX_VALUE);
    OptionRange.check("-r", retries, 0, Integer.MAX_VALUE);
    OptionRange.check("-t", timeoutMs, 1, Integer.MAX_VALUE);
    OptionRange.check("-m", delayUs == null ? 0 : delayUs, 0, Integer.MAX_VALUE);
    OptionRange.check("-q", firstQpn, 0, QPNS - connections);
  }

  private InetAddress ownAddress() {
    return own.address != null ? CmDevices.address(own.address) : addressOf(own.card);
  }

  private static InetAddress addressOf(String card) {
    try {
      NetworkInterface found = NetworkInterface.getByName(card);
      if (found != null) {
        return found
            .inetAddresses()
            .findFirst()
            .orElseThrow(() -> ToolFailure.usage("-B: " + card + " has no IP address"));
      }
    } catch (SocketException e) {
      throw ToolFailure.atRunTime("-B: the network interfaces cannot be read", e);
    }
    throw ToolFailure.usage("-B: there is no network interface " + card);
  }

  private void playSockets(InetAddress bound, InetAddress to, Speech speech) {
    CmtimeSockets run = new CmtimeSockets(connections, speech::say);
    if (to == null) {
      run.serve(new InetSocketAddress(bound, port));
    } else {
      run.measure(bound, new InetSocketAddress(to, port));
    }
  }
}
