package org.roce4j.conformance.backend;

import java.util.function.BooleanSupplier;

/** A link whose network keeps the machine's own time: waiting costs it. */
interface RealTimeLink extends Link {
  @Override
  default long nowNs() {
    return System.nanoTime();
  }

  /** Polls, because other threads or a kernel make the condition true. */
  @Override
  default boolean await(BooleanSupplier condition, long timeoutNs) {
    long deadline = nowNs() + timeoutNs + patienceNs();
    while (!condition.getAsBoolean()) {
      if (deadline - nowNs() <= 0) {
        return condition.getAsBoolean();
      }
      Thread.yield();
    }
    return true;
  }
}
