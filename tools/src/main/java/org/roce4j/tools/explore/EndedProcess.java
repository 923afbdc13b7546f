package org.roce4j.tools.explore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Ends a process and its child processes. */
final class EndedProcess {
  private static final long DUMP_MS = 5000;
  private static final long FAREWELL_MS = 1000;

  /** A process that is ended by force is gone when the kernel gets to it. */
  private static final long GONE_MS = 10_000;

  private EndedProcess() {}

  /**
   * Asks a process to end, then ends it by force. When this returns, the process holds nothing that
   * the next run needs.
   *
   * @param stacks file to which the stacks of the threads of Java processes are appended before,
   *     those of child processes first; null: none
   */
  static void end(Process process, Path stacks) {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    try {
      if (stacks != null) {
        for (ProcessHandle each : all) {
          printStacks(each, stacks);
        }
      }
      all.forEach(ProcessHandle::destroy);
      process.waitFor(FAREWELL_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      all.forEach(ProcessHandle::destroyForcibly);
      process.onExit().completeOnTimeout(process, GONE_MS, TimeUnit.MILLISECONDS).join();
    }
  }

  /**
   * The stacks come from {@code jcmd}, because a build tool discards the output of a test's JVM.
   */
  private static void printStacks(ProcessHandle process, Path stacks) throws InterruptedException {
    if (!process.info().command().orElse("").endsWith("/java")) {
      return;
    }
    String jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    try {
      Process printer =
          new ProcessBuilder(jcmd, Long.toString(process.pid()), "Thread.print")
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(stacks.toFile()))
              .start();
      if (!printer.waitFor(DUMP_MS, TimeUnit.MILLISECONDS)) {
        printer.destroyForcibly();
      }
    } catch (IOException e) {
      // Without this command there are no stacks.
    }
  }
}
