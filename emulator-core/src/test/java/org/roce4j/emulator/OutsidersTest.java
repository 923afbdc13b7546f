package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class OutsidersTest {
  private static final long SOON_NS = TimeUnit.SECONDS.toNanos(60);

  private final Outsiders outsiders = new Outsiders();

  /** The source of information about threads. */
  enum Witness {
    KERNEL,
    JAVA
  }

  @ParameterizedTest
  @EnumSource
  void aThreadIsExpectedWhileItIsAwakeAndNotForLong(Witness witness) throws Exception {
    Thread busy = Thread.ofPlatform().daemon().start(OutsidersTest::spin);
    try {
      assertTrue(comesTrue(() -> mayCome(witness)));
      assertTrue(comesTrue(() -> !mayCome(witness)), "is waited for without end");
    } finally {
      busy.interrupt();
      busy.join();
    }
  }

  @ParameterizedTest
  @EnumSource
  void nobodyExpectsAThreadThatSleeps(Witness witness) throws Exception {
    Thread asleep = Thread.ofPlatform().daemon().start(LockSupport::park);
    try {
      assertTrue(comesTrue(() -> !mayCome(witness)));
    } finally {
      LockSupport.unpark(asleep);
      asleep.join();
    }
  }

  private boolean mayCome(Witness witness) {
    return witness == Witness.KERNEL
        ? outsiders.isAwake(KernelThread.currentNumber(), List.of())
        : outsiders.runs(List.of());
  }

  private static void spin() {
    while (!Thread.currentThread().isInterrupted()) {
      Thread.onSpinWait();
    }
  }

  private static boolean comesTrue(BooleanSupplier condition) {
    long endNs = System.nanoTime() + SOON_NS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - endNs > 0) {
        return false;
      }
      Thread.onSpinWait();
    }
    return true;
  }
}
