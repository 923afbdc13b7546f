package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

/**
 * When the oracle accepts that a requester gives up without having waited for the ACK timeout: a
 * READ of PSN 0 lacks its answer, and retry_cnt is 1.
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

  private static void breaks(OracleRule rule, Executable what) {
    assertEquals(rule, assertThrows(RuleBroken.class, what).rule());
  }

  @Test
  void timesOutNotBeforeItsTime() {
    long sent = nowNs - 10;
    breaks(
        OracleRule.TIMEOUT_NOT_EARLY,
        () -> view.retransmits(sent + TIMEOUT_NS - 1, Counter.ACK_TIMEOUT));
    view.retransmits(sent + TIMEOUT_NS, Counter.ACK_TIMEOUT);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 2", "6, 7", "7, 1000"})
  void isToldOftenEnoughThatThePeerIsNotReady(int rnrRetry, int naks) {
    Excuses excuses = new Excuses("requester", new Mishaps(), new Mishaps());
    view =
        new RequesterView(
            "requester",
            excuses,
            0,
            SimulationOptions.parse(
                "seed=1 mtu=1024 retry-cnt=1 timeout=18 engines=1 rnr-retry=" + rnrRetry));
    for (int nak = 1; nak <= naks; nak++) {
      view.requestSent(nowNs, Opcode.RC_SEND_ONLY, 0, 0);
      nowNs += 10;
      if (nak == naks && rnrRetry < 7) {
        breaks(OracleRule.BUDGET_SPENT, () -> view.requireRnrRetriesSpent("a SEND"));
      }
      view.responseDelivered(nowNs, Opcode.RC_ACKNOWLEDGE, 0, Aeth.rnrNak(RNR_TIMER));
      waits();
    }
    if (rnrRetry < 7) {
      view.requireRnrRetriesSpent("a SEND");
    } else {
      breaks(OracleRule.BUDGET_SPENT, () -> view.requireRnrRetriesSpent("a SEND"));
    }
  }

  private void givesUp() {
    view.failed(nowNs);
    view.requireRetriesSpent("a READ");
  }

  private void mayNotGiveUp() {
    assertEquals(OracleRule.BUDGET_SPENT, assertThrows(RuleBroken.class, this::givesUp).rule());
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

  /** One attempt when the port goes down, and one with each timeout that ends before it is up. */
  @ParameterizedTest
  @CsvSource({
    "1, 0, 0, true",
    "2, 0, 0, false",
    "2, 1, -1, false",
    "2, 1, 0, true",
    "6, 4, 0, false",
    "6, 5, -1, false",
    "6, 5, 0, true",
    "7, 6, -1, false",
    "7, 6, 0, true"
  })
  void withAsManyAttemptsAsThePortMayHaveHidden(
      int retryCount, int timeouts, long ns, boolean spent) {
    for (boolean up : new boolean[] {false, true}) {
      Excuses excuses = new Excuses("requester", new Mishaps(), new Mishaps());
      excuses.peerGone();
      view =
          new RequesterView(
              "requester",
              excuses,
              0,
              SimulationOptions.parse(
                  "seed=1 mtu=1024 rnr-retry=7 timeout=18 engines=1 retry-cnt=" + retryCount));
      sends();
      view.port(nowNs, false);
      nowNs += timeouts * TIMEOUT_NS + ns;
      if (up) {
        view.port(nowNs, true);
      }
      if (spent) {
        givesUp();
      } else {
        mayNotGiveUp();
      }
    }
  }
}
