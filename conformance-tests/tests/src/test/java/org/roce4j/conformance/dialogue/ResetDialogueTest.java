package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * RESET leaves nothing behind: what happened in one life of a queue pair is unknown in the next.
 */
@Holds(Rule.RESET)
class ResetDialogueTest extends DialogueFixture {

  ResetDialogueTest() {
    super(rc().maxRdAtomic(1));
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq();
  }

  // ---- the receiving half

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
