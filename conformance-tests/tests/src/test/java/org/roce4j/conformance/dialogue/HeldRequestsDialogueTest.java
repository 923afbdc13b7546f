package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.Dialogue.us;
import static org.roce4j.conformance.dialogue.QpSetup.rc;
import static org.roce4j.conformance.dialogue.QpSetup.uc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Small requests that are posted one by one while much is unacknowledged wait for one another. */
@Holds(Rule.HELD_REQUESTS)
class HeldRequestsDialogueTest extends DialogueFixture {
  /** Unacknowledged packets from which on requests wait. */
  private static final int ENOUGH = 16;

  /** Requests that wait; the next one lets them go. */
  private static final int MOST = Limit.MAX_HELD_REQUESTS.normal();

  /** How long they wait where the round trip is shorter. */
  private static final long PATIENCE = us(20);

  HeldRequestsDialogueTest() {
    super(rc().timeout(0));
  }

  /** In every dialogue itself: what goes wrong then breaks the rule, too. */
  private void sendsEnough() {
    sends(0, ENOUGH);
  }

  /** Requests that leave at once. */
  private void sends(int first, int count) {
    for (int psn = first; psn < first + count; psn++) {
      qp.postsSend(psn, 10);
      d.hears(send(psn));
    }
  }

  /** Requests that wait. */
  private void holds(int first, int count) {
    for (int psn = first; psn < first + count; psn++) {
      qp.postsSend(psn, 10);
      d.hearsNothing();
    }
  }

  private void hearsThemTogether(int first, int count) {
    long trains = qp.counter(Counter.SENT_TRAINS);
    for (int psn = first; psn < first + count; psn++) {
      d.hears(send(psn));
    }
    assertEquals(trains, qp.counter(Counter.SENT_TRAINS));
    d.hearsNothing();
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  @Test
  @DisplayName("the request that fills the train lets all go")
  void leavesWithAFullTrain() {
    sendsEnough();
    holds(ENOUGH, MOST);
    qp.postsSend(ENOUGH + MOST, 10);
    hearsThemTogether(ENOUGH, MOST + 1);
    assertEquals(ENOUGH + 1, qp.counter(Counter.SENT_TRAINS));
    holds(ENOUGH + MOST + 1, MOST);
  }

  @Test
  @DisplayName("a poll in vain lets them go")
  void leavesWithAPoll() {
    sendsEnough();
    holds(ENOUGH, 3);
    qp.nothingSent();
    hearsThemTogether(ENOUGH, 3);
  }

  @Test
  @DisplayName("a verb lets them go")
  void leavesWithAVerb() {
    sendsEnough();
    holds(ENOUGH, 3);
    qp.qp.query();
    hearsThemTogether(ENOUGH, 3);
  }

  @Test
  @DisplayName("a thread that waits lets them go")
  void leavesWhenAThreadWaits() {
    sendsEnough();
    holds(ENOUGH, 3);
    qp.notNotified();
    hearsThemTogether(ENOUGH, 3);
  }

  @Test
  @DisplayName("a program that does nothing more: they leave after 20 us, counted from the first")
  void leavesAtTheDeadline() {
    sendsEnough();
    long first = d.nowNs();
    holds(ENOUGH, 1);
    d.hearsNothingUntil(first + PATIENCE / 2);
    holds(ENOUGH + 1, 2);
    d.hearsNothingUntil(first + PATIENCE - 1);
    d.hearsAt(first + PATIENCE, send(ENOUGH));
    hearsThemTogether(ENOUGH + 1, 2);
  }

  @Test
  @DisplayName("whatever arrives lets them go, an acknowledgement above all")
  void leavesWithAnAcknowledgement() {
    sendsEnough();
    holds(ENOUGH, 3);
    d.says(peer.ack(0, 1));
    d.hears(send(ENOUGH), send(ENOUGH + 1), send(ENOUGH + 2));
  }

  @Test
  @DisplayName("with too little in flight nothing waits any more")
  void leavesAtOnceWhenTheRestIsAcknowledged() {
    sendsEnough();
    d.says(peer.ack(0, 1));
    d.hearsNothing();
    sends(ENOUGH, 1);
    holds(ENOUGH + 1, 1);
    d.says(peer.ack(ENOUGH - 1, ENOUGH));
    d.hears(send(ENOUGH + 1));
    sends(ENOUGH + 2, ENOUGH - 2);
    holds(2 * ENOUGH, 1);
  }

  @Test
  @DisplayName("a fenced request waits for no other, and those before it go with it")
  void doesNotHoldAFencedRequest() {
    sendsEnough();
    holds(ENOUGH, 1);
    SendRequestList fenced = qp.request(ENOUGH + 1, WrOpcode.SEND).sge(qp.region, 0, 10);
    qp.posts(fenced.flags(SendFlags.SIGNALED | SendFlags.FENCE));
    hearsThemTogether(ENOUGH, 2);
  }

  @Test
  @DisplayName("a request that is answered with data waits for no other")
  void doesNotHoldARead() {
    sendsEnough();
    holds(ENOUGH, 1);
    qp.postsRead(ENOUGH + 1, 8, 0x1000, 7);
    d.hears(send(ENOUGH), here.read(ENOUGH + 1, 0x1000, 7, 8));
  }

  @Test
  @DisplayName("a request of more than 4 KiB waits for no other")
  void doesNotHoldALongRequest() {
    begin(rc().timeout(0).mtu(Mtu.MTU_4096));
    sendsEnough();
    qp.postsSend(ENOUGH, 4096);
    d.hearsNothing();
    qp.postsSend(ENOUGH + 1, 4097);
    d.hears(here.send(ENOUGH).bytes(0, 4096).ackReq());
    d.hearsSomething();
    d.hearsSomething();
  }

  @ParameterizedTest
  @EnumSource(
      value = QpState.class,
      names = {"ERR", "SQD"})
  @DisplayName("a queue pair that stops sending holds nothing")
  void holdsNothingInAnotherState(QpState state) {
    sendsEnough();
    holds(ENOUGH, 1);
    qp.moves(state);
    d.hears(send(ENOUGH));
    qp.postsSend(ENOUGH + 1, 10);
    if (state == QpState.ERR) {
      for (int i = 0; i <= ENOUGH + 1; i++) {
        qp.sent(i, WcStatus.WR_FLUSH_ERR);
      }
    }
    assertEquals(1, qp.counter(Counter.REQUESTS_HELD));
  }

  @Test
  @DisplayName("an unreliable connection has no acknowledgement that would let go: nothing waits")
  void holdsNothingOnAnUnreliableConnection() {
    begin(uc());
    for (int psn = 0; psn < 3 * ENOUGH; psn++) {
      qp.postsSend(psn, 10);
      d.hears(here.send(psn).bytes(0, 10));
    }
  }

  @Test
  @DisplayName("a device that is told so holds nothing")
  void holdsNothingWhereItIsSwitchedOff() {
    begin(rc().timeout(0).limits(DeviceLimits.DEFAULT.with(Limit.MAX_HELD_REQUESTS, 0)));
    sends(0, 3 * ENOUGH);
  }
}
