package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What the background thread knows of requests that are held. */
class HoldWatchTest {
  private static final long NOW = 5_000_000;
  private static final long LOOK_IN = 1_000_000;

  private final HoldWatch watch = new HoldWatch();

  @Test
  void whileNothingIsHeldItSleepsLongAndTheFirstRequestWakesIt() {
    assertEquals(LOOK_IN, watch.sleepNs(NOW, LOOK_IN));
    assertTrue(watch.until(NOW + 20_000));
    assertFalse(watch.until(NOW + 20_000), "it was woken for the first one");
  }

  @Test
  void whileRequestsAreHeldItWakesByItself() {
    watch.until(NOW + 60_000);
    assertEquals(60_000, watch.sleepNs(NOW, LOOK_IN));
    assertFalse(watch.until(NOW + 70_000), "it wakes in time");
  }

  @Test
  void itDoesNotLookMoreOftenThanPays() {
    watch.until(NOW + 20_000);
    assertEquals(HoldWatch.LEAST_SLEEP_NS, watch.sleepNs(NOW, LOOK_IN));
  }

  @Test
  void whatIsDueIsTakenOnce() {
    watch.until(NOW);
    assertFalse(watch.takeDue(NOW - 1));
    assertTrue(watch.isHeld());
    assertTrue(watch.takeDue(NOW));
    assertFalse(watch.takeDue(NOW));
    assertFalse(watch.isHeld());
    assertEquals(LOOK_IN, watch.sleepNs(NOW, LOOK_IN));
  }
}
