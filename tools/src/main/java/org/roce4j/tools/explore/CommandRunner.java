package org.roce4j.tools.explore;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.roce4j.emulator.Faults;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.explore.Outcome.Ending;
import org.roce4j.verbs.text.Wording;

/**
 * Runs a command with the plan in its environment, which its child processes inherit. A process
 * that does not end in time prints the stacks of its Java threads and is then ended with its child
 * processes.
 */
final class CommandRunner implements Runner {
  private static final int LAST_LINES = 2000; // The stacks of some JVMs.

  /** The escape sequences by which a program sets colours. */
  private static final Pattern COLOUR = Pattern.compile("\u001B\\[[\\d;]*m");

  /** The least exit status of a process that a signal has ended. */
  private static final int BY_SIGNAL = 128;

  private static final long GLANCE_MS = 20;

  private final List<String> command;
  private final Set<Integer> failures;
  private final BooleanSupplier stopped;

  /**
   * @param failures exit statuses that are failures; empty: all except 0
   * @param stopped whether runs must end at once
   */
  CommandRunner(List<String> command, Set<Integer> failures, BooleanSupplier stopped) {
    this.command = List.copyOf(command);
    this.failures = Set.copyOf(failures);
    this.stopped = stopped;
  }

  @Override
  public Outcome run(Faults plan, Path log, long timeoutNs) {
    Path output = log.resolve("output");
    long start = System.nanoTime();
    Process process = start(plan, log, output.toFile());
    try {
      long deadline = start + timeoutNs;
      while (!process.waitFor(GLANCE_MS, TimeUnit.MILLISECONDS)) {
        boolean late = deadline - System.nanoTime() <= 0;
        if (late || stopped.getAsBoolean()) {
          EndedProcess.end(process, late ? output : null);
          Ending end = late ? Ending.HUNG : Ending.STOPPED;
          return outcome(end, late ? "it hangs" : "", start, log);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      EndedProcess.end(process, null);
      return outcome(Ending.STOPPED, "", start, log);
    }
    int status = process.exitValue();
    if (status >= BY_SIGNAL && Glance.sees(stopped)) {
      return outcome(Ending.STOPPED, "", start, log);
    }
    boolean failed = failures.isEmpty() ? status != 0 : failures.contains(status);
    return failed
        ? outcome(Ending.FAILED, failure(status, PlanLog.failedTest(log)), start, log)
        : outcome(Ending.PASSED, "", start, log);
  }

  /** A build with a failed test has the same status whichever test failed, and how. */
  private static String failure(int status, String failedTest) {
    return failedTest.isEmpty() ? "exit status " + status : failedTest;
  }

  private Process start(Faults plan, Path log, File output) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectInput(new File("/dev/null"))
            .redirectOutput(output);
    Map<String, String> environment = builder.environment();
    environment.put("ROCE4J_SEED", Long.toString(plan.seed()));
    environment.put("ROCE4J_PLAN", plan.toString());
    environment.put("ROCE4J_PLAN_LOG", log.toString());
    try {
      return builder.start();
    } catch (IOException e) {
      throw ToolFailure.usage("cannot start " + command.getFirst() + ": " + e.getMessage());
    }
  }

  private static Outcome outcome(Ending end, String failure, long start, Path log) {
    return new Outcome(end, failure, System.nanoTime() - start, lastLines(log), PlanLog.read(log));
  }

  private static List<String> lastLines(Path log) {
    try {
      byte[] bytes = Files.readAllBytes(log.resolve("output"));
      String text = COLOUR.matcher(new String(bytes, StandardCharsets.UTF_8)).replaceAll("");
      List<String> lines = text.lines().toList();
      return lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size());
    } catch (IOException e) {
      return List.of();
    }
  }

  @Override
  public String repeat(Faults plan) {
    return Wording.of(
        "ROCE4J_SEED=%d ROCE4J_PLAN=%s %s",
        plan.seed(), ShellWords.quoted(plan.toString()), ShellWords.line(command));
  }

  @Override
  public void close() {}
}
