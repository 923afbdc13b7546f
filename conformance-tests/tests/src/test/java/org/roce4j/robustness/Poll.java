package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls a condition, soon with pauses. On a virtual network no time passes meanwhile. */
final class Poll {
  private static final long LIMIT_NS = 50_000_000_000L;
  private static final long PAUSE_NS = 100_000;
  private static final int LOOKS_WITHOUT_PAUSE = 10_000;

  private Poll() {}

  /** Polls until the condition holds; fails after fifty seconds. */
  static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT_NS;
    for (int looks = 0; !condition.getAsBoolean(); looks++) {
      assertTrue(System.nanoTime() - end < 0, "it does not come to pass");
      if (looks < LOOKS_WITHOUT_PAUSE) {
        Thread.yield();
      } else {
        LockSupport.parkNanos(PAUSE_NS);
      }
    }
  }
}
