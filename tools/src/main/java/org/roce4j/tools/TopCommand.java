package org.roce4j.tools;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Callable;
import org.roce4j.tools.console.Terminal;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.stats.AttachedProcess;
import org.roce4j.tools.stats.AttachedProcess.DeviceStatistics;
import org.roce4j.tools.stats.QueuePairTable;
import org.roce4j.tools.stats.RunningProcesses;
import org.roce4j.verbs.text.Wording;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code roce4j top}. */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Watch the queue pairs of running processes.",
    description =
        "%nThe processes must run as the same user, and publish their devices: start them with"
            + " ROCE4J_STATS=on in their environment or with -Droce4j.stats=on. A table of queue"
            + " pairs, the busiest first, is drawn again and again until Ctrl-C. QUEUED are sends"
            + " that are posted and not done, POSTED receives that wait (* in a shared receive"
            + " queue), RNR the receiver-not-ready NAKs since the peer last acknowledged"
            + " anything.%n",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ROCE4J_STATS=on roce4j pingpong --server",
      "  roce4j top                            every process of ours that publishes devices",
      "  roce4j top 4711 --once                one table, for scripts",
    })
final class TopCommand implements Callable<Integer> {
  private static final String TO_LINE = "\033[%d;1H";
  private static final String ERASE_LINE = "\033[K";
  private static final String ERASE_BELOW = "\033[J";
  private static final String CLEAR = "\033[2J";
  private static final String CUT_AT_THE_MARGIN = "\033[?7l";
  private static final String WRAP_AT_THE_MARGIN = "\033[?7h";

  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..*",
      paramLabel = "PID",
      description = "The processes (default: those that look like roce4j).")
  private List<Long> pids = new ArrayList<>();

  @Option(
      names = "--every",
      paramLabel = "SECONDS",
      defaultValue = "1",
      description = "How often to look; rates are of that time (default: 1).")
  private double every;

  @Option(
      names = "--once",
      description = "Print one table after one such time and end; without control characters.")
  private boolean once;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "20",
      description = "Show at most N queue pairs of a device (default: 20).")
  private int rows;

  @Override
  public Integer call() throws InterruptedException {
    if (!(every >= 0.05 && every <= 3600)) {
      throw ToolFailure.usage("--every must be 0.05 to 3600 seconds");
    }
    if (rows < 1) {
      throw ToolFailure.usage("--rows must be 1 or more");
    }
    List<AttachedProcess> processes = attach();
    try {
      watch(processes, new QueuePairTable(rows));
    } finally {
      processes.forEach(AttachedProcess::close);
    }
    return 0;
  }

  /** Named processes must be there; of the others only those that publish devices count. */
  private List<AttachedProcess> attach() {
    if (!pids.isEmpty()) {
      return new ArrayList<>(pids.stream().map(AttachedProcess::attach).toList());
    }
    List<AttachedProcess> found = new ArrayList<>();
    for (ProcessHandle candidate : RunningProcesses.ofRoce4j()) {
      if (AttachedProcess.publishes(candidate.pid())) {
        found.add(AttachedProcess.attach(candidate.pid()));
      }
    }
    if (found.isEmpty()) {
      throw ToolFailure.atRunTime(
          "no process of yours publishes a device; start one with ROCE4J_STATS=on or"
              + " -Droce4j.stats=on");
    }
    return found;
  }

  private void watch(List<AttachedProcess> processes, QueuePairTable table)
      throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    boolean drawn = !once && Terminal.isStdout();
    if (drawn) {
      out.print(CLEAR);
    }
    List<String> lines = look(processes, table, null);
    while (true) {
      if (!once) {
        show(out, lines, drawn);
      }
      Thread.sleep((long) (every * 1000));
      ToolFailure[] last = new ToolFailure[1];
      lines = look(processes, table, last);
      if (processes.isEmpty()) {
        throw last[0];
      }
      if (once) {
        show(out, lines, false);
        return;
      }
    }
  }

  /**
   * @param ended takes the reason why the last process could not be asked; null: the reason is
   *     thrown
   */
  private static List<String> look(
      List<AttachedProcess> processes, QueuePairTable table, ToolFailure[] ended) {
    table.look(System.nanoTime());
    List<String> lines = new ArrayList<>();
    Iterator<AttachedProcess> each = processes.iterator();
    while (each.hasNext()) {
      AttachedProcess process = each.next();
      try {
        List<DeviceStatistics> devices = process.devices();
        lines.add(process.pid() + "  " + RunningProcesses.words(process.pid()));
        devices.forEach(device -> lines.addAll(table.lines(process.pid(), device)));
      } catch (ToolFailure e) {
        if (ended == null) {
          throw e;
        }
        ended[0] = e;
        process.close();
        each.remove();
      }
    }
    return lines;
  }

  /**
   * Draws the lines in place, or prints them. The terminal cuts a line that is wider than its
   * present size: a line break would scroll it, and a wrapped line would move the lines below. Each
   * line is erased before it is written, because erasing behind a line of full width would remove
   * its last character.
   */
  static void show(PrintWriter out, List<String> lines, boolean drawn) {
    if (drawn) {
      out.print(CUT_AT_THE_MARGIN);
      for (int i = 0; i < lines.size(); i++) {
        String erase = i < lines.size() - 1 ? ERASE_LINE : ERASE_BELOW;
        out.print(Wording.of(TO_LINE, i + 1) + erase + lines.get(i));
      }
      out.print(WRAP_AT_THE_MARGIN + Wording.of(TO_LINE, lines.size() + 1));
    } else {
      lines.forEach(out::println);
    }
    out.flush();
  }
}
