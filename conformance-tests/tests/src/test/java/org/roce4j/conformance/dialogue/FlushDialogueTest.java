package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.ALL_REMOTE;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpState;
import org.roce4j.wire.Feth;

/** FLUSH (rc-transport 6.6): rights of queue pair and region, range or whole region, one answer. */
@Holds(Rule.REMOTE_FLUSH)
class FlushDialogueTest extends DialogueFixture {
  private static final int REGION = Feth.SELECT_MR;
  private static final int GLOBAL = Feth.PLACEMENT_GLOBAL;
  private static final int BOTH = AccessFlags.FLUSH_GLOBAL | AccessFlags.FLUSH_PERSISTENT;

  FlushDialogueTest() {
    super(rights(BOTH, BOTH));
  }

  private static QpSetup rights(int ofQueuePair, int ofRegion) {
    return rc().qpAccess(ALL_REMOTE | ofQueuePair)
        .regionAccess(AccessFlags.LOCAL_WRITE | ALL_REMOTE | AccessFlags.MW_BIND | ofRegion);
  }

  private void isRefused(PacketDraft draft) {
    d.says(draft);
    d.hears(here.remoteAccessNak(0, 0));
    qp.event(EventType.QP_ACCESS_ERR);
    qp.isIn(QpState.ERR);
    assertEquals(1, qp.counter(Counter.RESPONDER_ACCESS_ERROR));
  }

  @Test
  @DisplayName("selectivity MR: a memory window is no region")
  void refusesAWindowAsAWholeRegion() {
    isRefused(peer.flush(0, GLOBAL, REGION, 0, qp.pd.allocMemoryWindow(MwType.TYPE_1).rkey(), 0));
  }
}
