package org.roce4j.robustness;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs of many threads on a virtual network end, whatever the operating system's
 * scheduling. {@code -Droce4j.threads.seed=N} repeats one of them; {@code
 * -Droce4j.threads.minutes=60} runs them for an hour.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ThreadedProgramsTest {
  private static final int PROGRAMS = 8;
  private static final long MINUTE_NS = 60_000_000_000L;

  @Test
  void end() throws Exception {
    Long seed = Long.getLong("roce4j.threads.seed");
    long first = seed == null ? 1 : seed;
    long programs = seed == null ? PROGRAMS : 1;
    for (long next = first; next < first + programs; next++) {
      new ThreadedProgram(next).run();
    }
  }

  /** Begins with a seed that no earlier run had, and prints the seeds of this run. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void endForMinutes() throws Exception {
    long minutes = Long.getLong("roce4j.threads.minutes", 0);
    long startNs = System.nanoTime();
    long seed = System.currentTimeMillis() * 1000;
    long run = 0;
    for (; System.nanoTime() - startNs < minutes * MINUTE_NS; run++) {
      new ThreadedProgram(seed + run).run();
    }
    if (minutes > 0) {
      System.out.println(run + " random threaded programs have ended, from seed " + seed);
    }
  }
}
