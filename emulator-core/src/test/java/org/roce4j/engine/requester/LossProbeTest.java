package org.roce4j.engine.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.engine.requester.LossProbe.Verdict.DOUBT;
import static org.roce4j.engine.requester.LossProbe.Verdict.LOST;
import static org.roce4j.engine.requester.LossProbe.Verdict.NONE;

import org.junit.jupiter.api.Test;
import org.roce4j.engine.path.RoundTrip;
import org.roce4j.engine.time.Deadlines;

/** The time of a probe, the round trip that it measures, and the meaning of its answer. */
class LossProbeTest {
  private static final long FAR_NS = Long.MAX_VALUE / 4;
  private static final long ROUND_TRIP_NS = 700_000;

  /** Round trips that must be known before a probe relies on them. */
  private static final int ENOUGH = 8;

  private final LossProbe probe = new LossProbe(true);
  private final RoundTrip roundTrip = new RoundTrip();

  private void know(int samples) {
    for (int i = 0; i < samples; i++) {
      roundTrip.sample(ROUND_TRIP_NS);
    }
  }

  private boolean runsFor(long ackTimeoutNs) {
    return probe.dueNs(0, ackTimeoutNs, roundTrip) != Deadlines.NEVER;
  }

  @Test
  void runsOnlyWhenTheRoundTripIsKnown() {
    know(ENOUGH - 1);
    assertFalse(runsFor(FAR_NS));
    know(1);
    assertEquals(5000 + roundTrip.patienceNs(), probe.dueNs(5000, FAR_NS, roundTrip));
  }

  @Test
  void leavesTheAckTimeoutAloneThatIsNoLonger() {
    know(ENOUGH);
    assertFalse(runsFor(roundTrip.patienceNs()));
    assertTrue(runsFor(roundTrip.patienceNs() + 1));
  }

  @Test
  void measuresFromTheFirstPacketThatAsksToTheAckThatCoversIt() {
    RoundTrip expected = new RoundTrip();
    for (int i = 0; i < ENOUGH; i++) {
      long begin = 10_000_000L * i;
      long took = 300_000 + 50_000L * i;
      probe.sent(10 * i);
      probe.left(begin);
      probe.sent(10 * i + 1);
      probe.left(begin + 1000);
      probe.acknowledged(begin + 2000, 10 * i, roundTrip);
      probe.acknowledged(begin + took, 10 * i + 1, roundTrip);
      probe.acknowledged(begin + took + 9999, 10 * i + 2, roundTrip);
      expected.sample(took);
    }
    assertTrue(roundTrip.known());
    assertEquals(expected.patienceNs(), roundTrip.patienceNs());
  }

  @Test
  void doesNotMeasureWhatWasSentTwice() {
    know(ENOUGH - 1);
    probe.sent(5);
    probe.left(0);
    probe.sentAgain();
    probe.acknowledged(1000, 6, roundTrip);
    assertFalse(roundTrip.known(), "sent again");
    probe.sent(7);
    probe.left(0);
    probe.overdue();
    probe.acknowledged(1000, 8, roundTrip);
    assertFalse(roundTrip.known(), "probed");
  }

  @Test
  void neitherMeasuresNorRunsUnlessItIsAllowedTo() {
    LossProbe silent = new LossProbe(false);
    know(ENOUGH - 1);
    silent.sent(5);
    silent.left(0);
    silent.acknowledged(1000, 6, roundTrip);
    assertFalse(roundTrip.known());
    know(1);
    assertEquals(Deadlines.NEVER, silent.dueNs(0, FAR_NS, roundTrip));
  }

  @Test
  void isTwiceAsPatientAfterEachProbeUntilAnAnswerIsMeasured() {
    know(ENOUGH);
    long patience = roundTrip.patienceNs();
    for (int doublings = 0; doublings < 16; doublings++) {
      assertEquals(
          patience << doublings, probe.dueNs(0, FAR_NS, roundTrip), doublings + " doublings");
      probe.overdue();
    }
    assertFalse(runsFor(FAR_NS), "16 doublings are enough");
    probe.sent(5);
    probe.left(0);
    probe.acknowledged(ROUND_TRIP_NS, 6, roundTrip);
    assertEquals(roundTrip.patienceNs(), probe.dueNs(0, FAR_NS, roundTrip));
  }

  @Test
  void isSentOnceAndNotBesideAllThatIsSentAgain() {
    probe.due();
    assertTrue(probe.isDue());
    probe.probed(10, 14);
    assertFalse(probe.isDue(), "it was sent");
    probe.due();
    probe.sentAgain();
    assertFalse(probe.isDue(), "its packet is sent again with all others");
  }

  @Test
  void isAsPatientWithANewConnectionAsAtFirst() {
    know(ENOUGH);
    probe.overdue();
    probe.due();
    probe.forget();
    assertFalse(probe.isDue());
    assertEquals(roundTrip.patienceNs(), probe.dueNs(0, FAR_NS, roundTrip));
  }

  @Test
  void doubtsOnceWhenAnAnswerPassesOverWhatWasSentBefore() {
    assertEquals(NONE, probe.answered(10, 5), "nothing was probed");
    probe.probed(10, 14);
    assertEquals(NONE, probe.answered(9, 10), "an answer to something older");
    assertEquals(DOUBT, probe.answered(10, 13));
    assertEquals(NONE, probe.answered(10, 13), "told already");
  }

  @Test
  void tellsALossWhenTheNextProbeIsAnsweredAlike() {
    probe.due();
    probe.probed(10, 14);
    assertEquals(DOUBT, probe.answered(10, 11));
    probe.confirm();
    assertTrue(probe.isDue());
    probe.probed(11, 14);
    assertEquals(LOST, probe.answered(11, 12));
    probe.due();
    probe.probed(12, 16);
    assertEquals(DOUBT, probe.answered(12, 13), "a doubt of its own");
  }

  @Test
  void confirmsNothingOnceMoreIsAcknowledged() {
    probe.probed(10, 14);
    assertEquals(DOUBT, probe.answered(10, 11));
    probe.confirm();
    probe.acknowledged(ROUND_TRIP_NS, 13, roundTrip);
    assertFalse(probe.isDue());
  }

  @Test
  void tellsNoLossWhenAllThatWasSentBeforeHasArrived() {
    probe.probed(10, 14);
    assertEquals(NONE, probe.answered(13, 14));
    probe.probed(20, 21);
    assertEquals(NONE, probe.answered(20, 21), "the probed packet was the last");
  }

  @Test
  void tellsNoLossOfWhatABusyPeerTakesInByAndBy() {
    probe.probed(10, 14);
    assertEquals(NONE, probe.answered(11, 12), "of what was sent before the probe");
    assertEquals(NONE, probe.answered(10, 12), "answered already");
  }

  @Test
  void tellsNothingOfAProbeThatWasSentAgain() {
    probe.probed(10, 14);
    probe.sentAgain();
    assertEquals(NONE, probe.answered(10, 13));
  }
}
