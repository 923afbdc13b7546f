package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.util.function.BiFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
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

  private interface Draft extends BiFunction<ConnectedPackets, QpUnderTest, PacketDraft> {}

  @Test
  void refusesTheKeyOfADeregisteredRegion() {
    PacketDraft draft = write(qp.va(0), qp.region.rkey());
    qp.region.close();
    d.says(draft);
    isRefused();
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
  @DisplayName("WRITE with Immediate: the receive request that it took fails with the access")
  void failsTheReceiveRequestOfAWriteWithImmediate() {
    qp.postsReceive(1, 8);
    qp.postsReceive(2, 8);
    d.says(peer.writeImmediate(0, qp.va(0), 1, 8, 7).bytes(0, 8).ackReq());
    d.hears(here.remoteAccessNak(0, 0));
    qp.received(1, WcStatus.REM_ACCESS_ERR);
    qp.received(2, WcStatus.WR_FLUSH_ERR);
  }

  @Test
  @DisplayName("a plain WRITE has no receive request to fail: all are flushed")
  @Holds(Rule.FLUSH)
  void flushesTheReceiveQueueAfterAPlainWrite() {
    qp.postsReceive(1, 8);
    d.says(write(qp.va(0), 1));
    d.hears(here.remoteAccessNak(0, 0));
    qp.received(1, WcStatus.WR_FLUSH_ERR);
  }

  @Test
  @DisplayName("the region goes away in the middle of a message: the next packet is refused")
  void refusesTheRestWhenTheRegionIsGone() {
    d.says(peer.writeFirst(0, qp.va(0), qp.region.rkey(), 500).bytes(0, 256).ackReq());
    d.hears(here.ack(0, 0));
    qp.region.close();
    d.says(peer.writeLast(1).bytes(256, 500).ackReq());
    d.hears(here.remoteAccessNak(1, 0));
    qp.landed(256);
  }

  @Test
  @DisplayName("a receive buffer with a bad lkey: NAK 0x63, LOC_PROT_ERR here")
  @Holds(Rule.LOCAL_KEY)
  void refusesASendIntoABadReceiveBuffer() {
    qp.postsReceive(1, 100, qp.region.lkey() ^ 0x100);
    d.says(peer.send(0).bytes(0, 10).ackReq());
    d.hears(here.remoteOperationalNak(0, 0));
    qp.received(1, WcStatus.LOC_PROT_ERR);
    qp.isIn(QpState.ERR);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("our own request with a bad lkey: LOC_PROT_ERR, nothing sent, the rest flushed")
  @Holds(Rule.LOCAL_KEY)
  void failsASendFromABadBuffer() {
    qp.posts(qp.request(1, WrOpcode.SEND).sge(qp.region.address(), 8, 12345));
    d.hearsNothing();
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("a local error waits for its turn: what precedes it completes first")
  @Holds(Rule.COMPLETION_ORDER)
  void failsInOrder() {
    qp.postsSend(1, 10);
    qp.posts(qp.request(2, WrOpcode.SEND).sge(qp.region.address(), 8, 12345));
    qp.postsSend(3, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    d.hearsNothing();
    qp.nothingSent();
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.LOC_PROT_ERR);
    qp.sent(3, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.ERR);
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

  @Test
  @DisplayName("a READ that cannot land: LOC_PROT_ERR")
  @Holds(Rule.LOCAL_KEY)
  void failsAReadIntoABadBuffer() {
    qp.posts(qp.request(1, WrOpcode.RDMA_READ).remote(0x1000, 77).sge(qp.va(0), 8, 12345));
    d.hears(here.read(0, 0x1000, 77, 8));
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("a READ with both keys bad: the peer's refusal comes first, no data ever does")
  @Holds(Rule.REMOTE_ERROR)
  void failsAReadWithBothKeysBadByThePeersRefusal() {
    qp.posts(qp.request(1, WrOpcode.RDMA_READ).remote(0x1000, 77).sge(qp.va(0), 8, 12345));
    d.hears(here.read(0, 0x1000, 77, 8));
    d.says(peer.remoteAccessNak(0, 0));
    qp.sent(1, WcStatus.REM_ACCESS_ERR);
    qp.isIn(QpState.ERR);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("our own request that gets the NAK completes REM_ACCESS_ERR")
  @Holds(Rule.REMOTE_ERROR)
  void completesWithRemoteAccessError() {
    qp.postsWrite(1, 10, 0x1000, 77);
    d.hears(here.write(0, 0x1000, 77, 10).bytes(0, 10).ackReq());
    d.says(peer.remoteAccessNak(0, 0));
    qp.sent(1, WcStatus.REM_ACCESS_ERR);
    qp.isIn(QpState.ERR);
    qp.noEvent();
  }

  @Test
  @DisplayName("rights that were taken from a region by rereg are gone")
  void refusesWhatWasTakenByRereg() {
    qp.region.reregister(null, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ);
    d.says(write(qp.va(0), qp.region.rkey()));
    isRefused();
  }

  @Test
  @DisplayName("of a local entry all must be ours, not only what the packet touches")
  @Holds(Rule.LOCAL_KEY)
  void refusesASourceThatEndsBeyondItsRegion() {
    long last = qp.region.address() + 2L * QpUnderTest.HALF - 300;
    qp.posts(qp.request(1, WrOpcode.SEND).sge(last, 301, qp.region.lkey()));
    d.hearsNothing();
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("the right of the queue pair is asked for at every packet")
  @Holds(Rule.R9)
  void refusesTheRestWhenTheRightIsTaken() {
    d.says(peer.writeFirst(0, qp.va(0), qp.region.rkey(), 300).bytes(0, 256).ackReq());
    d.hears(here.ack(0, 0));
    qp.qp.modify(new QpAttr().qpAccessFlags(AccessFlags.REMOTE_READ));
    d.says(peer.writeLast(1).bytes(256, 300).ackReq());
    d.hears(here.remoteAccessNak(1, 0));
    qp.isIn(QpState.ERR);
    qp.landed(256);
  }
}
