package org.roce4j.tools;

import java.io.PrintWriter;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.roce4j.emulator.statistics.QueuePairStatistics;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.stats.AttachedProcess;
import org.roce4j.tools.stats.AttachedProcess.DeviceStatistics;
import org.roce4j.tools.stats.RunningProcesses;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j stats}. */
@Command(
    name = "stats",
    mixinStandardHelpOptions = true,
    header = "Print the counters of the devices of a running process.",
    description =
        "%nThe process must run as the same user, and publish its devices: start it with"
            + " ROCE4J_STATS=on in its environment or with -Droce4j.stats=on. Counters that are 0"
            + " are left out.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ROCE4J_STATS=on roce4j pingpong --server",
      "  roce4j stats                          the only process of ours that looks like roce4j",
      "  roce4j stats 4711 --every 1",
    })
final class StatsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "PID",
      description = "The process; may be left out when only one looks like roce4j.")
  private Long pid;

  @Option(
      names = "--every",
      paramLabel = "SECONDS",
      description = "Print again and again, with the growth per second, until interrupted.")
  private double every;

  @Option(names = "--times", paramLabel = "N", description = "With --every: print N times.")
  private long times = Long.MAX_VALUE;

  @Option(names = "--json", description = "Print one JSON object each time.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    if (every < 0 || times < 1) {
      throw ToolFailure.usage("--every and --times are not negative");
    }
    PrintWriter out = spec.commandLine().getOut();
    try (AttachedProcess process = AttachedProcess.attach(pid == null ? onlyOne() : pid)) {
      Map<String, Long> before = new HashMap<>();
      long rounds = every == 0 ? 1 : times;
      for (long round = 0; round < rounds; round++) {
        if (round > 0) {
          Thread.sleep((long) (every * 1000));
        }
        List<DeviceStatistics> devices = process.devices();
        if (json) {
          out.println(Json.text(describe(process.pid(), devices)));
        } else {
          if (round == 0) {
            out.println(process.pid() + "  " + RunningProcesses.words(process.pid()));
          }
          devices.forEach(device -> print(out, device, before, every));
        }
        out.flush();
      }
    }
    return 0;
  }

  private static long onlyOne() {
    List<ProcessHandle> candidates = RunningProcesses.ofRoce4j();
    List<ProcessHandle> publishing =
        candidates.stream().filter(p -> AttachedProcess.publishes(p.pid())).toList();
    candidates = publishing.isEmpty() ? candidates : publishing;
    if (candidates.size() == 1) {
      return candidates.getFirst().pid();
    }
    throw ToolFailure.usage(
        candidates.isEmpty()
            ? "no process looks like roce4j; give a PID"
            : "several processes look like roce4j; give one of "
                + candidates.stream()
                    .map(p -> p.pid() + " (" + RunningProcesses.words(p.pid()) + ")")
                    .collect(Collectors.joining(", ")));
  }

  private static void print(
      PrintWriter out, DeviceStatistics device, Map<String, Long> before, double seconds) {
    out.println(device.device() + "  " + String.join(", ", device.addresses()));
    device
        .counters()
        .forEach(
            (name, value) -> {
              Long last = before.put(device.device() + " " + name, value);
              if (value != 0) {
                String growth =
                    last == null ? "" : Wording.of("  %+.0f/s", (value - last) / seconds);
                out.println(Wording.of("  %-24s %d%s", name, value, growth));
              }
            });
  }

  private static Map<String, Object> describe(long pid, List<DeviceStatistics> devices) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("pid", pid);
    all.put("command", RunningProcesses.words(pid));
    all.put("devices", devices.stream().map(StatsCommand::describe).toList());
    return all;
  }

  private static Map<String, Object> describe(DeviceStatistics device) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("name", device.device());
    told.put("addresses", device.addresses());
    told.put("counters", device.counters());
    told.put("queue_pairs", device.queuePairs().stream().map(StatsCommand::describe).toList());
    return told;
  }

  static Map<String, Object> describe(QueuePairStatistics qp) {
    Map<String, Object> told = new LinkedHashMap<>();
    told.put("qp_num", qp.number());
    told.put("service", qp.service());
    told.put("state", qp.state());
    told.put("peer", qp.peer());
    told.put("sends", qp.sends());
    told.put("sends_outstanding", qp.sendsOutstanding());
    told.put("receives", qp.receives());
    told.put("receives_posted", qp.receivesPosted());
    told.put("shared_receives", qp.sharedReceives());
    told.put("rnr_naks", qp.rnrNaks());
    return told;
  }
}
