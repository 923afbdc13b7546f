package org.roce4j.tools.perf;

import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.perf.limit.Twin;
import org.roce4j.tools.perf.limit.TwinKind;
import org.roce4j.verbs.Gid;
import picocli.CommandLine;

/**
 * Two processes on this machine: this one is the client of each test, a second one the server. Both
 * stay while tests follow each other, so that what has been compiled is used again.
 */
public final class LocalPair implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private static final int MOST_TRIES = 20;

  private final SecondProcess server;

  /**
   * Starts the second process.
   *
   * @param pin tie both to a processor each, where that is possible
   */
  public LocalPair(boolean pin) {
    boolean tied = pin && SecondProcess.canPin();
    if (tied) {
      SecondProcess.pinThis(0);
    }
    server = new SecondProcess(tied ? 1 : -1);
  }

  /**
   * Runs a test.
   *
   * @param arguments those of {@code roce4j perf}
   * @return what {@code roce4j perf --json} prints
   * @throws ToolFailure if it fails
   */
  public Map<String, Object> measure(String... arguments) {
    PerfCommand command = new PerfCommand();
    new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
    return run(command.options(), line -> {}).json();
  }

  /** Whether one processor is enough for each side: the thread that polls drives the port. */
  public static boolean mayPin(TransportName transport) {
    return chosen(transport).equals("linux");
  }

  /** The name of the port that is taken. */
  public static String chosen(TransportName transport) {
    return PerfDevice.chosen(transport.toString());
  }

  /**
   * Runs a test.
   *
   * @param out takes the lines that tell who plays with whom
   */
  PerfReport run(PerfOptions options, Consumer<String> out) {
    return options.limit() == null ? play(options, out) : besideTwins(options, out);
  }

  private PerfReport besideTwins(PerfOptions options, Consumer<String> out) {
    try {
      Path page = Files.createTempFile("roce4j-perf", ".page");
      try {
        Files.write(page, new byte[Twin.pageBytes()]);
        LimitOptions limit = new LimitOptions(options.limit().pairs(), freePorts(), page);
        return play(options.beside(limit), out);
      } finally {
        Files.deleteIfExists(page);
      }
    } catch (IOException e) {
      throw ToolFailure.atRunTime("cannot share a page of memory: " + e.getMessage(), e);
    }
  }

  /** As many free UDP ports in a row as there are twins. */
  private static int freePorts() throws IOException {
    for (int tries = 0; ; tries++) {
      try (DatagramSocket first = new DatagramSocket(0)) {
        int port = first.getLocalPort();
        for (int i = 1; i < TwinKind.values().length; i++) {
          new DatagramSocket(port + i).close();
        }
        return port;
      } catch (IOException e) {
        if (tries == MOST_TRIES) {
          throw e;
        }
      }
    }
  }

  private PerfReport play(PerfOptions options, Consumer<String> out) {
    List<Gid> addresses =
        options.bind().isEmpty() ? List.of(PerfRun.SECOND, PerfRun.FIRST) : options.bind();
    int port = server.serve(options.side(true, null, 0, addresses.getLast()));
    PerfReport report;
    try {
      report = new PerfRun(options.side(false, HOST, port, addresses.getFirst()), out).call();
    } catch (ToolFailure e) {
      String reason = server.outcome().failure();
      throw reason == null
          ? e
          : ToolFailure.atRunTime(e.getMessage() + "; the server: " + reason, e);
    }
    SecondProcess.Outcome other = server.outcome();
    if (other.failure() != null) {
      throw ToolFailure.atRunTime("the server: " + other.failure());
    }
    return report.verifiedThere(other.verifiedBytes());
  }

  @Override
  public void close() {
    server.close();
  }
}
