package org.roce4j.benchmarks.limit;

import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.options.TransportName;
import org.roce4j.tools.perf.Comparison;
import org.roce4j.tools.perf.PerfOptions;
import org.roce4j.tools.perf.PerfReport;
import org.roce4j.tools.perf.Session;
import org.roce4j.tools.perf.Yardstick;
import picocli.CommandLine.Option;

/** {@code roce4j perf --limit}: a device beside plain UDP. */
public final class PlainUdpYardstick extends Yardstick {
  private static final long RUN_NS = 400_000_000L;
  private static final int MOST_TRIES = 20;

  @Option(
      names = "--limit",
      description =
          "Run plain UDP of the same sizes and mode in turn with the device, in a pair of its own,"
              + " and tell the ratio; a run takes -D (default: 0.4 s).")
  private boolean wanted;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      defaultValue = "7",
      description = "Runs of device and twin with --limit (default: ${DEFAULT-VALUE}).")
  private int pairs;

  /** First of the UDP ports of the twins. */
  @Option(names = "--twin-port", hidden = true)
  private int twinPort;

  /** File that both sides map; null until the pair has one. */
  @Option(names = "--twin-page", hidden = true)
  private Path twinPage;

  @Override
  public boolean wanted() {
    return wanted;
  }

  @Override
  public long runNs() {
    return RUN_NS;
  }

  @Override
  public void check(PerfOptions options) {
    options.demand(pairs >= 1 && pairs <= 1000, "--pairs must be 1 to 1000, not " + pairs);
    options.demand(
        !wanted || options.local() || twinPage != null,
        "--limit needs a pair of its own: leave out --server and HOST");
    options.demand(
        !wanted || options.transport() != TransportName.FABRIC,
        "--limit measures a machine, not the fabric");
    options.demand(
        !wanted || !options.plan().verify(), "--limit and --verify are two questions: choose");
  }

  @Override
  public PerfReport shared(Function<List<String>, PerfReport> run) {
    if (!wanted) {
      return super.shared(run);
    }
    try {
      Path page = Files.createTempFile("roce4j-perf", ".page");
      try {
        Files.write(page, new byte[Twin.pageBytes()]);
        return run.apply(List.of("--twin-port=" + freePorts(), "--twin-page=" + page));
      } finally {
        Files.deleteIfExists(page);
      }
    } catch (IOException e) {
      throw ToolFailure.atRunTime("cannot share a page of memory: " + e.getMessage(), e);
    }
  }

  /** The first of consecutive free UDP ports, one for each twin. */
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

  @Override
  public Comparison compare(PerfOptions options, Session session, boolean client) {
    try (LimitRun run =
        new LimitRun(session, client, options.warmUp(), pairs, twinPort, twinPage)) {
      return run.play();
    }
  }
}
