package org.roce4j.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.roce4j.simulation.Simulation;
import org.roce4j.simulation.SimulationOptions;
import org.roce4j.simulation.SimulationResult;
import org.roce4j.simulation.SimulationSummary;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.OutputFile;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.view.ViewCommand;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.view.View;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code roce4j simulate}. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Let devices work over a faulty network in virtual time, an oracle beside them.",
    description = {
      "%nA seed draws everything: devices, RC, UC and UD queue pairs, multicast groups, requests,"
          + " losses, duplicates, reordering, corruption, pauses, ports that go down, connections"
          + " given up under traffic, crashes. The oracle knows every byte and every completion"
          + " that must come, in which order; it looks at the wire to see whether retries were"
          + " really spent. Then the faults stop and everything outstanding must finish.",
      "%nThe first line names seed and options; the same line repeats the same run, packet for"
          + " packet. Exit status: 0 when no rule was broken, 1 when one was or when 1000 seeds or"
          + " more never met something that they should, 2 for a wrong command line.%n"
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  roce4j simulate --seed 42                          one run",
      "  roce4j simulate --seeds 10000                      many, from a seed of the day on",
      "  roce4j simulate --seed 42 --capture p.pcapng       its packets, for roce4j inspect",
      "  roce4j simulate --options \"seed=42 loss=0 mtu=256\" a run with some options changed",
      "  roce4j simulate --options crashes=2 --seeds 100    100 runs with an option changed"
    })
final class SimulateCommand implements Callable<Integer> {
  /** From this number of seeds on every phenomenon must have occurred. */
  private static final int MUST_MEET_ALL = 1000;

  @Spec private CommandSpec spec;

  private final Interruption interruption;

  /** For the command line. */
  SimulateCommand() {
    this(new Interruption());
  }

