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
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** READ from both sides, with what is lost on the way: read_partial_retry, R7, R10. */
@Holds(Rule.READ_ANSWER)
class ReadDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;
  private static final long TIMEOUT_14 = 4096L << 14;

  private PacketDraft read(int psn, int from, int to) {
    return peer.read(psn, qp.patternVa(from), qp.region.rkey(), to - from);
  }

  // ---- responder

  @Test
  @DisplayName("pad bytes are zero, whatever was sent before")
  void padsWithZeros() {
    begin(rc());
    d.says(read(0, 1, 21));
    d.hears(here.readOnly(0, 1).bytes(1, 21));
    d.says(read(1, 1, 6));
    d.hears(here.readOnly(1, 2).bytes(1, 6));
    qp.postsSend(1, 20);
    d.hears(here.send(0).bytes(0, 20).ackReq());
    qp.postsSend(2, 5);
    d.hears(here.send(1).bytes(0, 5).ackReq());
  }

  @Test
  @DisplayName("max_dest_rd_atomic may change while the send queue is drained")
  @Holds(Rule.R10)
  void keepsAnotherNumberOfAnswers() {
    begin(rc().maxDestRdAtomic(4));
    for (int i = 0; i < 3; i++) {
      d.says(read(i, 8 * i, 8 * i + 8));
      d.hears(here.readOnly(i, i + 1).bytes(8 * i, 8 * i + 8));
    }
    qp.moves(QpState.SQD);
    qp.qp.modify(new QpAttr().qpState(QpState.SQD).maxDestRdAtomic(2));
    for (int i = 3; i < 8; i++) {
      d.says(read(i, 8 * i, 8 * i + 8));
      d.hears(here.readOnly(i, i + 1).bytes(8 * i, 8 * i + 8));
    }
    d.says(read(5, 40, 48));
    d.hearsNothing();
    d.says(read(6, 48, 56));
    d.hears(here.readOnly(6, 7).bytes(48, 56));
  }

  @Test
  @DisplayName("an ACK for a SEND behind a READ follows all responses of the READ")
  @Holds(Rule.ANSWER_ORDER)
  void keepsTheOrderOfPsns() {
    begin(rc());
    qp.postsReceive(1, 8);
    d.says(read(0, 0, 300), peer.send(2).bytes(0, 8).ackReq());
    d.hears(
        here.readFirst(0, 1).bytes(0, 256), here.readLast(1, 1).bytes(256, 300), here.ack(2, 2));
  }

  @Test
  @DisplayName("the region went away after the answer: a late duplicate is dropped silently")
  @Holds(Rule.READ_REPLAY)
  void dropsTheDuplicateWhenTheKeyDied() {
    begin(rc());
    d.says(read(0, 0, 8));
    d.hears(here.readOnly(0, 1).bytes(0, 8));
    PacketDraft again = read(0, 0, 8);
    qp.region.close();
    d.says(again);
    d.hearsNothing();
    qp.isIn(QpState.RTS);
    assertEquals(1, qp.counter(Counter.REQUEST_DROPPED));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  @DisplayName("R10: one READ more than max_dest_rd_atomic at a time is an invalid request")
  @Holds(Rule.R10)
  void refusesOneReadTooMany(int most) {
    begin(rc().maxDestRdAtomic(most));
    for (int i = 0; i <= most; i++) {
      d.says(read(i, 8 * i, 8 * i + 8));
    }
    for (int i = 0; i < most; i++) {
      d.hears(here.readOnly(i, i + 1).bytes(8 * i, 8 * i + 8));
    }
    d.hears(here.invalidRequestNak(most, most));
    qp.isIn(QpState.ERR);
  }

  // ---- requester

  @Test
  @DisplayName("a lost LAST: asks for it after the timeout")
  @Holds(Rule.RESPONSE_GAP)
  void asksForTheLastAfterTheTimeout() {
    begin(rc());
    qp.postsRead(1, 700, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 700));
    d.says(peer.readFirst(0, 1).bytes(0, 256), peer.readMiddle(1).bytes(256, 512));
    d.hearsAt(TIMEOUT_14, here.read(2, VA + 512, RKEY, 188));
    d.says(peer.readOnly(2, 1).bytes(512, 700));
    qp.sent(1, WcStatus.SUCCESS);
    qp.landed(700);
  }

  @Test
  @DisplayName("Linux rxe goes on with MIDDLE and LAST when asked for the rest: taken as well")
  @Holds(Rule.RESPONSE_GAP)
  void takesTheRestWithoutAFirst() {
    begin(rc());
    qp.postsRead(1, 700, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 700));
    d.says(peer.readFirst(0, 1).bytes(0, 256));
    d.hearsAt(TIMEOUT_14, here.read(1, VA + 256, RKEY, 444));
    d.says(peer.readMiddle(1).bytes(256, 512), peer.readLast(2, 1).bytes(512, 700));
    qp.sent(1, WcStatus.SUCCESS);
    qp.landed(700);
  }

  @Test
  @DisplayName("no more READs at a time than max_rd_atomic; the next one goes with the answer")
  @Holds(Rule.READ_CREDITS)
  void keepsToItsCredits() {
    begin(rc().maxRdAtomic(2));
    for (int i = 0; i < 4; i++) {
      qp.postsRead(i, 8, VA, RKEY);
    }
    qp.postsSend(9, 10);
    d.hears(here.read(0, VA, RKEY, 8), here.read(1, VA, RKEY, 8));
    d.hearsNothing();
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    d.hears(here.read(2, VA, RKEY, 8));
    d.hearsNothing();
    d.says(peer.readOnly(1, 2).bytes(0, 8), peer.readOnly(2, 3).bytes(0, 8));
    d.hears(here.read(3, VA, RKEY, 8), here.send(4).bytes(0, 10).ackReq());
  }

  @Test
  @DisplayName("a fence holds a request back until the READs before it are done")
  @Holds(Rule.FENCE)
  void waitsAtTheFence() {
    begin(rc());
    qp.postsRead(1, 8, VA, RKEY);
    qp.posts(qp.request(2, WrOpcode.SEND).flags(SendFlags.FENCE).sge(qp.region, 0, 10));
    d.hears(here.read(0, VA, RKEY, 8));
    d.hearsNothing();
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    d.hears(here.send(1).bytes(0, 10).ackReq());
  }

  @Test
  @DisplayName("a FIRST in the middle of an answer that was not asked for again")
  @Holds(Rule.BAD_RESPONSE)
  void refusesAFirstInTheMiddle() {
    begin(rc());
    qp.postsRead(1, 700, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 700));
    d.says(peer.readFirst(0, 1).bytes(0, 256), peer.readFirst(1, 1).bytes(256, 512));
    qp.sent(1, WcStatus.BAD_RESP_ERR);
  }

  @Test
  @DisplayName("a NAK of the last PSN of a READ is its own, though the first responses have come")
  void failsInTheMiddleOfAnAnswer() {
    begin(rc());
    qp.postsRead(1, 700, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 700));
    d.says(peer.readFirst(0, 1).bytes(0, 256), peer.remoteAccessNak(2, 1));
    qp.sent(1, WcStatus.REM_ACCESS_ERR);
    d.hearsNothing();
  }

  @Test
  @DisplayName("a response to a request whose predecessor's completion has failed it is dropped")
  void dropsAResponseThatFindsTheQueueFailed() {
    begin(rc());
    qp.postsSend(1, 10);
    qp.posts(
        qp.request(2, WrOpcode.SEND).sge(qp.region, 0, 256).sge(qp.region.address(), 10, 0xdead));
    d.hears(here.send(0).bytes(0, 10).ackReq(), here.sendFirst(1).bytes(0, 256));
    d.says(peer.readOnly(1, 1).bytes(0, 8));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.LOC_PROT_ERR);
    qp.nothingSent();
    assertEquals(1, qp.counter(Counter.RESPONSE_DROPPED));
  }

  @Test
  @DisplayName("a READ that was asked for again gives its credit back as any other")
  @Holds(Rule.READ_CREDITS)
  void givesTheCreditOfARepeatedReadBack() {
    begin(rc().maxRdAtomic(1));
    qp.postsRead(1, 700, VA, RKEY);
    qp.postsRead(2, 8, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 700));
    d.says(peer.readFirst(0, 1).bytes(0, 256), peer.readLast(2, 1).bytes(512, 700));
    d.hears(here.read(1, VA + 256, RKEY, 444));
    d.says(peer.readFirst(1, 1).bytes(256, 512), peer.readLast(2, 1).bytes(512, 700));
    d.hears(here.read(3, VA, RKEY, 8));
  }
}
