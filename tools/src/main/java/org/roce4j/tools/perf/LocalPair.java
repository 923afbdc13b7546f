package org.roce4j.tools.perf;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.side.ChosenPort;
import org.roce4j.verbs.Gid;

/**
 * Two processes on this machine: this one is the client of each test, a second one the server. Both
 * stay between tests, so that compiled code is used again.
 */
public final class LocalPair implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final SecondProcess server;

  /**
   * Starts the second process.
   *
   * @param pin pin each process to a processor, if possible
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
   * @param arguments arguments of {@code roce4j perf}
   * @param clock is called with the time of {@link System#nanoTime} from time to time
   * @param interruption ends the test early
   * @return the output of {@code roce4j perf --json}
   * @throws ToolFailure if it fails
   */
  public Map<String, Object> measure(
      List<String> arguments, LongConsumer clock, Interruption interruption) {
    Onlooker onlooker = Onlooker.telling(clock, interruption);
    return run(PerfCommand.parse(arguments), line -> {}, onlooker).json();
  }

  /** Whether one processor is enough for each side: the thread that polls drives the port. */
  public static boolean mayPin(TransportName transport) {
    return chosen(transport).equals("linux");
  }

  /** The name of the chosen port. */
  public static String chosen(TransportName transport) {
    return ChosenPort.of(transport.toString()).name();
  }

  /**
   * Runs a test.
   *
   * @param out takes the lines that name both sides
   */
  PerfReport run(PerfOptions options, Consumer<String> out, Onlooker onlooker) {
    return options.yardstick().shared(words -> play(options, words, out, onlooker));
  }

  private PerfReport play(
      PerfOptions options, List<String> shared, Consumer<String> out, Onlooker onlooker) {
    List<Gid> addresses =
        options.bind().isEmpty() ? List.of(PerfRun.SECOND, PerfRun.FIRST) : options.bind();
    List<String> serving = new ArrayList<>(options.side("--server", 0, addresses.getLast()));
    serving.addAll(shared);
    int port = server.serve(serving);
    String host = options.byCm() ? addresses.getLast().addressText() : HOST;
    List<String> calling = new ArrayList<>(options.side(host, port, addresses.getFirst()));
    calling.addAll(shared);
    PerfReport report;
    try {
      report = new PerfRun(PerfCommand.parse(calling), out, onlooker).call();
    } catch (ToolFailure e) {
      String reason = server.outcome().failure();
      throw reason == null
          ? e
          : ToolFailure.atRunTime(e.getMessage() + "; the server: " + reason, e);
    }
    SecondProcess.RunResult other = server.outcome();
    if (other.failure() != null && !report.interrupted()) {
      throw ToolFailure.atRunTime("the server: " + other.failure());
    }
    return report.verifiedThere(other.verifiedBytes());
  }

  @Override
  public void close() {
    server.close();
  }
}
