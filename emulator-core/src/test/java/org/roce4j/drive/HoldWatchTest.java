package org.roce4j.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The background thread's knowledge of held requests. */
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

  @Test
  void aProgramThatSendsByItselfIsLookedAtLessOftenUpToABound() {
    for (long sleepNs = HoldWatch.LEAST_SLEEP_NS; sleepNs < HoldWatch.MOST_SLEEP_NS; sleepNs *= 2) {
      for (int look = 0; look < HoldWatch.LOOKS_TO_TRUST; look++) {
        assertEquals(sleepNs, nextSleepNs());
        watch.looked(false);
      }
    }
    for (int look = 0; look < 3 * HoldWatch.LOOKS_TO_TRUST; look++) {
      assertEquals(HoldWatch.MOST_SLEEP_NS, nextSleepNs());
      watch.looked(false);
    }
  }

  @Test
  void oneLookThatWasNeededEndsTheTrust() {
    for (int look = 0; look < 2 * HoldWatch.LOOKS_TO_TRUST - 1; look++) {
      watch.looked(false);
    }
    watch.looked(true);
    for (int look = 0; look < HoldWatch.LOOKS_TO_TRUST; look++) {
      assertEquals(HoldWatch.LEAST_SLEEP_NS, nextSleepNs());
      watch.looked(false);
    }
    assertEquals(2 * HoldWatch.LEAST_SLEEP_NS, nextSleepNs());
  }

  private long nextSleepNs() {
    watch.until(NOW);
    return watch.sleepNs(NOW, LOOK_IN);
  }
}
