package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.roce4j.wire.Opcode;

/** What every background thread does that drives its port and sleeps there. */
final class BackgroundTurns {
  /** The number of no queue pair. */
  private static final int NOBODY = 2;

  private BackgroundTurns() {}

  /** More is likely to follow. */
  static void spinForATimeAfterAnArrival(PlayedPort port) {
    port.whenTimed = () -> port.clock.addAndGet(BlockingProgress.SPIN_NS / 10);
    int looks = port.looks.get();
    int sleeps = port.sleepsSoFar().size();
    port.arrives(Opcode.RC_ACKNOWLEDGE, NOBODY, 0, 0);
    port.wakeup();
    PlayedDevice.until(() -> port.sleepsSoFar().size() > sleeps);
    assertTrue(port.looks.get() > looks + 2, "it sleeps at once");
  }

  static void waitWhileTheEngineIsHeld(EngineDriver driver, PlayedPort port) {
    assertTrue(driver.engine.tryTake());
    int looks = port.looks.get();
    port.wakeup();
    PlayedDevice.until(() -> !port.hasSleeper());
    assertFalse(PlayedDevice.ended(driver.background(), Duration.ofMillis(20)));
    assertEquals(looks, port.looks.get());
    driver.release();
    PlayedDevice.until(port::hasSleeper);
    assertTrue(port.looks.get() > looks);
  }
}
