package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * RESET leaves nothing behind: what happened in one life of a queue pair is unknown in the next.
 */
@Holds(Rule.RESET)
class ResetDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;
  private static final long TIMEOUT_14 = 4096L << 14;

  ResetDialogueTest() {
    super(rc().maxRdAtomic(1));
  }

  private void startsAfresh() {
    qp.moves(QpState.RESET);
    qp.toInit().toRtr().toRts();
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq();
  }

  // ---- the sending half

  @Test
  @DisplayName("no timer runs on: the first timeout counts from the first packet")
  void stopsTheTimer() {
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.hearsNothingUntil(TIMEOUT_14 - 1000);
    startsAfresh();
    qp.postsSend(2, 10);
    d.hears(send(0));
    d.hearsNothingUntil(2 * TIMEOUT_14 - 1001);
    d.hearsAt(2 * TIMEOUT_14 - 1000, send(0));
  }

  @Test
  @DisplayName("no timer runs on while the queue pair is in RESET")
  void isSilentInReset() {
    qp.postsSend(1, 10);
    d.hears(send(0));
    qp.moves(QpState.RESET);
    d.hearsNothingUntil(100 * TIMEOUT_14);
    assertEquals(0, qp.counter(Counter.ACK_TIMEOUT));
    qp.noEvent();
  }

  @Test
  @DisplayName("an RNR wait is over")
  void endsAnRnrWait() {
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.rnrNak(0, 0, 0));
    d.hearsNothing();
    startsAfresh();
    qp.postsSend(2, 10);
    d.hears(send(0));
  }

  @Test
  @DisplayName("a retry that was under way does not keep the next one from starting")
  void forgetsARetry() {
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.sequenceNak(0, 0));
    d.hears(send(0));
    startsAfresh();
    qp.postsSend(2, 10);
    d.hears(send(0));
    d.says(peer.sequenceNak(0, 0));
    d.hears(send(0));
  }

  @Test
  @DisplayName("READs that were outstanding are not counted any more")
  void forgetsReads() {
    qp.postsRead(1, 8, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 8));
    startsAfresh();
    qp.postsRead(2, 8, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 8));
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    qp.sent(2, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("a message is sent from its own buffers, not from those of the one it replaces")
  void opensItsOwnSource() {
    qp.posts(qp.request(1, WrOpcode.SEND).sge(qp.region, 0, 300));
    d.hears(here.sendFirst(0).bytes(0, 256), here.sendLast(1).bytes(256, 300).ackReq());
    startsAfresh();
    qp.posts(qp.request(2, WrOpcode.SEND).sge(qp.region, 16, 10));
    d.hears(here.send(0).bytes(16, 26).ackReq());
  }

  @Test
  @DisplayName("a READ lands in its own buffers, not in those of the one it replaces")
  void opensItsOwnDestination() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_READ)
            .remote(VA, RKEY)
            .sge(qp.region, QpUnderTest.HALF + 1024, 300));
    d.hears(here.read(0, VA, RKEY, 300));
    d.says(peer.readFirst(0, 1).bytes(0, 256));
    qp.settle();
    startsAfresh();
    qp.postsRead(2, 8, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 8));
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    qp.sent(2, WcStatus.SUCCESS);
    qp.landed(8);
  }

  @Test
  @DisplayName("a response to the life before is stale in the next")
  void dropsAStaleResponse() {
    qp.postsSend(1, 10);
    d.hears(send(0));
    startsAfresh();
    d.says(peer.ack(0, 1));
    d.hearsNothing();
    qp.nothingSent();
    assertEquals(1, qp.counter(Counter.RESPONSE_DROPPED));
  }

  // ---- the receiving half

  @Test
  @DisplayName("a message under way does not go on, the next one may begin")
  void forgetsAMessageUnderWay() {
    qp.postsReceive(1, 600);
    d.says(peer.sendFirst(0).bytes(0, 256).ackReq());
    d.hears(here.ack(0, 0));
    startsAfresh();
    qp.postsReceive(2, 600);
    d.says(peer.send(0).bytes(0, 10).ackReq());
    d.hears(here.ack(0, 1));
    qp.received(2, 10);
    d.says(write(1));
    d.hears(here.ack(1, 2));
  }

  @Test
  @DisplayName("a WRITE under way does not go on")
  void forgetsAWriteUnderWay() {
    d.says(peer.writeFirst(0, qp.va(0), qp.region.rkey(), 300).bytes(0, 256).ackReq());
    d.hears(here.ack(0, 0));
    startsAfresh();
    d.says(peer.writeLast(0).bytes(256, 300).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    qp.landed(256);
  }

  @Test
  @DisplayName("the MSN counts from 0")
  void countsMessagesAnew() {
    d.says(write(0));
    d.hears(here.ack(0, 1));
    startsAfresh();
    d.says(write(0));
    d.hears(here.ack(0, 1));
  }

  @Test
  @DisplayName("answers are forgotten: what is behind the first PSN is answered by none")
  void forgetsAnswers() {
    d.says(write(0), peer.fetchAdd(1, qp.va(8), qp.region.rkey(), 1));
    d.hears(here.atomicAck(1, 2, 0));
    startsAfresh();
    d.says(write(0), write(1), write(2));
    d.hears(here.ack(2, 3));
    d.says(peer.fetchAdd(1, qp.va(8), qp.region.rkey(), 1));
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.REQUEST_DROPPED));
  }

  @Test
  @DisplayName("a gap gets its sequence NAK, whatever was said before")
  void saysItsSequenceNakAnew() {
    d.says(write(1));
    d.hears(here.sequenceNak(0, 0));
    startsAfresh();
    d.says(write(1));
    d.hears(here.sequenceNak(0, 0));
  }

  @Test
  @DisplayName("a gap gets its sequence NAK, though an RNR NAK was said before")
  void forgetsThatItWasNotReady() {
    d.says(peer.send(0).bytes(0, 8).ackReq());
    d.hears(here.rnrNak(0, 12, 0));
    startsAfresh();
    d.says(write(1));
    d.hears(here.sequenceNak(0, 0));
  }

  @Test
  @DisplayName("a queue pair that failed answers again")
  void answersAfterAFailure() {
    d.says(peer.writeLast(0).bytes(0, 8).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    startsAfresh();
    d.says(write(0));
    d.hears(here.ack(0, 1));
  }

  @Test
  @DisplayName("what was posted is gone: a receive request that was held serves nobody")
  void forgetsReceives() {
    qp.postsReceive(1, 600);
    qp.postsReceive(2, 600);
    d.says(peer.sendFirst(0).bytes(0, 256).ackReq());
    d.hears(here.ack(0, 0));
    startsAfresh();
    d.says(peer.send(0).bytes(0, 8).ackReq());
    d.hears(here.rnrNak(0, 12, 0));
    qp.nothingReceived();
  }

  @Test
  @DisplayName("a queue pair that was destroyed is unknown")
  void knowsNoDestroyedQueuePair() {
    qp.qp.close();
    d.says(write(0));
    d.hearsNothing();
    qp.nothingLanded();
    assertEquals(1, qp.counter(Counter.UNKNOWN_QP));
  }

  @Test
  @DisplayName("completions of a destroyed queue pair are gone, those of others stay in order")
  void leavesTheCompletionsOfOthers() {
    QpUnderTest.Second other = qp.second();
    for (int i = 0; i < 2; i++) {
      qp.postsSend(10 + i, 10);
      assertEquals(0, other.qp().postSend(qp.request(20 + i, WrOpcode.SEND).sge(qp.region, 0, 10)));
      d.hears(send(i), other.here().send(i).bytes(0, 10).ackReq());
      d.says(other.peer().ack(i, i + 1), peer.ack(i, i + 1));
    }
    qp.settle();
    qp.qp.close();
    qp.sent(20, WcStatus.SUCCESS);
    qp.sent(21, WcStatus.SUCCESS);
    qp.nothingSent();
  }
}
