package org.roce4j.tools.explore;

import java.util.function.BooleanSupplier;

/** Ctrl-C reaches all processes of a terminal, what they run too; who is told first is chance. */
final class Glance {
  private static final long MS = 10;
  private static final int MOST = 30;

  private Glance() {}

  /** Whether runs are to end, now or within a moment. */
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
