package org.roce4j.tools.explore;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Ends a process and its child processes. */
final class EndedProcess {
  private static final long DUMP_MS = 300;
  private static final long FAREWELL_MS = 1000;

  /** A process that is ended by force is gone when the kernel gets to it. */
  private static final long GONE_MS = 10_000;

  private EndedProcess() {}

  /**
   * Asks a process to end, then ends it by force. When this returns it holds nothing that the next
   * run needs.
   *
   * @param stacks whether Java processes first print the stacks of their threads
   */
  static void end(Process process, boolean stacks) {
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    try {
      if (stacks) {
        for (ProcessHandle each : all) {
          printStacks(each);
        }
        process.waitFor(DUMP_MS, TimeUnit.MILLISECONDS);
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

  private static void printStacks(ProcessHandle process) throws InterruptedException {
    if (process.info().command().orElse("").endsWith("/java")) {
      try {
        new ProcessBuilder("kill", "-QUIT", Long.toString(process.pid())).start().waitFor();
      } catch (IOException e) {
        // Without this command there are no stacks.
      }
    }
  }
}
