package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.Dialogue.ms;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * What is spent on an RNR NAK that leaves the answer of an earlier READ open (R28): the READ is
 * asked for again, which is a retry of retry_cnt, as for any answer that was lost, and none of
 * rnr_retry.
 */
@Holds(Rule.R28)
class RetryBudgetDialogueTest extends DialogueFixture {
  private static final int TIMER = 14;
  private static final double WAIT_MS = 1.28;
  private static final long VA = 0x1000;
  private static final int RKEY = 77;

  /** A READ takes PSN 0, the SENDs behind it one each. */
  private void postsReadAndSends(int sends) {
    qp.posts(qp.request(1, WrOpcode.RDMA_READ).remote(VA, RKEY).sge(qp.region, 0, 8));
    for (int i = 1; i <= sends; i++) {
      qp.postsSend(1 + i, 10);
    }
  }

  private PacketDraft read() {
    return here.read(0, VA, RKEY, 8);
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  @ParameterizedTest(name = "retry_cnt {0}, rnr_retry {1}")
  @CsvSource({"0, 0", "0, 7", "1, 0", "1, 7", "3, 2", "7, 7"})
  @DisplayName("retry_cnt n: n + 1 attempts, whatever rnr_retry is; then RETRY_EXC_ERR")
  @Holds(Rule.RETRY_COUNT)
  void givesUpAfterRetryCountRetries(int retries, int rnrRetries) {
    begin(rc().retryCount(retries).rnrRetry(rnrRetries));
    postsReadAndSends(1);
    d.hears(read(), send(1));
    for (int retry = 1; retry <= retries; retry++) {
      d.says(peer.rnrNak(1, TIMER, 0));
      d.hearsAt(retry * ms(WAIT_MS), read());
      d.hears(send(1));
    }
    qp.nothingSent();
    d.says(peer.rnrNak(1, TIMER, 0));
    qp.sent(1, WcStatus.RETRY_EXC_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.ERR);
    assertEquals(1, qp.counter(Counter.RETRY_EXCEEDED));
    assertEquals(0, qp.counter(Counter.RNR_RETRY_EXCEEDED));
    d.hearsNothingUntil(ms(1000));
  }

  @Test
  @DisplayName("an RNR NAK during the wait is of the same attempt and spends nothing")
  @Holds(Rule.ONE_RETRY)
  void countsOneRetryForEachWait() {
    begin(rc().retryCount(1).rnrRetry(0));
    postsReadAndSends(1);
    d.hears(read(), send(1));
    d.says(peer.rnrNak(1, TIMER, 0), peer.rnrNak(1, TIMER, 0));
    d.hearsAt(ms(WAIT_MS), read());
    d.hears(send(1));
    qp.nothingSent();
  }

  @Test
  @DisplayName("a retry that is under way for the same answer is not counted twice")
  @Holds(Rule.ONE_RETRY)
  void countsTheRetryThatIsUnderWayOnce() {
    begin(rc().retryCount(1).rnrRetry(0));
    postsReadAndSends(2);
    d.hears(read(), send(1), send(2));
    d.says(peer.ack(1, 2)); // the answer of the READ is missing: a retry
    d.hears(read(), send(1), send(2));
    d.says(peer.rnrNak(2, TIMER, 2)); // of the first attempt
    d.hearsAt(ms(WAIT_MS), read());
    d.hears(send(1), send(2));
    qp.nothingSent();
    d.says(peer.readOnly(0, 1).bytes(0, 8), peer.ack(2, 3));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.SUCCESS);
    qp.sent(3, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("a timeout after the wait is a retry too")
  @Holds(Rule.RETRY_COUNT)
  void countsTimeoutsAndWaitsTogether() {
    begin(rc().timeout(8).retryCount(2).rnrRetry(7));
    postsReadAndSends(1);
    d.hears(read(), send(1));
    d.says(peer.rnrNak(1, TIMER, 0));
    d.hearsAt(ms(WAIT_MS), read());
    d.hears(send(1));
    long timeout = ms(WAIT_MS) + (4096L << 8);
    d.hearsAt(timeout, read());
    d.hears(send(1));
    d.says(peer.rnrNak(1, TIMER, 0)); // perhaps of the attempt before: the same retry
    d.hearsAt(timeout + ms(WAIT_MS), read());
    d.hears(send(1));
    qp.nothingSent();
    d.says(peer.rnrNak(1, TIMER, 0));
    qp.sent(1, WcStatus.RETRY_EXC_ERR);
  }

  @Test
  @DisplayName("R8: the answer reloads both; the SEND behind it then spends rnr_retry alone")
  @Holds(Rule.R8)
  void spendsRnrRetriesOnceTheAnswerHasCome() {
    begin(rc().retryCount(1).rnrRetry(1));
    postsReadAndSends(1);
    d.hears(read(), send(1));
    d.says(peer.rnrNak(1, TIMER, 0));
    d.hearsAt(ms(WAIT_MS), read());
    d.hears(send(1));
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    qp.sent(1, WcStatus.SUCCESS);
    d.says(peer.rnrNak(1, TIMER, 1));
    d.hearsAt(2 * ms(WAIT_MS), send(1));
    qp.nothingSent();
    d.says(peer.rnrNak(1, TIMER, 1));
    qp.sent(2, WcStatus.RNR_RETRY_EXC_ERR);
    assertEquals(0, qp.counter(Counter.RETRY_EXCEEDED));
  }
}
