package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

/**
 * What a queue pair says and does in each state (verbs-tables 3; rc-transport 5.1, 5.2; R13, R17).
 */
@Holds(Rule.STATES)
class QpStateDialogueTest extends DialogueFixture {

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  private static void refused(Errno errno, Runnable verb) {
    VerbsException e = assertThrows(VerbsException.class, verb::run);
    assertEquals(errno, e.errno());
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
  @DisplayName("SQD: SQ_DRAINED each time that it was asked for, and no other time")
  @Holds(Rule.SQD)
  void tellsThatItIsDrainedAsOftenAsAsked() {
    begin(rc().inRts());
    for (int i = 0; i < 3; i++) {
      drain();
      qp.event(EventType.SQ_DRAINED);
      qp.moves(QpState.RTS);
      qp.qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(false));
      qp.noEvent();
      qp.moves(QpState.RTS);
      qp.moves(QpState.SQD);
      qp.noEvent();
      qp.moves(QpState.RTS);
    }
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
}
