package org.roce4j.benchmarks;

import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.roce4j.benchmarks.loopback.Comparison;
import org.roce4j.benchmarks.loopback.Ratios;
import org.roce4j.benchmarks.loopback.Workload;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Throughput and latency from end to end, as ratios to plain UDP in the same run. */
@Command(
    name = "LoopbackRatios",
    mixinStandardHelpOptions = true,
    description = {
      "Measures reliable connections between two processes on loopback, one processor each where",
      "that is possible, beside a twin: plain UDP that sends the same sizes in the same mode, with",
      "segmentation offload, CRC on both sides and one copy. Device and twin run in turn; the"
          + " ratio",
      "is the result. Throughput: more is better; half round trip: less is better.",
    },
    footer = {
      "",
      "Examples:",
      "  java -cp benchmarks/target/benchmarks.jar org.roce4j.benchmarks.LoopbackRatios",
      "  ... LoopbackRatios --transport linux --workload WRITE_1M --pairs 15",
    })
public final class LoopbackRatios implements Callable<Integer> {
  @Option(
      names = "--transport",
      split = ",",
      paramLabel = "NAME",
      description = "Ports to measure (default: ${DEFAULT-VALUE}).",
      defaultValue = "linux,netty")
  private List<String> transports;

  @Option(
      names = "--workload",
      split = ",",
      paramLabel = "NAME",
      description = "Any of ${COMPLETION-CANDIDATES} (default: all).")
  private List<Workload> workloads = List.of(Workload.values());

  @Option(
      names = "--pairs",
      paramLabel = "N",
      description = "Interleaved pairs of runs (default: ${DEFAULT-VALUE}).",
      defaultValue = "7")
  private int pairs;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long each run takes (default: ${DEFAULT-VALUE}).",
      defaultValue = "0.4")
  private double seconds;

  @Option(names = "--json", description = "Print an object per line instead of the table.")
  private boolean json;

  private LoopbackRatios() {}

  /** Runs the command. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new LoopbackRatios()).execute(args));
  }

  @Override
  public Integer call() throws IOException {
    if (!json) {
      System.out.println(
          "transport  workload             ratio   min..max       95 % of median  device / twin"
              + "            alloc/packet");
    }
    for (String transport : transports) {
      for (Workload workload : workloads) {
        Comparison comparison =
            new Comparison(transport, workload, pairs, Math.round(seconds * 1e9));
        print(comparison.run(step -> progress(transport, workload, step)));
      }
    }
    return 0;
  }

  private static void progress(String transport, Workload workload, String step) {
    if (System.console() != null) {
      System.err.printf("\r%s, %s: %-20s\r", transport, workload.title(), step);
    }
  }

  private void print(Comparison.Outcome o) {
    Ratios r = o.ratios();
    Workload workload = o.comparison().workload();
    String format =
        json
            ? "{\"transport\":\"%s\",\"workload\":\"%s\",\"ratio\":%.3f,\"min\":%.3f,\"max\":%.3f,"
                + "\"low\":%.3f,\"high\":%.3f,\"device\":%.3f,\"twin\":%.3f,\"unit\":\"%s\","
                + "\"allocated_per_packet\":%.3f}%n"
            : "%-9s  %-19s  %5.2f   %5.2f..%-5.2f  %5.2f..%-5.2f    %6.2f / %6.2f %-4s    %.3f B%n";
    System.out.printf(
        Locale.ROOT,
        format,
        o.comparison().transport(),
        json ? workload.name() : workload.title(),
        r.median(),
        r.least(),
        r.most(),
        r.low(),
        r.high(),
        o.device(),
        o.twin(),
        workload.unit(),
        o.allocatedPerPacket());
  }
}
