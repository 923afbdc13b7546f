package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.dialogue.QpSetup.rc;
import static org.roce4j.conformance.dialogue.QpSetup.uc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * What a queue pair says and does in each state (verbs-tables 3; rc-transport 5.1, 5.2; R13, R17).
 */
@Holds(Rule.STATES)
class QpStateDialogueTest extends DialogueFixture {
  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq();
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  private static void refused(Errno errno, Runnable verb) {
    VerbsException e = assertThrows(VerbsException.class, verb::run);
    assertEquals(errno, e.errno());
  }

  // ---- before RTS

  @Test
  void dropsRequestsInInit() {
    begin(rc().inInit());
    d.says(write(0));
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.WRONG_STATE));
  }

  @Test
  @DisplayName("RTR answers requests; the first processed without error raises COMM_EST once")
  void raisesCommEstOnceInRtr() {
    begin(rc().inRtr());
    d.says(write(1));
    d.hears(here.sequenceNak(0, 0));
    qp.noEvent();
    d.says(write(0), write(1));
    d.hears(here.ack(1, 2));
    qp.event(EventType.COMM_EST);
    d.says(write(2));
    d.hears(here.ack(2, 3));
    qp.noEvent();
    qp.toRts();
    d.says(write(3));
    d.hears(here.ack(3, 4));
    qp.noEvent();
  }

  @Test
  @DisplayName("R19: COMM_EST is raised anew in each life of the queue pair")
  void raisesCommEstInEachLife() {
    begin(rc().inRtr());
    for (int life = 0; life < 2; life++) {
      d.says(write(0));
      d.hears(here.ack(0, 1));
      qp.event(EventType.COMM_EST);
      qp.noEvent();
      qp.moves(QpState.RESET);
      qp.toInit().toRtr();
    }
  }

  @Test
  void raisesNoCommEstInRts() {
    begin(rc().inRts());
    d.says(write(0));
    d.hears(here.ack(0, 1));
    qp.noEvent();
  }

  @Test
  void postSendIsRefusedBelowRts() {
    begin(rc().inRtr());
    assertEquals(
        Errno.EINVAL.number(), qp.qp.postSend(qp.request(1, WrOpcode.SEND).sge(qp.region, 0, 10)));
    qp.nothingSent();
  }

  @Test
  @DisplayName("R13: RESET to ERR is refused")
  @Holds(Rule.R13)
  void refusesToFailFromReset() {
    begin(rc().inRts());
    qp.moves(QpState.RESET);
    refused(Errno.EINVAL, () -> qp.moves(QpState.ERR));
    qp.isIn(QpState.RESET);
  }

  // ---- ERR

  @Test
  @DisplayName("modify to ERR flushes both queues in order, unsignaled requests too")
  @Holds(Rule.FLUSH)
  void flushesInOrder() {
    begin(rc().signalOnRequest().inRts());
    for (int i = 0; i < 5; i++) {
      qp.posts(
          qp.request(i, WrOpcode.SEND)
              .flags(i % 2 == 0 ? 0 : SendFlags.SIGNALED)
              .sge(qp.region, 0, 10));
      qp.postsReceive(10 + i, 10);
      d.hears(send(i));
    }
    qp.moves(QpState.ERR);
    for (int i = 0; i < 5; i++) {
      qp.sent(i, WcStatus.WR_FLUSH_ERR);
      qp.received(10 + i, WcStatus.WR_FLUSH_ERR);
    }
    qp.nothingSent();
    qp.nothingReceived();
    qp.noEvent();
    d.hearsNothingUntil(Dialogue.ms(10_000));
  }

  @Test
  @DisplayName("R17: what completed is not completed again by the move to ERR (mistake of others)")
  @Holds(Rule.R17_ONCE)
  void completesNothingTwice() {
    begin(rc().inRts());
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    qp.postsReceive(3, 10);
    qp.postsReceive(4, 10);
    d.hears(send(0), send(1));
    d.says(peer.ack(0, 1), peer.send(0).bytes(0, 10).ackReq());
    d.hears(here.ack(0, 1));
    qp.moves(QpState.ERR);
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.nothingSent();
    qp.received(3, 10);
    qp.received(4, WcStatus.WR_FLUSH_ERR);
    qp.nothingReceived();
    qp.moves(QpState.ERR);
    qp.nothingSent();
    qp.nothingReceived();
  }

  @Test
  @DisplayName("unsignaled successes stay silent even when the queue fails later")
  @Holds(Rule.COMPLETION_ORDER)
  void staysSilentAboutUnsignaledSuccesses() {
    begin(rc().signalOnRequest().inRts());
    qp.postsSend(1, 10);
    qp.posts(qp.request(2, WrOpcode.SEND).flags(SendFlags.SIGNALED).sge(qp.region, 0, 10));
    d.hears(send(0), send(1));
    d.says(peer.ack(0, 1));
    qp.nothingSent();
    qp.moves(QpState.ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.nothingSent();
  }

  @Test
  @DisplayName("what is posted in ERR is flushed at once")
  @Holds(Rule.FLUSH)
  void flushesWhatIsPostedInError() {
    begin(rc().inRts());
    qp.moves(QpState.ERR);
    qp.postsSend(1, 10);
    qp.postsReceive(2, 10);
    qp.sent(1, WcStatus.WR_FLUSH_ERR);
    qp.received(2, WcStatus.WR_FLUSH_ERR);
    d.hearsNothing();
  }

  @Test
  void dropsEverythingInError() {
    begin(rc().inRts());
    qp.moves(QpState.ERR);
    d.says(write(0), peer.ack(0, 1));
    d.hearsNothing();
    assertEquals(2, qp.counter(Counter.WRONG_STATE));
  }

  @Test
  @DisplayName("ERR to RESET drops all without completions; a new life starts from new PSNs")
  void startsAfreshAfterReset() {
    begin(rc().inRts());
    qp.postsSend(1, 10);
    qp.postsReceive(2, 10);
    d.hears(send(0));
    d.says(write(0));
    d.hears(here.ack(0, 1));
    qp.moves(QpState.RESET);
    qp.nothingSent();
    qp.nothingReceived();
    d.hearsNothingUntil(Dialogue.ms(10_000));
    qp.toInit().toRtr().toRts();
    qp.postsSend(3, 10);
    d.hears(send(0));
    d.says(write(0), peer.ack(0, 1));
    d.hears(here.ack(0, 1));
    qp.sent(3, WcStatus.SUCCESS);
  }

  // ---- SQD

  private void drain() {
    qp.qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
  }

  @Test
  @DisplayName("SQD: what was started goes on, what was not waits; then SQ_DRAINED once")
  @Holds(Rule.SQD)
  void drains() {
    begin(rc().inRts());
    qp.postsSend(1, 10);
    d.hears(send(0));
    drain();
    qp.postsSend(2, 10);
    d.hearsNothing();
    qp.noEvent();
    assertTrue(qp.qp.query().sqDraining());
    d.hearsAt(4096L << 14, send(0));
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.event(EventType.SQ_DRAINED);
    qp.noEvent();
    assertFalse(qp.qp.query().sqDraining());
    d.hearsNothingUntil(Dialogue.ms(10_000));
    qp.moves(QpState.RTS);
    d.hears(send(1));
  }

  @Test
  @Holds(Rule.SQD)
  void raisesSqDrainedAtOnceWhenNothingIsOutstanding() {
    begin(rc().inRts());
    drain();
    qp.event(EventType.SQ_DRAINED);
    d.says(write(0));
    d.hears(here.ack(0, 1));
    qp.noEvent();
    qp.moves(QpState.RTS);
    qp.postsSend(1, 10);
    d.hears(send(0));
    drain();
    d.says(peer.ack(0, 1));
    qp.event(EventType.SQ_DRAINED);
  }

  @Test
  @DisplayName("without en_sqd_async_notify there is no event")
  @Holds(Rule.SQD)
  void raisesNoEventUnlessAsked() {
    begin(rc().inRts());
    qp.moves(QpState.SQD);
    qp.noEvent();
  }

  @Test
  @DisplayName("SQD: the receive side goes on")
  @Holds(Rule.SQD)
  void receivesWhileDrained() {
    begin(rc().inRts());
    qp.moves(QpState.SQD);
    d.says(write(0));
    d.hears(here.ack(0, 1));
  }

  @Test
  @DisplayName("SQD is left to RTS only when drained, to ERR always")
  @Holds(Rule.SQD)
  void refusesToLeaveWhileDraining() {
    begin(rc().inRts());
    qp.postsSend(1, 10);
    d.hears(send(0));
    qp.moves(QpState.SQD);
    refused(Errno.EINVAL, () -> qp.moves(QpState.RTS));
    qp.isIn(QpState.SQD);
    qp.moves(QpState.ERR);
    qp.sent(1, WcStatus.WR_FLUSH_ERR);
  }

  @Test
  @DisplayName("SQD: a new address vector while requests are under way is refused")
  @Holds(Rule.SQD)
  void refusesANewPathWhileDraining() {
    begin(rc().inRts());
    qp.postsSend(1, 10);
    d.hears(send(0));
    qp.moves(QpState.SQD);
    QpAttr elsewhere = new QpAttr().ahAttr(AhAttr.roce(Gid.parse("10.0.0.3"), 0));
    refused(Errno.EINVAL, () -> qp.qp.modify(elsewhere));
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.qp.modify(elsewhere);
  }

  // ---- SQE

  @Test
  @DisplayName("R15: a local error of a UC send queue leads to SQE; RTS leads out of it")
  @Holds(Rule.R15)
  void entersSqeAndLeavesIt() {
    begin(uc().inRts());
    qp.posts(qp.request(1, WrOpcode.SEND).sge(qp.region.address(), 8, 12345));
    qp.postsSend(2, 10);
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.SQE);
    qp.postsReceive(3, 10);
    d.says(peer.send(0).bytes(0, 10));
    qp.received(3, 10);
    qp.moves(QpState.RTS);
    qp.postsSend(4, 10);
    d.hears(here.send(0).bytes(0, 10));
    qp.sent(4, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("RTR: nothing that comes with a fatal request raises COMM_EST")
  void raisesNoCommEstWithAFatalRequest() {
    begin(rc().inRtr());
    d.says(peer.writeLast(0).bytes(0, 8).ackReq(), write(1));
    d.hears(here.invalidRequestNak(0, 0));
    qp.event(EventType.QP_REQ_ERR);
    qp.noEvent();
  }

  @Test
  @DisplayName("RTR takes no responses: nothing was asked yet")
  void dropsResponsesInRtr() {
    begin(rc().inRtr());
    d.says(peer.ack(0, 1));
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.WRONG_STATE));
  }

  @Test
  @DisplayName("SQE flushes what is posted, and takes responses no more")
  @Holds(Rule.R15)
  void flushesWhatIsPostedInSqe() {
    begin(uc().inRts());
    qp.posts(qp.request(1, WrOpcode.SEND).sge(qp.region.address(), 8, 12345));
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    qp.isIn(QpState.SQE);
    qp.postsSend(2, 10);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    d.hearsNothing();
  }

  @Test
  @DisplayName("query tells what modify was told")
  void tellsItsAttributes() {
    begin(
        rc().psns(0x123456, 0x654321)
            .timeout(15)
            .retryCount(5)
            .rnrRetry(3)
            .minRnrTimer(9)
            .maxRdAtomic(2)
            .maxDestRdAtomic(6)
            .inRts());
    QpAttr told = qp.qp.query();
    assertEquals(QpState.RTS, told.qpState());
    assertEquals(QpState.RTS, told.curQpState());
    assertEquals(Mtu.MTU_256, told.pathMtu());
    assertEquals(0x123456, told.sqPsn());
    assertEquals(0x654321, told.rqPsn());
    assertEquals(QpUnderTest.PEER_QPN, told.destQpNum());
    assertEquals(QpSetup.ALL_REMOTE, told.qpAccessFlags());
    assertEquals(qp.wire.address(), told.ahAttr().grh().dgid());
    assertEquals(1, told.portNum());
    assertEquals(0, told.pkeyIndex());
    assertEquals(15, told.timeout());
    assertEquals(5, told.retryCnt());
    assertEquals(3, told.rnrRetry());
    assertEquals(9, told.minRnrTimer());
    assertEquals(2, told.maxRdAtomic());
    assertEquals(6, told.maxDestRdAtomic());
    assertFalse(told.sqDraining());
    qp.moves(QpState.RESET);
    assertEquals(0, qp.qp.query().destQpNum());
    assertEquals(0, qp.qp.query().timeout());
  }

  @Test
  @DisplayName("R15: what is posted behind a failure is flushed with it")
  @Holds(Rule.R15)
  void flushesWhatIsBehindTheFailure() {
    begin(uc().inRts());
    qp.moves(QpState.SQD);
    qp.posts(qp.request(1, WrOpcode.SEND).sge(qp.region.address(), 8, 12345));
    qp.postsSend(2, 10);
    qp.nothingSent();
    qp.moves(QpState.RTS);
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.SQE);
    d.hearsNothing();
  }

  @Test
  @DisplayName("a failed send request of RC ends the receive queue too")
  void flushesReceivesWhenASendFails() {
    begin(rc().inRts());
    qp.postsReceive(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0));
    d.says(peer.remoteOperationalNak(0, 0));
    qp.sent(2, WcStatus.REM_OP_ERR);
    qp.received(1, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("a failed send request of UC leaves the receive queue as it is")
  void keepsReceivesWhenASendOfAnUnreliableConnectionFails() {
    begin(uc().inRts());
    qp.postsReceive(1, 10);
    qp.posts(qp.request(2, WrOpcode.SEND).sge(qp.region.address(), 10, 0xdead));
    qp.sent(2, WcStatus.LOC_PROT_ERR);
    qp.isIn(QpState.SQE);
    qp.nothingReceived();
    d.says(peer.send(0).bytes(0, 10));
    qp.received(1, 10);
  }

  @Test
  @DisplayName("SQ_DRAINED comes once for each time that SQD is entered")
  @Holds(Rule.SQD)
  void tellsOfEachDrainOnce() {
    begin(rc().inRts());
    QpAttr drain = new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true);
    for (int i = 0; i < 2; i++) {
      qp.qp.modify(drain);
      qp.event(EventType.SQ_DRAINED);
      qp.qp.modify(new QpAttr().qpState(QpState.SQD).minRnrTimer(3));
      qp.noEvent();
      qp.moves(QpState.RTS);
      qp.noEvent();
    }
  }

  @Test
  @DisplayName(
      "SQ_DRAINED is asked for with each move to SQD: the next one without asking is silent")
  @Holds(Rule.SQD)
  void forgetsThatItWasAskedToTellOfTheDrainBefore() {
    begin(rc().inRts());
    drain();
    qp.event(EventType.SQ_DRAINED);
    qp.moves(QpState.RTS);
    qp.moves(QpState.SQD);
    qp.noEvent();
  }
}
