package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.BooleanSupplier;

/** Looks again and again. */
final class Poll {
  private static final long LIMIT_NS = 20_000_000_000L;

  private Poll() {}

  /** Until the condition holds; fails after twenty seconds. */
  static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT_NS;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - end < 0, "it does not come to pass");
      Thread.yield();
    }
  }
}
