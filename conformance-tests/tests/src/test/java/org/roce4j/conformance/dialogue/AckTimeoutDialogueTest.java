package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** Rc-transport 3.2 and R8: the local ACK timeout, to the nanosecond. */
@Holds(Rule.ACK_TIMEOUT)
class AckTimeoutDialogueTest extends DialogueFixture {
  private static final long TIMEOUT_14 = 4096L << 14; // 67.1 ms

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 7})
  @DisplayName("local_ack_timeout: retry_cnt retries, a timeout apart; seven are seven (R8)")
  @Holds(Rule.RETRY_COUNT)
  void givesUpAfterRetryCountRetries(int retries) {
    begin(rc().retryCount(retries));
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq(), here.send(1).bytes(0, 10).ackReq());
    for (int retry = 1; retry <= retries; retry++) {
      d.hearsAt(retry * TIMEOUT_14, here.send(0).bytes(0, 10).ackReq());
      d.hears(here.send(1).bytes(0, 10).ackReq());
    }
    d.hearsNothingUntil((retries + 1) * TIMEOUT_14 - 1);
    qp.nothingSent();
    d.hearsNothingUntil((retries + 1) * TIMEOUT_14);
    qp.sent(1, WcStatus.RETRY_EXC_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.nothingSent();
    qp.isIn(QpState.ERR);
    d.hearsNothingUntil(100 * TIMEOUT_14);
    assertEquals(1, qp.counter(Counter.RETRY_EXCEEDED));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 10, 18, 31})
  @DisplayName("the timeout is 4.096 us * 2^code")
  void waitsAsLongAsTheCodeSays(int code) {
    begin(rc().timeout(code));
    qp.postsSend(1, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    d.hearsAt(4096L << code, here.send(0).bytes(0, 10).ackReq());
  }

  @Test
  @DisplayName("progress restarts the timer and reloads the retries (R8)")
  @Holds(Rule.R8)
  void countsRetriesAnewAfterProgress() {
    begin(rc().retryCount(1));
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq(), here.send(1).bytes(0, 10).ackReq());
    d.hearsAt(TIMEOUT_14, here.send(0).bytes(0, 10).ackReq());
    d.hears(here.send(1).bytes(0, 10).ackReq());
    d.hearsNothingUntil(TIMEOUT_14 + 500);
    d.says(peer.ack(0, 1));
    d.hearsAt(2 * TIMEOUT_14 + 500, here.send(1).bytes(0, 10).ackReq());
    d.hearsNothingUntil(3 * TIMEOUT_14 + 499);
    qp.sent(1, WcStatus.SUCCESS);
    qp.nothingSent();
    d.hearsNothingUntil(3 * TIMEOUT_14 + 500);
    qp.sent(2, WcStatus.RETRY_EXC_ERR);
  }

  @Test
  @DisplayName("nothing outstanding, nothing timed")
  void isSilentWhenAllIsAcknowledged() {
    begin(rc());
    qp.postsSend(1, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    d.says(peer.ack(0, 1));
    d.hearsNothingUntil(100 * TIMEOUT_14);
    qp.sent(1, WcStatus.SUCCESS);
    qp.isIn(QpState.RTS);
  }

  @Test
  @DisplayName("an ACK for what was never sent, or long acknowledged, is no progress")
  @Holds(Rule.STALE)
  void ignoresAcksOutsideItsWindow() {
    begin(rc());
    qp.postsSend(1, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    d.says(peer.ack(1, 1), peer.ack(-1, 0), peer.ack(0x7fffff, 0));
    d.hearsAt(TIMEOUT_14, here.send(0).bytes(0, 10).ackReq());
    qp.nothingSent();
    assertEquals(3, qp.counter(Counter.RESPONSE_DROPPED));
  }

  @Test
  @DisplayName(
      "write_partial_retry: resumes at the oldest unacknowledged packet with its own opcode")
  @Holds(Rule.GO_BACK)
  void resumesInTheMiddleOfAMessage() {
    begin(rc());
    qp.postsWrite(1, 600, 0x1000, 77);
    d.hears(
        here.writeFirst(0, 0x1000, 77, 600).bytes(0, 256),
        here.writeMiddle(1).bytes(256, 512),
        here.writeLast(2).bytes(512, 600).ackReq());
    d.says(peer.ack(0, 0));
    d.hearsAt(TIMEOUT_14, here.writeMiddle(1).bytes(256, 512));
    d.hears(here.writeLast(2).bytes(512, 600).ackReq());
    d.says(peer.ack(2, 1));
    qp.sent(1, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("a timeout that is set while something is outstanding counts from then on")
  void beginsToCountWhenATimeoutIsSet() {
    begin(rc().timeout(0));
    qp.postsSend(1, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    qp.moves(QpState.SQD);
    d.hearsNothingUntil(10 * TIMEOUT_14);
    qp.qp.modify(new QpAttr().qpState(QpState.SQD).timeout(14));
    d.hearsAt(11 * TIMEOUT_14, here.send(0).bytes(0, 10).ackReq());
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
  }
}
