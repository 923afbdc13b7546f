package org.roce4j.tools.explore;

import java.nio.file.Path;
import org.roce4j.emulator.Faults;

/** Runs what is explored, once for each plan. Thread-safe: several may run at once. */
interface Runner extends AutoCloseable {
  /**
   * Runs it.
   *
   * @param log directory that the plan's log goes to; it exists
   * @param timeoutNs after which it hangs
   */
  Outcome run(Faults plan, Path log, long timeoutNs);

  /** From now on what a failed run leaves to look at stays there. Some leave nothing. */
  default void keepFiles(Path directory) {}

  /** What a user types to run it with that plan. */
  String repeat(Faults plan);

  @Override
  void close();
}
