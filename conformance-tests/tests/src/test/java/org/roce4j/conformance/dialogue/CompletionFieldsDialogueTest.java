package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** What completions say (rc-transport 10), and whose bytes travel in which order. */
@Holds(Rule.COMPLETION_FIELDS)
class CompletionFieldsDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;

  CompletionFieldsDialogueTest() {
    super(rc());
  }

  private void says(WcOpcode opcode, int bytes, int flags) {
    WorkCompletions wc = qp.lastCompletion();
    assertEquals(opcode, wc.opcode(0));
    assertEquals(bytes, wc.byteLength(0));
    assertEquals(flags, wc.flags(0));
    assertEquals(qp.qp.qpNum(), wc.qpNum(0));
    assertEquals(0, wc.sourceQp(0));
  }

  // ---- receives

  @Test
  void aReceivedSend() {
    qp.postsReceive(1, 100);
    d.says(peer.send(0).bytes(0, 30));
    qp.received(1, 30);
    says(WcOpcode.RECV, 30, 0);
  }

  @Test
  @DisplayName("immediate data are a number in host order")
  void aReceivedSendWithImmediate() {
    qp.postsReceive(1, 100);
    d.says(peer.sendImmediate(0, 0x11223344).bytes(0, 30));
    qp.received(1, 30);
    says(WcOpcode.RECV, 30, WcFlags.WITH_IMM);
    assertEquals(0x11223344, qp.lastCompletion().immediate(0));
  }

  @Test
  @DisplayName("a WRITE with Immediate tells the bytes of the whole message")
  void aReceivedWriteWithImmediate() {
    qp.postsReceive(1, 0);
    d.says(
        peer.writeFirst(0, qp.va(0), qp.region.rkey(), 300).bytes(0, 256),
        peer.writeLastImmediate(1, 0x11223344).bytes(256, 300));
    qp.received(1, 300);
    says(WcOpcode.RECV_RDMA_WITH_IMM, 300, WcFlags.WITH_IMM);
    assertEquals(0x11223344, qp.lastCompletion().immediate(0));
  }

  // ---- sends

  private void completes(WcOpcode opcode, int bytes) {
    qp.sent(1, WcStatus.SUCCESS);
    says(opcode, bytes, 0);
  }

  @Test
  void aSendWithImmediate() {
    qp.posts(qp.request(1, WrOpcode.SEND_WITH_IMM).immediate(0x11223344).sge(qp.region, 0, 30));
    d.hears(here.sendImmediate(0, 0x11223344).bytes(0, 30).ackReq());
    d.says(peer.ack(0, 1));
    completes(WcOpcode.SEND, 30);
  }

  @Test
  void aSendWithInvalidate() {
    qp.posts(
        qp.request(1, WrOpcode.SEND_WITH_INV).invalidateRkey(0x55667788).sge(qp.region, 0, 30));
    d.hears(here.sendInvalidate(0, 0x55667788).bytes(0, 30).ackReq());
    d.says(peer.ack(0, 1));
    completes(WcOpcode.SEND, 30);
  }

  @Test
  void aWriteOfSeveralPackets() {
    qp.postsWrite(1, 300, VA, RKEY);
    d.hears(
        here.writeFirst(0, VA, RKEY, 300).bytes(0, 256),
        here.writeLast(1).bytes(256, 300).ackReq());
    d.says(peer.ack(1, 1));
    completes(WcOpcode.RDMA_WRITE, 300);
  }

  @Test
  @DisplayName("a WRITE with Immediate: RETH first, Immediate last")
  void aWriteWithImmediate() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_WRITE_WITH_IMM)
            .remote(VA, RKEY)
            .immediate(0x11223344)
            .sge(qp.region, 0, 300));
    d.hears(
        here.writeFirst(0, VA, RKEY, 300).bytes(0, 256),
        here.writeLastImmediate(1, 0x11223344).bytes(256, 300).ackReq());
    d.says(peer.ack(1, 1));
    completes(WcOpcode.RDMA_WRITE, 300);
  }

  @Test
  void aRead() {
    qp.postsRead(1, 30, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 30));
    d.says(peer.readOnly(0, 1).bytes(0, 30));
    completes(WcOpcode.RDMA_READ, 30);
  }

  @Test
  void atomics() {
    qp.postsFetchAdd(1, VA, RKEY, 5);
    d.hears(here.fetchAdd(0, VA, RKEY, 5));
    d.says(peer.atomicAck(0, 1, 9));
    completes(WcOpcode.FETCH_ADD, 8);
  }

  @Test
  @DisplayName("an empty message takes one packet, whatever its kind")
  @Holds(Rule.SEGMENTATION)
  void emptyMessages() {
    qp.postsSend(1, 0);
    qp.postsWrite(2, 0, VA, RKEY);
    qp.postsRead(3, 0, VA, RKEY);
    d.hears(here.send(0).ackReq(), here.write(1, VA, RKEY, 0).ackReq(), here.read(2, VA, RKEY, 0));
    d.says(peer.ack(1, 2), peer.readOnly(2, 3));
    completes(WcOpcode.SEND, 0);
    qp.sent(2, WcStatus.SUCCESS);
    qp.sent(3, WcStatus.SUCCESS);
    qp.nothingLanded();
  }

  // ---- bytes

  @Test
  @DisplayName("entries are gathered in their order, empty ones passed, across packets")
  @Holds(Rule.SEGMENTATION)
  void gathersInOrder() {
    qp.posts(
        qp.request(1, WrOpcode.SEND)
            .sge(qp.region, 0, 3)
            .sge(0xdead, 0, 0xdead)
            .sge(qp.region, 3, 254)
            .sge(qp.region, 257, 100));
    d.hears(here.sendFirst(0).bytes(0, 256), here.sendLast(1).bytes(256, 357).ackReq());
    d.says(peer.sequenceNak(1, 0));
    d.hears(here.sendLast(1).bytes(256, 357).ackReq());
  }

  @Test
  @DisplayName("entries are filled in their order, empty ones passed, across packets")
  @Holds(Rule.SEGMENTATION)
  void scattersInOrder() {
    RecvRequestList list = new RecvRequestList(Arena.ofAuto(), 1, 4).add().wrId(1);
    list.sge(qp.region, QpUnderTest.HALF, 3);
    list.sge(0xdead, 0, 0xdead);
    list.sge(qp.region, QpUnderTest.HALF + 3L, 254);
    list.sge(qp.region, QpUnderTest.HALF + 257L, 200);
    assertEquals(0, qp.qp.postRecv(list));
    d.says(peer.sendFirst(0).bytes(0, 256), peer.sendLast(1).bytes(256, 357));
    qp.received(1, 357);
    qp.landed(357);
  }

  @Test
  @DisplayName("a READ is scattered as well, from the middle on too")
  @Holds(Rule.SEGMENTATION)
  void scattersAReadInOrder() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_READ)
            .remote(VA, RKEY)
            .sge(qp.region, QpUnderTest.HALF, 300)
            .sge(qp.region, QpUnderTest.HALF + 300, 57));
    d.hears(here.read(0, VA, RKEY, 357));
    d.says(peer.readFirst(0, 1).bytes(0, 256), peer.readLast(1, 1).bytes(256, 357));
    qp.sent(1, WcStatus.SUCCESS);
    qp.landed(357);
  }

  @Test
  @DisplayName("inline data are those of the post, whatever becomes of their memory")
  void keepsInlineData() {
    qp.moves(QpState.SQD);
    SendRequestList list = qp.request(1, WrOpcode.SEND);
    list.flags(SendFlags.SIGNALED).inline(qp.memory.asSlice(0, 30));
    qp.posts(list);
    list.memory().fill((byte) 0);
    qp.moves(QpState.RTS);
    d.hears(here.send(0).bytes(0, 30).ackReq());
    d.says(peer.ack(0, 1));
    completes(WcOpcode.SEND, 30);
  }

  @Test
  @DisplayName("data that are not inline are read when they are sent, and again for a retry")
  void readsItsSourceWhenItSends() {
    qp.postsSend(1, 4);
    d.hears(here.send(0).bytes(0, 4).ackReq());
    for (int i = 0; i < 4; i++) {
      qp.memory.set(ValueLayout.JAVA_BYTE, i, Pattern.at(100 + i));
    }
    d.says(peer.sequenceNak(0, 0));
    d.hears(here.send(0).bytes(100, 104).ackReq());
  }

  @Test
  @DisplayName("inline data are those of all entries, empty ones passed")
  @Holds(Rule.SEGMENTATION)
  void copiesAllEntriesInline() {
    qp.posts(
        qp.request(1, WrOpcode.SEND)
            .inline(qp.memory.asSlice(0, 3))
            .inline(qp.memory.asSlice(3, 0))
            .inline(qp.memory.asSlice(3, 20))
            .inline(qp.memory.asSlice(23, 41)));
    d.hears(here.send(0).bytes(0, 64).ackReq());
  }
}
