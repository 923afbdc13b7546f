package org.roce4j.tools.explore;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.emulator.Faults;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.OutputFile;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.verbs.text.Wording;

/** Prints the progress and the result of the search, as lines or as one JSON object. */
final class ExploreReport implements Exploration.Told {
  static final int SHOWN_LINES = 8;
  private static final int JSON_LINES = 200;

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;
  private final boolean json;
  private final Bounds bounds;
  private final Faults always;
  private final long seed;
  private final Map<String, Object> object = new LinkedHashMap<>();
  private ProgressLine progress;

  ExploreReport(
      PrintWriter out,
      PrintWriter err,
      boolean terminal,
      boolean json,
      Bounds bounds,
      Faults always,
      long seed) {
    this.seed = seed;
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.json = json;
    this.bounds = bounds;
    this.always = always;
  }

  private void line(String format, Object... words) {
    if (progress != null) {
      progress.end();
    }
    if (!json) {
      out.println(Wording.of(format, words));
      out.flush();
    }
  }

  @Override
  public void healthy(Outcome outcome) {
    long sent = count(outcome, FaultDirection.OUT);
    long received = count(outcome, FaultDirection.IN);
    line(
        "seed %d: without faults it passes in %.1f s; its first device sends %d datagrams and"
            + " receives %d",
        seed, outcome.tookNs() / 1e9, sent, received);
    object.put("seed", seed);
    object.put("secondsWithoutFaults", outcome.tookNs() / 1e9);
    object.put("datagramsSent", sent);
    object.put("datagramsReceived", received);
    progress =
        bounds.timeNs() == Long.MAX_VALUE
            ? new ProgressLine(err, terminal, "runs", bounds.runs(), System.nanoTime())
            : new ProgressLine(
                err, terminal, "searching", bounds.timeNs() / 1_000_000_000L, System.nanoTime());
  }

  private static long count(Outcome outcome, FaultDirection direction) {
    return outcome.met().datagrams().entrySet().stream()
        .filter(each -> each.getKey().direction() == direction)
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  @Override
  public void searching(int done) {
    if (bounds.timeNs() == Long.MAX_VALUE) {
      progress.update(done, System.nanoTime());
    } else {
      progress.updateTime(System.nanoTime());
    }
  }

  @Override
  public void confirmed(FaultFinding finding) {
    line("run %d %s", finding.number(), finding.how());
    line("  %s", plan(finding));
    if (finding.failed() < finding.of()) {
      line("  it does not fail each time: what is smaller is tried several times");
    }
    progress = new ProgressLine(err, terminal, "smaller plans", 0, System.nanoTime());
  }

  @Override
  public void once(FaultFinding finding) {
    line("run %d %s; the search goes on", finding.number(), finding.how());
    line("  %s", plan(finding));
  }

  @Override
  public void shrinking(int done, int left) {
    progress.update(done, done + left, System.nanoTime());
  }

  private Faults plan(FaultFinding finding) {
    return finding.trial().behind(always);
  }

  /** Prints the finding and writes its file. */
  void found(FaultFinding finding, String repeat, Path file) {
    Faults plan = plan(finding);
    line(
        "%s after %d more runs, %s",
        finding.complete() ? "smallest" : "smallest so far", finding.shrunk(), finding.how());
    line("  %s", plan);
    line("%s", FoundPlan.sentences(plan));
    List<String> last = finding.outcome().telling(SHOWN_LINES);
    if (!last.isEmpty()) {
      line("it prints:");
      last.forEach(each -> line("  %s", each));
    }
    line("repeat it:");
    repeat.lines().forEach(each -> line("  %s", each));
    line("in a JUnit test: %s", FoundPlan.annotation(plan));
    OutputFile.write(file, FoundPlan.yaml(plan, finding, repeat));
    line("written: %s", file);
    object.put("found", json(finding, plan, repeat, file));
  }

  private static Map<String, Object> json(
      FaultFinding finding, Faults plan, String repeat, Path file) {
    Map<String, Object> found = new LinkedHashMap<>();
    found.put("run", finding.number());
    found.put("failure", finding.outcome().failure());
    found.put("hangs", finding.outcome().end() == Outcome.Ending.HUNG);
    found.put("failed", finding.failed());
    found.put("of", finding.of());
    found.put("seed", plan.seed());
    found.put("plan", plan.toString());
    found.put("sentences", plan.explain());
    found.put("smallest", finding.complete());
    found.put("runsToShrink", finding.shrunk());
    found.put("repeat", repeat);
    found.put("annotation", FoundPlan.annotation(plan));
    found.put("file", file.toString());
    found.put("lastLines", finding.outcome().lastLines(JSON_LINES));
    return found;
  }

  /** Prints the pages of the finding's packets. */
  void packets(List<Path> pages) {
    pages.forEach(page -> line("its packets: %s", page));
    object.put("packets", pages.stream().map(Path::toString).toList());
  }

  void nothing(Exploration exploration, boolean stopped) {
    line(
        "%snothing found in %d runs%s",
        stopped ? "stopped: " : "",
        exploration.runs(),
        exploration.untouched() == 0
            ? ""
            : Wording.of("; in %d no datagram met a fault", exploration.untouched()));
    object.put("found", null);
  }

  /** Ends the report and completes the JSON object. */
  void end(Exploration exploration) {
    object.put("runs", exploration.runs());
    object.put("runsWithoutFault", exploration.untouched());
    if (json) {
      out.println(Json.text(object));
    }
    out.flush();
  }
}
