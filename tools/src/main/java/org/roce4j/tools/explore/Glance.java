package org.roce4j.tools.explore;

import java.util.function.BooleanSupplier;

/**
 * Looks for an interruption. Ctrl-C reaches all processes of a terminal, including the program
 * under test, in any order.
 */
final class Glance {
  private static final long MS = 10;
  private static final int MOST = 30;

  private Glance() {}

  /** Whether runs must end, now or within a short wait. */
  static boolean sees(BooleanSupplier stopped) {
    try {
      for (int i = 0; i < MOST && !stopped.getAsBoolean(); i++) {
        Thread.sleep(MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return stopped.getAsBoolean();
  }
}
