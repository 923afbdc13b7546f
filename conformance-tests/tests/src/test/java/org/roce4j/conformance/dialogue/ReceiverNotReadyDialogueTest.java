package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.Dialogue.ms;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** RNR NAKs from both sides: rulings R4, R8 and R14. */
@Holds(Rule.RECEIVE_RESOURCE)
class ReceiverNotReadyDialogueTest extends DialogueFixture {
  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  // ---- requester

  @ParameterizedTest
  @CsvSource({
    "0, 655.36",
    "1, 0.01",
    "2, 0.02",
    "3, 0.03",
    "4, 0.04",
    "5, 0.06",
    "6, 0.08",
    "7, 0.12",
    "8, 0.16",
    "9, 0.24",
    "10, 0.32",
    "11, 0.48",
    "12, 0.64",
    "13, 0.96",
    "14, 1.28",
    "15, 1.92",
    "16, 2.56",
    "17, 3.84",
    "18, 5.12",
    "19, 7.68",
    "20, 10.24",
    "21, 15.36",
    "22, 20.48",
    "23, 30.72",
    "24, 40.96",
    "25, 61.44",
    "26, 81.92",
    "27, 122.88",
    "28, 163.84",
    "29, 245.76",
    "30, 327.68",
    "31, 491.52"
  })
  @DisplayName(
      "R14: waits as long as the kernel's table says, not longer, and not for the ACK timeout")
  @Holds(Rule.R14)
  void waitsAsLongAsTheTableSays(int code, double milliseconds) {
    begin(rc().timeout(8));
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.rnrNak(0, code, 0));
    d.hearsAt(ms(milliseconds), send(0));
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 6})
  @DisplayName("rnr_retry n: n + 1 attempts, then RNR_RETRY_EXC_ERR")
  @Holds(Rule.RNR_COUNT)
  void givesUpAfterRnrRetryRetries(int retries) {
    begin(rc().rnrRetry(retries));
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    for (int retry = 1; retry <= retries; retry++) {
      d.says(peer.rnrNak(0, 14, 0));
      d.hearsAt(retry * ms(1.28), send(0));
      d.hears(send(1));
    }
    qp.nothingSent();
    d.says(peer.rnrNak(0, 14, 0));
    qp.sent(1, WcStatus.RNR_RETRY_EXC_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.ERR);
    d.hearsNothingUntil(ms(1000));
  }

  @Test
  @DisplayName("R8: rnr_retry 7 is endless")
  @Holds(Rule.R8)
  void neverGivesUp() {
    begin(rc().rnrRetry(7));
    qp.postsSend(1, 10);
    d.hears(send(0));
    for (int attempt = 1; attempt <= 1000; attempt++) {
      d.says(peer.rnrNak(0, 1, 0));
      d.hearsAt(attempt * ms(0.01), send(0));
    }
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("R8: progress reloads rnr_retry")
  @Holds(Rule.R8)
  void countsAnewAfterProgress() {
    begin(rc().rnrRetry(1));
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    d.says(peer.rnrNak(0, 14, 0));
    d.hearsAt(ms(1.28), send(0));
    d.hears(send(1));
    d.says(peer.rnrNak(1, 14, 1));
    qp.sent(1, WcStatus.SUCCESS);
    d.hearsAt(ms(2.56), send(1));
    d.says(peer.ack(1, 2));
    qp.sent(2, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("an RNR NAK acknowledges everything before it")
  @Holds(Rule.IMPLIED_ACK)
  void completesWhatPrecedesTheRequestThatFoundNoReceiver() {
    begin(rc());
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    d.says(peer.rnrNak(1, 14, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.nothingSent();
    d.hearsAt(ms(1.28), send(1));
  }

  @Test
  @DisplayName("a second RNR NAK during the wait is of the same attempt")
  @Holds(Rule.RNR_COUNT)
  void countsOneRnrNakPerAttempt() {
    begin(rc().rnrRetry(1));
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.rnrNak(0, 14, 0), peer.rnrNak(0, 14, 0));
    d.hearsAt(ms(1.28), send(0));
    qp.nothingSent();
  }

  @Test
  @DisplayName("what is posted during the wait waits too")
  @Holds(Rule.R14)
  void sendsNothingElseDuringTheWait() {
    begin(rc());
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.rnrNak(0, 14, 0));
    d.hearsNothing();
    qp.postsSend(2, 10);
    d.hearsAt(ms(1.28), send(0));
    d.hears(send(1));
  }

  // ---- responder

  @Test
  @DisplayName("the FIRST of a longer message finds no receive request; its rest is dropped")
  void answersTheFirstPacketOfAMessage() {
    begin(rc().minRnrTimer(19));
    d.says(
        peer.sendFirst(0).bytes(0, 256),
        peer.sendMiddle(1).bytes(256, 512),
        peer.sendLast(2).bytes(512, 600).ackReq());
    d.hears(here.rnrNak(0, 19, 0));
    d.hearsNothing();
    qp.postsReceive(1, 600);
    d.says(
        peer.sendFirst(0).bytes(0, 256),
        peer.sendMiddle(1).bytes(256, 512),
        peer.sendLast(2).bytes(512, 600).ackReq());
    d.hears(here.ack(2, 1));
    qp.received(1, 600);
    qp.landed(600);
  }

  @Test
  @DisplayName("WRITE with Immediate asks for a receive request at its last packet")
  void answersTheLastPacketOfAWriteWithImmediate() {
    begin(rc().minRnrTimer(19));
    d.says(
        peer.writeFirst(0, qp.va(0), qp.region.rkey(), 300).bytes(0, 256),
        peer.writeLastImmediate(1, 0xcafe).bytes(256, 300).ackReq());
    d.hears(here.rnrNak(1, 19, 0));
    qp.postsReceive(1, 0);
    d.says(peer.writeLastImmediate(1, 0xcafe).bytes(256, 300).ackReq());
    d.hears(here.ack(1, 1));
    qp.received(1, 300);
    assertEquals(0xcafe, qp.lastCompletion().immediate(0));
    qp.landed(300);
  }

  @Test
  @DisplayName("a plain WRITE needs no receive request")
  void takesAWriteWithoutAReceiveRequest() {
    begin(rc());
    d.says(peer.write(0, qp.va(0), qp.region.rkey(), 10).bytes(0, 10).ackReq());
    d.hears(here.ack(0, 1));
    qp.landed(10);
    qp.nothingReceived();
  }

  @Test
  @DisplayName("R8: a timeout is no progress: it reloads no RNR retries")
  @Holds(Rule.R8)
  void reloadsNothingAtATimeout() {
    begin(rc().timeout(8).rnrRetry(1));
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.rnrNak(0, 1, 0));
    d.hearsAt(ms(0.01), send(0));
    d.hearsAt(ms(0.01) + (4096L << 8), send(0));
    d.says(peer.rnrNak(0, 1, 0));
    qp.sent(1, WcStatus.RNR_RETRY_EXC_ERR);
  }

  @Test
  @DisplayName("min_rnr_timer can be changed while the queue pair works")
  @Holds(Rule.R14)
  void tellsItsNewTimer() {
    begin(rc().minRnrTimer(19));
    d.says(peer.send(0).bytes(0, 10).ackReq());
    d.hears(here.rnrNak(0, 19, 0));
    qp.qp.modify(new QpAttr().minRnrTimer(3));
    d.says(peer.send(0).bytes(0, 10).ackReq());
    d.hears(here.rnrNak(0, 3, 0));
  }
}
