package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Requests retire in the order of posting, signaled or not (rc-transport 3). */
@Holds(Rule.COMPLETION_ORDER)
class CompletionOrderDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;

  CompletionOrderDialogueTest() {
    super(rc().signalOnRequest());
  }

  private void postsSend(long wrId, boolean signaled) {
    qp.posts(
        qp.request(wrId, WrOpcode.SEND)
            .flags(signaled ? SendFlags.SIGNALED : 0)
            .sge(qp.region, 0, 10));
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  @Test
  @DisplayName(
      "an unsignaled request that was not acknowledged is still there when the queue fails")
  void keepsAnUnsignaledRequestUntilItsOwnAck() {
    postsSend(1, true);
    postsSend(2, false);
    postsSend(3, true);
    d.hears(send(0), send(1), send(2));
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.moves(QpState.ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.sent(3, WcStatus.WR_FLUSH_ERR);
    qp.nothingSent();
  }

  @Test
  @DisplayName("a request waits for the unsignaled READ before it")
  void waitsForAnUnsignaledRead() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_READ)
            .flags(0)
            .remote(VA, RKEY)
            .sge(qp.region, QpUnderTest.HALF, 100));
    postsSend(2, true);
    d.hears(here.read(0, VA, RKEY, 100), send(1));
    d.says(peer.ack(1, 2));
    qp.nothingSent();
    d.hears(here.read(0, VA, RKEY, 100), send(1));
    d.says(peer.readOnly(0, 1).bytes(0, 100), peer.ack(1, 2));
    qp.sent(2, WcStatus.SUCCESS);
    qp.nothingSent();
    qp.landed(100);
  }

  @Test
  @DisplayName("an unsignaled request that fails completes nevertheless")
  void completesAnUnsignaledFailure() {
    postsSend(1, false);
    postsSend(2, false);
    d.hears(send(0), send(1));
    d.says(peer.remoteOperationalNak(0, 0));
    qp.sent(1, WcStatus.REM_OP_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.nothingSent();
  }
}
