package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * R26: max_rd_atomic becomes 0 in SQD while operations that need it are posted. What was started is
 * finished, one operation at a time; what was not fails when its turn comes. Nothing waits for
 * ever.
 */
@Holds(Rule.R26)
class NoReadDepthDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;
  private static final long TIMEOUT = 4096L << 14;

  private void noDepth() {
    qp.qp.modify(new QpAttr().qpState(QpState.SQD).maxRdAtomic(0));
  }

  private void posts(int wrId, WrOpcode opcode, int bytes) {
    qp.posts(qp.request(wrId, opcode).remote(VA, RKEY).sge(qp.region, 0, bytes));
  }

  @Test
  @DisplayName("what was started is sent again after a loss, one at a time, and drains")
  void finishesWhatWasStarted() {
    begin(rc());
    posts(1, WrOpcode.RDMA_READ, 8);
    posts(2, WrOpcode.RDMA_READ, 8);
    d.hears(here.read(0, VA, RKEY, 8), here.read(1, VA, RKEY, 8));
    qp.moves(QpState.SQD);
    noDepth();
    d.hearsAt(TIMEOUT, here.read(0, VA, RKEY, 8));
    d.hearsNothing();
    assertTrue(qp.qp.query().sqDraining());
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    qp.sent(1, WcStatus.SUCCESS);
    d.hears(here.read(1, VA, RKEY, 8));
    d.says(peer.readOnly(1, 2).bytes(0, 8));
    qp.sent(2, WcStatus.SUCCESS);
    assertFalse(qp.qp.query().sqDraining());
  }
}
