package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.roce4j.emulator.Elsewhere.ProcessorUse;

/** The time that a virtual network waits for a thread, by the thread's actions elsewhere. */
class ElsewhereTest {
  private static final long MS = 1_000_000;
  private static final long LONGEST = Elsewhere.STARVED_NS;

  /** A thread that had used processor time before it was first missed. */
  private final Elsewhere absence = new Elsewhere(0, new ProcessorUse(500 * MS, 70));

  private static ProcessorUse turns(int count, long eachNs) {
    return new ProcessorUse(500 * MS + count * eachNs, 70 + count);
  }

  @Test
  void whoComputesIsWaitedForUntilItHasHadTwoSecondsOfAProcessor() {
    assertFalse(absence.isBusy(1999 * MS, turns(1, 1999 * MS)));
    assertFalse(absence.isBusy(2001 * MS, turns(1, 1999 * MS)));
    assertTrue(absence.isBusy(2001 * MS, turns(1, 2000 * MS)));
  }

  @Test
  void timeBeforeItWasFirstMissedDoesNotCount() {
    Elsewhere late = new Elsewhere(LONGEST, new ProcessorUse(0, 0));
    assertFalse(late.isBusy(LONGEST + 1999 * MS, turns(1, 2000 * MS)));
    assertTrue(late.isBusy(LONGEST + 2000 * MS, turns(1, 2000 * MS)));
  }

  @Test
  void whoSharesAProcessorWithManyIsWaitedForLonger() {
    assertFalse(absence.isBusy(15_000 * MS, turns(300, 3 * MS)));
    assertTrue(absence.isBusy(LONGEST, turns(0, 0)), "it gets none at all");
  }

  @Test
  void whoYieldsTheProcessorAtOnceEachTimeIsBusyAfterTwoSecondsOnABusyMachineToo() {
    assertFalse(absence.isBusy(1999 * MS, turns(60, MS / 100)));
    assertFalse(absence.isBusy(2000 * MS, turns(49, MS / 100)), "it had few turns");
    assertTrue(absence.isBusy(2000 * MS, turns(50, MS / 100)));
  }

  @Test
  void whoWasWokenFromItsFirstSleepIsWaitedFor() {
    for (long now = 0; now < LONGEST; now += 100 * MS) {
      assertFalse(absence.naps(now, turns(0, 0)));
    }
    assertTrue(absence.naps(LONGEST + 100 * MS, turns(0, 0)));
  }

  @Test
  void eachNapHalvesTheWaitForTheNext() {
    assertFalse(absence.naps(MS, turns(3, MS / 100)));
    assertFalse(absence.naps(MS + LONGEST / 8 - 1, turns(3, MS / 100)));
    assertTrue(absence.naps(MS + LONGEST / 8, turns(3, MS / 100)));
    assertFalse(absence.naps(2 * MS + LONGEST / 8, turns(4, MS / 100)));
    assertTrue(absence.naps(2 * MS + LONGEST / 8 + LONGEST / 16, turns(4, MS / 100)));
  }

  @Test
  void whoNapsAgainAndAgainHoldsNobodyUp() {
    assertTrue(absence.naps(MS, turns(12, MS / 100)), "it slept since the last look");
    assertFalse(absence.naps(2 * MS, turns(12, MS / 100)), "this may be another kind of sleep");
    assertTrue(absence.naps(MS + (LONGEST >> 12), turns(12, MS / 100)));
    assertTrue(absence.naps(30 * MS, turns(13, MS / 100)));
  }

  @Test
  void whoComputesBetweenItsSleepsDoesNotNap() {
    assertFalse(absence.naps(100 * MS, turns(20, 3 * MS)));
    assertFalse(absence.naps(LONGEST, turns(20, 3 * MS)));
  }
}
