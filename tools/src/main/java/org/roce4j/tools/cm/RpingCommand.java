package org.roce4j.tools.cm;

import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.Farewell;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.OptionRange;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j rping}. */
@Command(
    name = "rping",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Connect by rdma_cm and play ping-pong by READ and WRITE, as rping does.",
    description = {
      "%nThe client tells of a buffer; the server READs it, tells so, and WRITEs the bytes back."
          + " Either end may be the C program rping.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j rping -s -a 127.0.0.1 -v -C 10                  wait for a client",
      "  roce4j rping -c -a 127.0.0.1 -v -C 10                  call it, from 127.0.0.2",
      "  roce4j rping -c -a 10.77.0.2 -C 100 -S 4096 -V         call rping -s on soft-RoCE",
    })
public final class RpingCommand implements Callable<Integer> {
  /** The shortest message, which holds the text of any ping, and the longest. */
  private static final int LEAST_SIZE = 16 + 11;

  private static final int MOST_SIZE = 64 * 1024 - 1;

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private RoleOptions side;

  /** The end that this process plays. */
  private static final class RoleOptions {
    @Option(names = "-s", description = "Wait for a client.")
    private boolean server;

    @Option(names = "-c", description = "Call a server.")
    private boolean client;
  }

  @Option(
      names = "-a",
      paramLabel = "ADDRESS",
      description = "Where to listen, or where the server is.")
  private String address;

  @Option(
      names = "-p",
      paramLabel = "PORT",
      defaultValue = "7174",
      converter = PortNumber.class,
      description = "Port of rdma_cm (default: ${DEFAULT-VALUE}).")
  private int port;

  @Option(names = "-I", paramLabel = "ADDRESS", description = "The local address of the client.")
  private String source;

  @Option(names = "-v", description = "Print the data of each ping.")
  private boolean verbose;

  @Option(names = "-V", description = "Compare the data that came back.")
  private boolean validate;

  @Option(names = "-d", description = "Print each step.")
  private boolean debug;

  @Option(
      names = "-S",
      paramLabel = "BYTES",
      defaultValue = "64",
      description = "Size of a ping, 27 to 65535 (default: ${DEFAULT-VALUE}).")
  private int size;

  @Option(
      names = "-C",
      paramLabel = "COUNT",
      defaultValue = "0",
      description = "Pings of the client; 0, the default: without end.")
  private int count;

  @Option(names = "-P", description = "Serve one client after another, also several at once.")
  private boolean persistent;

  @Option(
      names = "-q",
      description = "Make and modify the queue pair here instead of leaving that to rdma_cm.")
  private boolean ownQueues;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help message and exit.")
  @SuppressWarnings("unused") // the parser reads it
  private boolean help;

  @Mixin private CmDevices devices;

  @Override
  public Integer call() {
    OptionRange.check("-S", size, LEAST_SIZE, MOST_SIZE);
    OptionRange.check("-C", count, 0, Integer.MAX_VALUE);
    if (side.client && address == null) {
      throw ToolFailure.usage("-c calls the server at -a ADDRESS: say where");
    }
    return side.server ? serve() : connect();
  }

  private int serve() {
    InetSocketAddress at =
        new InetSocketAddress(CmDevices.address(address == null ? "0.0.0.0" : address), port);
    try (CmDevices.Opened opened = devices.listening(at.getAddress())) {
      new RpingServer(opened.cm(), this).run(at, persistent);
    }
    return 0;
  }

  private int connect() {
    InetSocketAddress to = new InetSocketAddress(CmDevices.address(address), port);
    InetAddress from = source == null ? null : CmDevices.address(source);
    try (CmDevices.Opened opened = devices.connecting(from, to.getAddress())) {
      RpingClient client = new RpingClient(opened.cm(), this, count);
      client.run(from == null ? null : new InetSocketAddress(from, 0), to);
    }
    return 0;
  }

  int size() {
    return size;
  }

  boolean ownQueues() {
    return ownQueues;
  }

  boolean validate() {
    return validate;
  }

  boolean verbose() {
    return verbose;
  }

  /** A line of data, with {@code -v}. */
  void print(String line) {
    new Speech("rping", spec.commandLine()).say(line);
  }

  /** A step, with {@code -d}. */
  void debug(String line) {
    if (debug) {
      print(line);
    }
  }

  /** A line that the C program prints to stderr, unless a signal ends the process. */
  void warn(String line) {
    if (Farewell.isTime()) {
      return;
    }
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
