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

/** Atomics (rc-transport 4.2, 6.2, R17): once, whatever is repeated; eight bytes, aligned. */
@Holds(Rule.ATOMICS)
class AtomicDialogueTest extends DialogueFixture {
  private final int rkey = qp.region.rkey();

  AtomicDialogueTest() {
    super(rc());
  }

  @Test
  @DisplayName("a duplicate is answered with the stored value and not executed again")
  @Holds(Rule.ATOMIC_REPLAY)
  void executesOnce() {
    qp.word(0, 10);
    d.says(peer.fetchAdd(0, qp.va(0), rkey, 1));
    d.hears(here.atomicAck(0, 1, 10));
    for (int i = 0; i < 3; i++) {
      d.says(peer.fetchAdd(0, qp.va(0), rkey, 1));
      d.hears(here.atomicAck(0, 1, 10));
    }
    assertEquals(11, qp.word(0));
    assertEquals(3, qp.counter(Counter.ATOMIC_REPLAY));
  }

  @Test
  @DisplayName("the requester gets the value in host order; a lost answer is asked for again")
  void landsTheOriginalValue() {
    qp.postsFetchAdd(1, 0x1000, 77, 3);
    d.hears(here.fetchAdd(0, 0x1000, 77, 3));
    d.hearsAt(4096L << 14, here.fetchAdd(0, 0x1000, 77, 3));
    d.says(peer.atomicAck(0, 1, 0x1122334455667788L));
    qp.sent(1, WcStatus.SUCCESS);
    assertEquals(0x1122334455667788L, qp.word(0));
  }

  // ---- ATOMIC_WRITE, asked for

  @Test
  @DisplayName("ATOMIC_WRITE takes one PSN and is done by an empty READ response alone")
  @Holds(Rule.R2)
  void completesAnAtomicWrite() {
    qp.postsAtomicWrite(1, 0x1000, 77);
    qp.postsSend(2, 10);
    d.hears(here.atomicWrite(0, 0x1000, 77, 8).bytes(0, 8), here.send(1).bytes(0, 10).ackReq());
    d.says(peer.ack(0, 1));
    qp.nothingSent();
    d.says(peer.readOnly(0, 1), peer.ack(1, 2));
    qp.sent(1, WcStatus.SUCCESS);
    assertEquals(8, qp.lastCompletion().byteLength(0));
    qp.sent(2, WcStatus.SUCCESS);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("an ATOMIC_WRITE whose answer is lost is asked for again as it was")
  @Holds(Rule.RESPONSE_GAP)
  void repeatsAnAtomicWrite() {
    qp.postsAtomicWrite(1, 0x1000, 77);
    PacketDraft request = here.atomicWrite(0, 0x1000, 77, 8).bytes(0, 8);
    d.hears(request);
    d.hearsAt(4096L << 14, request);
    d.says(peer.sequenceNak(0, 0));
    d.hearsNothing();
    d.hearsAt(2 * (4096L << 14), request);
    d.says(peer.readOnly(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("an ATOMIC_WRITE is answered by nothing but an empty READ response")
  @Holds(Rule.BAD_RESPONSE)
  void takesNoOtherAnswerForAnAtomicWrite() {
    qp.postsAtomicWrite(1, 0x1000, 77);
    d.hears(here.atomicWrite(0, 0x1000, 77, 8).bytes(0, 8));
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    qp.sent(1, WcStatus.BAD_RESP_ERR);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("READs, atomics and ATOMIC_WRITEs share max_rd_atomic")
  @Holds(Rule.READ_CREDITS)
  void spendsCredits() {
    for (int i = 0; i < 2; i++) {
      qp.postsAtomicWrite(10 * i + 1, 0x1000, 77);
      qp.postsFetchAdd(10 * i + 2, 0x1000, 77, 1);
      qp.postsRead(10 * i + 3, 8, 0x1000, 77);
    }
    d.hears(
        here.atomicWrite(0, 0x1000, 77, 8).bytes(0, 8),
        here.fetchAdd(1, 0x1000, 77, 1),
        here.read(2, 0x1000, 77, 8),
        here.atomicWrite(3, 0x1000, 77, 8).bytes(0, 8));
    d.hearsNothing();
    d.says(peer.readOnly(0, 1));
    d.hears(here.fetchAdd(4, 0x1000, 77, 1));
    d.hearsNothing();
    d.says(peer.atomicAck(1, 2, 5));
    d.hears(here.read(5, 0x1000, 77, 8));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.SUCCESS);
    qp.postsAtomicWrite(21, 0x1000, 77);
    d.hearsNothing();
    d.says(peer.readOnly(2, 3).bytes(0, 8));
    d.hears(here.atomicWrite(6, 0x1000, 77, 8).bytes(0, 8));
  }

  @Test
  @DisplayName("the source of an ATOMIC_WRITE must be ours: LOC_PROT_ERR, nothing is sent")
  @Holds(Rule.LOCAL_KEY)
  void refusesAnAtomicWriteFromAForeignBuffer() {
    qp.posts(
        qp.request(1, WrOpcode.ATOMIC_WRITE)
            .remote(0x1000, 77)
            .sge(qp.region.address(), 8, ~qp.region.lkey()));
    d.hearsNothing();
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("compare and swap values stand where the header has them")
  void asksToCompareAndSwap() {
    qp.posts(
        qp.request(1, WrOpcode.ATOMIC_CMP_AND_SWP)
            .atomic(0x1000, 77, 0x1122334455667788L, 0x99aabbccddeeff00L)
            .sge(qp.region, QpUnderTest.HALF, 8));
    d.hears(here.compareSwap(0, 0x1000, 77, 0x1122334455667788L, 0x99aabbccddeeff00L));
    d.says(peer.atomicAck(0, 1, 9));
    qp.sent(1, WcStatus.SUCCESS);
    assertEquals(9, qp.word(0));
  }
}
