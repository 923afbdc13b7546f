package org.roce4j.tools.explore;

import java.nio.file.Path;
import org.roce4j.emulator.Faults;

/** Runs the explored program, once for each plan. Thread-safe: several runs may be concurrent. */
interface Runner extends AutoCloseable {
  /**
   * Runs the program.
   *
   * @param log existing directory for the plan's log
   * @param timeoutNs time in nanoseconds after which the run counts as hanging
   */
  Outcome run(Faults plan, Path log, long timeoutNs);

  /** Sets the directory that keeps the files of failed runs. Some runners have no such files. */
  default void keepFiles(Path directory) {}

  /** The command line that runs the program with a plan. */
  String repeat(Faults plan);

  @Override
  void close();
}
