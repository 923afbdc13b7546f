package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

/**
 * When the oracle accepts that a requester gives up for lack of an answer, without having waited
 * for the ACK timeout: a READ of PSN 0 lacks its answer, and retry_cnt is 1.
 */
class RequesterViewTest {
  private static final SimulationOptions OPTIONS =
      SimulationOptions.parse("seed=1 mtu=1024 retry-cnt=1 rnr-retry=7 timeout=18 engines=1");
  private static final long TIMEOUT_NS = AckTimeout.ns(18);
  private static final int RNR_TIMER = 1;
  private static final long WAIT_NS = Aeth.rnrDelayNs(RNR_TIMER);

  private RequesterView view;
  private long nowNs = 100;

  @BeforeEach
  void sendsReadAndSend() {
    Excuses excuses = new Excuses("requester", new Mishaps(), new Mishaps());
    excuses.peerGone();
    view = new RequesterView("requester", excuses, 0, OPTIONS);
    sends();
  }

  private void sends() {
    view.requestSent(nowNs, Opcode.RC_RDMA_READ_REQUEST, 0, 8);
    view.requestSent(nowNs, Opcode.RC_SEND_ONLY, 1, 0);
    nowNs += 10;
  }

  private void hears(int syndrome) {
    view.responseDelivered(nowNs, Opcode.RC_ACKNOWLEDGE, 1, syndrome);
  }

  private void notReady() {
    hears(Aeth.rnrNak(RNR_TIMER));
  }

  private void waits() {
    nowNs += WAIT_NS;
  }

  private void givesUp() {
    view.failed(nowNs);
    view.requireRetriesSpent("a READ");
  }

  private void mayNotGiveUp() {
    assertEquals(Rule.BUDGET_SPENT, assertThrows(RuleBroken.class, this::givesUp).rule());
  }

  @Test
  void notOnTheFirstRnrNak() {
    notReady();
    mayNotGiveUp();
  }

  @Test
  void onTheRnrNakOfTheAttemptAfterTheWait() {
    notReady();
    waits();
    sends();
    notReady();
    givesUp();
  }

  @Test
  void notWhenTheWaitIsOverAndNothingWasHeardOfTheAttemptAfterIt() {
    notReady();
    waits();
    sends();
    mayNotGiveUp();
  }

  @Test
  void notOnSecondHintThatMayBeOfTheAttemptBefore() {
    hears(Aeth.NAK_SEQUENCE);
    sends();
    hears(Aeth.NAK_SEQUENCE);
    mayNotGiveUp();
  }

  @Test
  void whenTheTimeoutOfTheLastAttemptIsOver() {
    hears(Aeth.NAK_SEQUENCE);
    sends();
    nowNs += TIMEOUT_NS;
    givesUp();
  }
}
