package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The real time that a wait gets when its virtual time is over. */
class LastCallTest {
  private static final long MS = 1_000_000;
  private static final long HOUR = 3_600_000 * MS;

  private final LastCall call = new LastCall();
  private long now = 7;
  private long happenings;

  /** A call lasts exactly this long without an answer. */
  private void lasts(long ns, boolean inCompany, long leftNs) {
    happenings++;
    assertTrue(call.lasts(now, happenings, inCompany, leftNs));
    assertTrue(call.lasts(now + ns - 1, happenings, inCompany, leftNs), "it ended early");
    now += ns;
    assertFalse(call.lasts(now, happenings, inCompany, leftNs), "it lasts longer");
  }

  /** A call that another thread answers: it ends before its time. */
  private void answered(boolean inCompany) {
    happenings++;
    assertTrue(call.lasts(now, happenings, inCompany, HOUR));
    now += MS / 2;
  }

  @Test
  void eachThatNobodyAnswersHalvesTheNext() {
    lasts(10 * MS, false, HOUR);
    lasts(5 * MS, false, HOUR);
    lasts(10 * MS / 4, false, HOUR);
  }

  @Test
  void inCompanyItIsLongerAndHalvedOnItsOwn() {
    lasts(1000 * MS, true, HOUR);
    lasts(500 * MS, true, HOUR);
    lasts(10 * MS, false, HOUR);
    lasts(250 * MS, true, HOUR);
    lasts(5 * MS, false, HOUR);
  }

  /** A delayed task has begun, and its thread is on the way. */
  @Test
  void itGoesOnForAMomentWhenCompanyEnds() {
    happenings++;
    assertTrue(call.lasts(now, happenings, true, HOUR));
    assertTrue(call.lasts(now + 50 * MS, happenings, true, HOUR));
    assertTrue(call.lasts(now + 60 * MS - 1, happenings, false, HOUR), "it ended early");
    assertFalse(call.lasts(now + 60 * MS, happenings, false, HOUR), "it lasts longer");
  }

  @Test
  void anAnswerRestoresBoth() {
    lasts(1000 * MS, true, HOUR);
    lasts(10 * MS, false, HOUR);
    answered(true);
    lasts(1000 * MS, true, HOUR);
    answered(false);
    lasts(10 * MS, false, HOUR);
  }

  /** In a call of no time nobody could answer, and none would be longer again. */
  @Test
  void oneThatWasHalvedOftenCanStillBeAnswered() {
    for (int i = 0; i < 100; i++) {
      happenings++;
      while (call.lasts(now, happenings, true, HOUR)) {
        now += MS / 100;
      }
      while (call.lasts(now, happenings, false, HOUR)) {
        now += MS / 100;
      }
    }
    happenings++;
    assertTrue(call.lasts(now, happenings, true, HOUR));
    now += MS / 20; // the time of a wake-up
    lasts(1000 * MS, true, HOUR);
    lasts(10 * MS, false, HOUR);
  }

  @Test
  void itIsNoLongerThanTheVirtualTimeThatIsLeftWhichProvesNothing() {
    lasts(3 * MS, true, 3 * MS);
    lasts(1000 * MS, true, HOUR);
  }

  @Test
  void ofNoTimeItEndsAtOnce() {
    assertFalse(call.lasts(now, 1, true, 0));
  }
}
