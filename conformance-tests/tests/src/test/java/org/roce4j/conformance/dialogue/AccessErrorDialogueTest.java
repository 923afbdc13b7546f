package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * rkey_violation (rc-transport 4, checks 3 and 6; R9, R17): NAK remote access error, and the event.
 */
@Holds(Rule.REMOTE_KEY)
class AccessErrorDialogueTest extends DialogueFixture {
  AccessErrorDialogueTest() {
    super(rc());
  }

  private void isRefused() {
    d.hears(here.remoteAccessNak(0, 0));
    qp.event(EventType.QP_ACCESS_ERR);
    qp.noEvent();
    qp.isIn(QpState.ERR);
    qp.nothingLanded();
    d.hearsNothing();
  }

  private PacketDraft write(long va, int rkey) {
    return peer.write(0, va, rkey, 8).bytes(0, 8).ackReq();
  }

  @Test
  void refusesTheKeyOfAnotherProtectionDomain() {
    ProtectionDomain other = qp.context.allocPd();
    MemoryRegion foreign =
        other.registerMemory(qp.memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    d.says(write(qp.va(0), foreign.rkey()));
    isRefused();
  }

  @Test
  @DisplayName("memory that goes away before a retry: an answer to what came after it is too late")
  @Holds(Rule.COMPLETION_ORDER)
  void failsBeforeALaterAnswer() {
    MemoryRegion other = qp.pd.registerMemory(qp.memory, AccessFlags.LOCAL_WRITE);
    qp.postsSend(1, 10);
    qp.posts(qp.request(2, WrOpcode.SEND).sge(other, 0, 10));
    qp.postsRead(3, 8, 0x1000, 77);
    PacketDraft first = here.send(0).bytes(0, 10).ackReq();
    d.hears(first, here.send(1).bytes(0, 10).ackReq(), here.read(2, 0x1000, 77, 8));
    other.close();
    d.hearsAt(4096L << 14, first);
    d.hearsNothing();
    qp.nothingSent();
    d.says(peer.readOnly(2, 3).bytes(0, 8));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.LOC_PROT_ERR);
    qp.sent(3, WcStatus.WR_FLUSH_ERR);
    qp.nothingLanded();
    assertEquals(1, qp.counter(Counter.RESPONSE_DROPPED));
  }
}
