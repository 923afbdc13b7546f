package org.roce4j.tools.perf;

import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.options.TransportName;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
  @Spec private CommandSpec spec;
  @Mixin private PerfOptions options;

  @Option(names = "--report_gbits", description = "Tell bandwidth in Gb/s instead of MiB/s.")
  private boolean gigabits;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  /** The checked options of a command line without the command's name. */
  public static PerfOptions parse(List<String> words) {
    PerfCommand command = new PerfCommand();
    new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .parseArgs(words.toArray(String[]::new));
    return command.options.resolve();
  }

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    Consumer<String> lines =
        line -> {
          if (!json) {
            out.println(line);
            out.flush();
          }
        };
    try (Interruption interruption = new Interruption()) {
      PrintWriter err = spec.commandLine().getErr();
      Onlooker onlooker = new Onlooker(err, Terminal.isStderr(), interruption);
      PerfReport report = run(options.resolve(), lines, onlooker);
      if (json) {
        out.println(Json.text(report.json()));
      } else {
        report.text(gigabits).forEach(out::println);
      }
      out.flush();
      return report.credible() ? 0 : 1;
    }
  }

  static PerfReport run(PerfOptions options, Consumer<String> out, Onlooker onlooker) {
    PerfRun run = new PerfRun(options, out, onlooker);
    if (options.transport() == TransportName.FABRIC) {
      return run.onFabric();
    }
    if (options.local()) {
      options.configured().configuration(); // a wrong setting starts no second process
      try (LocalPair pair = new LocalPair(options.pin() && PerfDevice.drivenByPoller(options))) {
        return pair.run(options, out, onlooker);
      }
    }
    return options.server() ? run.serve() : run.call();
  }
}
