package org.roce4j.robustness;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random programs of many threads over the connection manager end and leave nothing behind. {@code
 * -Droce4j.cm.seed=N} repeats one of them; {@code -Droce4j.cm.minutes=20} runs them for 20 minutes.
 */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CmProgramsTest {
  private static final long MINUTE_NS = 60_000_000_000L;

  @ParameterizedTest
  @CsvSource({"fabric, 6, 150", "linux, 1, 60"})
  void end(String transport, int programs, int steps) throws Exception {
    Long seed = Long.getLong("roce4j.cm.seed");
    long first = seed == null ? 1 : seed;
    long last = seed == null ? first + programs : first + 1;
    for (long next = first; next < last; next++) {
      new CmProgram(next, transport, steps).run();
    }
  }

  /** Begins with a seed that no earlier run had, and prints the seeds of this run. */
  @Test
  @Timeout(value = 1, unit = TimeUnit.DAYS)
  void endForMinutes() throws Exception {
    long minutes = Long.getLong("roce4j.cm.minutes", 0);
    long startNs = System.nanoTime();
    long seed = System.currentTimeMillis() * 1000;
    long run = 0;
    for (; System.nanoTime() - startNs < minutes * MINUTE_NS; run++) {
      new CmProgram(seed + run, run % 4 == 3 ? "linux" : "fabric", 400).run();
    }
    if (minutes > 0) {
      System.out.println(run + " random programs of the connection manager, from seed " + seed);
    }
  }
}