  /** For a test, which asks for the end. */
  SimulateCommand(Interruption interruption) {
    this.interruption = interruption;
  }

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "The first seed. Without it, one is drawn from the clock.")
  private Long seed;

  @Option(
      names = "--seeds",
      paramLabel = "COUNT",
      defaultValue = "1",
      description = "How many seeds to run, one after the other. Default: ${DEFAULT-VALUE}.")
  private int seeds;

  @Option(
      names = "--options",
      paramLabel = "LINE",
      description = "Options as the first line prints them; what it leaves out each seed draws.")
  private String line;

  @Option(
      names = "--capture",
      paramLabel = "FILE",
      description =
          "Write every packet of the run into FILE (pcapng; pcap if it ends so), and draw them as a"
              + " page beside it.")
  private Path capture;

  @Option(
      names = "--digests",
      description =
          "Print the digest of every seed, to see in which runs a change altered packets.")
  private boolean digests;

  @Option(names = "--json", description = "Print the outcome as one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    if (seeds < 1) {
      throw ToolFailure.usage("--seeds must be at least 1, not " + seeds);
    }
    if (seeds > 1 && capture != null) {
      throw ToolFailure.usage("--capture is for one run: leave out --seeds");
    }
    if (digests && json) {
      throw ToolFailure.usage("--digests prints a line for each seed: leave out --json");
    }
    if (line != null && seed != null) {
      throw ToolFailure.usage("--options names its seed itself: leave out --seed");
    }
    SimulationOptions first;
    if (line == null) {
      first = SimulationOptions.draw(seed == null ? System.currentTimeMillis() : seed);
    } else {
      first = parsed();
    }
    seed = first.seed();
    return seeds == 1 ? one(first) : many(first);
  }

  private SimulationOptions parsed() {
    try {
      return SimulationOptions.parse(line);
    } catch (VerbsException e) {
      throw ToolFailure.usage("--options: " + e.remedy());
    }
  }

  private int one(SimulationOptions options) {
    PrintWriter out = spec.commandLine().getOut();
    announce(out, options);
    long start = System.nanoTime();
    SimulationResult result = capture == null ? Simulation.run(options) : captured(options);
    SimulationSummary summary = new SimulationSummary();
    summary.add(result);
    report(out, summary, System.nanoTime() - start, result);
    if (capture != null) {
      draw(summary, result);
    }
    return result.passed() ? 0 : ToolFailure.RUN_TIME;
  }

  private SimulationResult captured(SimulationOptions options) {
    try {
      return Simulation.run(options, capture);
    } catch (UncheckedIOException e) {
      throw OutputFile.failure(capture, e.getCause());
    }
  }

  /** Writes the packets as a page beside their capture, with the notes of the run. */
  private void draw(SimulationSummary summary, SimulationResult result) {
    List<String> notes = new ArrayList<>();
    notes.add("options   " + result.options());
    if (result.violation() != null) {
      notes.add("failure   " + result.violation());
    }
    if (!summary.failures().isEmpty()) {
      notes.add("failed    " + pairs(summary.failures()) + ", with good reason");
    }
    Path page = ViewCommand.beside(capture);
    try {
      View.read(List.of(capture), notes).writePage(page);
    } catch (IOException e) {
      throw OutputFile.failure(page, e);
    }
  }

  private int many(SimulationOptions first) {
    PrintWriter out = spec.commandLine().getOut();
    interruption.begin();
    announce(out, first);
    long start = System.nanoTime();
    ProgressLine progress =
        new ProgressLine(spec.commandLine().getErr(), Terminal.isStderr(), "seeds", seeds, start);
    SimulationSummary summary = new SimulationSummary();
    try (interruption) {
      run(out, summary, progress);
      report(out, summary, System.nanoTime() - start, null);
      boolean all = summary.seeds() == seeds;
      if (!all && !json) {
        out.println(Wording.of("interrupted after %d of %d seeds", summary.seeds(), seeds));
        out.flush();
      }
      return all && summary.violations() == 0 && metEnough(summary) ? 0 : ToolFailure.RUN_TIME;
    }
  }

  private void run(PrintWriter out, SimulationSummary summary, ProgressLine progress) {
    for (int i = 0; i == 0 || i < seeds && !interruption.asked(); i++) {
      SimulationResult result = Simulation.run(options(seed + i));
      if (!result.passed() && !json) {
        out.println("seed " + (seed + i) + " broke " + result.violation().rule());
        out.flush();
      }
      if (digests) {
        out.printf(Locale.ROOT, "seed %d digest %016x%n", seed + i, result.digest());
      }
      summary.add(result);
      progress.update(i + 1L, System.nanoTime());
    }
    progress.end();
  }

  /** Fails many seeds of all kinds in which a phenomenon never occurred: they prove too little. */
  private boolean metEnough(SimulationSummary summary) {
    return line != null || metEnough(seeds, summary);
  }

  static boolean metEnough(int seeds, SimulationSummary summary) {
    return seeds < MUST_MEET_ALL || summary.missed().isEmpty();
  }

  private SimulationOptions options(long each) {
    return line == null
        ? SimulationOptions.draw(each)
        : SimulationOptions.parse(line + " seed=" + each);
  }

  private void announce(PrintWriter out, SimulationOptions options) {
    if (!json) {
      out.println(options);
      out.flush();
    }
  }

  /**
   * @param only the run if there was just one
   */
  private void report(
      PrintWriter out, SimulationSummary summary, long tookNs, SimulationResult only) {
    double seconds = tookNs / 1e9;
    if (json) {
      out.println(Json.text(json(summary, seconds, only)));
    } else {
      print(out, summary, seconds, only);
    }
    out.flush();
  }

  static void print(
      PrintWriter out, SimulationSummary summary, double seconds, SimulationResult only) {
    SimulationResult broken = summary.firstViolation();
    if (broken != null) {
      if (only == null) {
        out.println("first violation, with seed " + broken.options().seed() + ":");
        out.println(broken.options());
      }
      out.println(broken.violation());
    }
    out.printf(
        Locale.ROOT,
        "%d %s, %d %s broken, %d requests, %d packets in %.1f s (%.0f packets/s), %.3f virtual s%n",
        summary.seeds(),
        summary.seeds() == 1 ? "seed" : "seeds",
        summary.violations(),
        summary.violations() == 1 ? "rule" : "rules",
        summary.requests(),
        summary.datagrams(),
        seconds,
        summary.datagrams() / seconds,
        summary.virtualNs() / 1e9);
    out.println("met: " + pairs(summary.hardships()));
    if (only == null && !summary.missed().isEmpty()) {
      out.println("never met: " + String.join(" ", summary.missed()));
    }
    if (!summary.failures().isEmpty()) {
      out.println("queue pairs that failed, with good reason: " + pairs(summary.failures()));
    }
    out.printf(Locale.ROOT, "digest %016x%n", summary.digest());
  }

  private static String pairs(Map<String, Long> map) {
    StringBuilder text = new StringBuilder();
    new TreeMap<>(map)
        .forEach(
            (key, value) ->
                text.append(text.isEmpty() ? "" : " ").append(key).append('=').append(value));
    return text.toString();
  }

  private Map<String, Object> json(
      SimulationSummary summary, double seconds, SimulationResult only) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("firstSeed", seed);
    json.put("seeds", summary.seeds());
    json.put("violations", summary.violations());
    json.put("violatedSeeds", summary.violatedSeeds());
    SimulationResult broken = summary.firstViolation();
    if (broken != null) {
      Map<String, Object> violation = new LinkedHashMap<>();
      violation.put("options", broken.options().toString());
      violation.put("rule", broken.violation().rule().name());
      violation.put("sentence", broken.violation().rule().sentence());
      violation.put("virtualNs", broken.violation().virtualNs());
      violation.put("what", broken.violation().what());
      json.put("firstViolation", violation);
    }
    json.put("requests", summary.requests());
    json.put("packets", summary.datagrams());
    json.put("seconds", seconds);
    json.put("packetsPerSecond", summary.datagrams() / seconds);
    json.put("virtualSeconds", summary.virtualNs() / 1e9);
    json.put("failures", new TreeMap<>(summary.failures()));
    json.put("met", summary.hardships());
    json.put("neverMet", summary.missed());
    json.put("counters", new TreeMap<>(summary.counters()));
    json.put("digest", Wording.of("%016x", summary.digest()));
    if (only != null) {
      json.put("options", only.options().toString());
    }
    return json;
  }
}
