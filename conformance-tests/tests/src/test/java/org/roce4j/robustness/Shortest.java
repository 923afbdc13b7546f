package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Holds a bound of real time. What takes long each time is at fault; what takes long now and then
 * had to wait for a processor.
 */
final class Shortest {
  private Shortest() {}

  /** What is timed; throws what it likes. */
  interface Work {
    void run() throws Exception;
  }

  /**
   * Runs it until it takes less than that, and fails if no run does.
   *
   * @param runs the most runs
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
