package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Holds a bound of real time. Work that always exceeds it is at fault; work that sometimes exceeds
 * it had to wait for a processor.
 */
final class Shortest {
  private Shortest() {}

  /** The work to measure; it may throw anything. */
  interface Work {
    void run() throws Exception;
  }

  /**
   * Runs the work until one run takes less than {@code mostNs}; fails if no run does.
   *
   * @param runs most runs
   */
  static void of(int runs, long mostNs, Work work) throws Exception {
    long shortestNs = Long.MAX_VALUE;
    for (int i = 0; i < runs && shortestNs >= mostNs; i++) {
      long startNs = System.nanoTime();
      work.run();
      shortestNs = Math.min(shortestNs, System.nanoTime() - startNs);
    }
    String found = "the shortest of " + runs + " runs took " + shortestNs + " ns";
    assertTrue(shortestNs < mostNs, found);
  }
}
