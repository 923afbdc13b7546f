package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.uc;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** UC (rc-transport 7; R11): whole or not at all, and nothing lost but the torn message. */
@Holds(Rule.UC)
class UnreliableConnectionDialogueTest extends DialogueFixture {
  UnreliableConnectionDialogueTest() {
    super(uc());
  }

  // ---- sending

  @Test
  @DisplayName(
      "a message is done when its last packet was handed over; nothing is asked or awaited")
  void completesWithoutAnAnswer() {
    qp.postsSend(1, 600);
    d.hears(
        here.sendFirst(0).bytes(0, 256),
        here.sendMiddle(1).bytes(256, 512),
        here.sendLast(2).bytes(512, 600));
    qp.sent(1, WcStatus.SUCCESS);
    d.hearsNothingUntil(Dialogue.ms(10_000));
  }

  @Test
  void sendsAWriteWithImmediate() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_WRITE_WITH_IMM)
            .remote(0x1000, 7)
            .immediate(0xcafe)
            .sge(qp.region, 0, 10));
    d.hears(here.writeImmediate(0, 0x1000, 7, 10, 0xcafe).bytes(0, 10));
    qp.sent(1, WcStatus.SUCCESS);
  }

  // ---- receiving

  @Test
  @DisplayName("nothing is acknowledged, whatever AckReq says")
  void saysNothing() {
    qp.postsReceive(1, 600);
    d.says(
        peer.sendFirst(0).bytes(0, 256).ackReq(),
        peer.sendMiddle(1).bytes(256, 512).ackReq(),
        peer.sendLast(2).bytes(512, 600).ackReq());
    d.hearsNothing();
    qp.received(1, 600);
    qp.landed(600);
  }

  @Test
  @DisplayName("R11: a torn message costs itself alone: the START that reveals the gap is taken")
  @Holds(Rule.R11)
  void takesTheStartThatRevealsTheGap() {
    qp.postsReceive(1, 600);
    qp.postsReceive(2, 600);
    d.says(
        peer.sendFirst(0).bytes(0, 256),
        peer.sendFirst(2).bytes(0, 256),
        peer.sendLast(3).bytes(256, 300),
        peer.send(4).bytes(0, 10));
    qp.received(1, 300);
    qp.received(2, 10);
    qp.nothingReceived();
    assertEquals(1, qp.counter(Counter.UC_MESSAGE_ABANDONED));
  }

  @Test
  @DisplayName("R11: also when the gap is inside: the rest is ignored, the next message is taken")
  @Holds(Rule.R11)
  void ignoresTheRestAfterAGap() {
    qp.postsReceive(1, 2000);
    d.says(
        peer.sendFirst(0).bytes(0, 256),
        peer.sendMiddle(2).bytes(512, 768),
        peer.sendLast(3).bytes(768, 800),
        peer.send(4).bytes(0, 10));
    qp.received(1, 10);
    qp.nothingReceived();
  }

  @Test
  @DisplayName("a WRITE that is torn leaves its bytes and no trace; Immediate gives no completion")
  void leavesTheBytesOfATornWrite() {
    qp.postsReceive(1, 0);
    d.says(
        peer.writeFirst(0, qp.va(0), qp.region.rkey(), 600).bytes(0, 256),
        peer.writeLastImmediate(2, 7).bytes(512, 600));
    qp.nothingReceived();
    qp.landed(256);
    d.says(peer.writeImmediate(3, qp.va(0), qp.region.rkey(), 8, 9).bytes(0, 8));
    qp.received(1, 8);
    assertEquals(9, qp.lastCompletion().immediate(0));
  }

  @Test
  void dropsAMessageWithoutAReceiveRequest() {
    d.says(peer.sendFirst(0).bytes(0, 256));
    qp.settle();
    qp.postsReceive(1, 600);
    d.says(peer.sendLast(1).bytes(256, 300), peer.send(2).bytes(0, 10));
    d.hearsNothing();
    qp.received(1, 10);
    qp.nothingReceived();
  }

  @Test
  void dropsAMessageThatIsTooLong() {
    qp.postsReceive(1, 300);
    d.says(
        peer.sendFirst(0).bytes(0, 256),
        peer.sendLast(1).bytes(256, 301),
        peer.send(2).bytes(0, 10));
    qp.received(1, 10);
    qp.nothingReceived();
    qp.isIn(QpState.RTS);
  }

  @Test
  @DisplayName("a shared receive request that was taken is completed with the error")
  void completesASharedReceiveRequestWithTheError() {
    begin(uc().sharedReceiveQueue(8));
    qp.postsReceive(1, 300);
    qp.postsReceive(2, 300);
    d.says(peer.sendFirst(0).bytes(0, 256), peer.sendLast(1).bytes(256, 301));
    qp.received(1, WcStatus.REM_INV_REQ_ERR);
    d.says(peer.send(2).bytes(0, 10));
    qp.received(2, 10);
  }

  // ---- what ends a message

  /** The path MTU is 256: FIRST and MIDDLE carry as much, and leave something for LAST. */
  @ParameterizedTest(name = "RETH {0}, LAST {1}")
  @CsvSource({"256, 0", "255, 0", "512, 255", "512, 257", "600, 256", "300, 45", "300, 43"})
  @DisplayName("a WRITE of several packets whose sum is not what its RETH says is dropped")
  void dropsALongWriteWhoseLengthsDisagree(int reth, int last) {
    qp.postsReceive(1, 0);
    d.says(
        peer.writeFirst(0, qp.va(0), qp.region.rkey(), reth).bytes(0, 256),
        peer.writeLastImmediate(1, 5).bytes(256, 256 + last));
    qp.nothingReceived();
    qp.isIn(QpState.RTS);
    assertEquals(
        reth <= 256 ? 2 : 1, qp.counter(Counter.REQUEST_DROPPED), "neither FIRST nor LAST");
    qp.landed(reth <= 256 ? 0 : 256);
  }

  @Test
  @DisplayName("a WRITE goes up to its last byte, and not a MIDDLE further")
  void takesALongWriteThatEndsWhereItSays() {
    qp.postsReceive(1, 0);
    d.says(
        peer.writeFirst(0, qp.va(0), qp.region.rkey(), 513).bytes(0, 256),
        peer.writeMiddle(1).bytes(256, 512),
        peer.writeLastImmediate(2, 5).bytes(512, 513),
        peer.writeFirst(3, qp.va(0), qp.region.rkey(), 512).bytes(0, 256),
        peer.writeMiddle(4).bytes(256, 512));
    qp.received(1, 513);
    qp.landed(513);
    assertEquals(1, qp.counter(Counter.REQUEST_DROPPED));
  }

  @Test
  @DisplayName("a WRITE without bytes needs no key")
  void takesAnEmptyWriteWithAnyKey() {
    qp.postsReceive(1, 0);
    d.says(peer.writeImmediate(0, 1, 0, 0, 5));
    qp.received(1, 0);
    assertEquals(0, qp.counter(Counter.REQUEST_DROPPED));
  }

  @Test
  @DisplayName("a message of one kind is not continued by packets of the other")
  void mixesNoKinds() {
    qp.postsReceive(1, 600);
    d.says(
        peer.sendFirst(0).bytes(0, 256),
        peer.writeLast(1).bytes(256, 300),
        peer.writeFirst(2, qp.va(0), qp.region.rkey(), 300).bytes(0, 256),
        peer.sendLast(3).bytes(256, 300),
        peer.writeFirst(4, qp.va(0), qp.region.rkey(), 300).bytes(0, 256),
        peer.sendFirst(5).bytes(0, 256),
        peer.writeLast(6).bytes(256, 300));
    qp.nothingReceived();
    qp.landed(256);
    assertEquals(3, qp.counter(Counter.REQUEST_DROPPED));
  }

  @Test
  @DisplayName("the right is asked for at every packet")
  void stopsAWriteWhoseRightIsTaken() {
    d.says(peer.writeFirst(0, qp.va(0), qp.region.rkey(), 300).bytes(0, 256));
    qp.settle();
    qp.qp.modify(new QpAttr().qpAccessFlags(0));
    d.says(peer.writeLast(1).bytes(256, 300));
    qp.settle();
    qp.landed(256);
    assertEquals(1, qp.counter(Counter.REQUEST_DROPPED));
  }

  @Test
  @DisplayName("a WRITE whose key is unknown is dropped and counted")
  void dropsAWriteWithAnUnknownKey() {
    d.says(peer.write(0, qp.va(0), ~qp.region.rkey(), 8).bytes(0, 8));
    qp.nothingLanded();
    assertEquals(1, qp.counter(Counter.REQUEST_DROPPED));
  }

  @Test
  @DisplayName("WRITE with Immediate without a receive request: the bytes stay, nobody is told")
  void dropsImmediateWithoutAReceiveRequest() {
    d.says(peer.writeImmediate(0, qp.va(0), qp.region.rkey(), 8, 5).bytes(0, 8));
    qp.settle();
    qp.landed(8);
    assertEquals(1, qp.counter(Counter.OUT_OF_BUFFER));
    d.says(peer.send(1).bytes(0, 10));
    qp.settle();
    assertEquals(2, qp.counter(Counter.OUT_OF_BUFFER));
    qp.isIn(QpState.RTS);
  }

  @Test
  @DisplayName("a receive buffer that may not be used: LOC_PROT_ERR, ERR, the rest flushed")
  @Holds(Rule.LOCAL_KEY)
  void failsOnAReceiveBufferThatMayNotBeUsed() {
    qp.postsReceive(1, 600, ~qp.region.lkey());
    qp.postsReceive(2, 600);
    d.says(peer.sendFirst(0).bytes(0, 256));
    qp.received(1, WcStatus.LOC_PROT_ERR);
    qp.received(2, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.ERR);
    qp.noEvent();
    assertEquals(1, qp.counter(Counter.RESPONDER_PROTECTION_ERROR));
    qp.nothingLanded();
  }

  @ParameterizedTest
  @ValueSource(longs = {1L << 31, (1L << 31) + 1, 8})
  @DisplayName("R20: a shared request whose message is torn completes with an error, and at once")
  void completesASharedReceiveRequestWhenTheNextMessageBegins(long reth) {
    begin(uc().sharedReceiveQueue(8));
    qp.postsReceive(1, 300);
    qp.postsReceive(2, 300);
    d.says(
        peer.sendFirst(0).bytes(0, 256),
        peer.write(1, qp.va(0), ~qp.region.rkey(), reth).bytes(0, 8));
    qp.received(1, WcStatus.REM_INV_REQ_ERR);
    d.says(peer.sendFirst(2).bytes(0, 256), peer.send(4).bytes(0, 10));
    qp.received(2, WcStatus.REM_INV_REQ_ERR);
    qp.postsReceive(3, 300);
    d.says(peer.send(5).bytes(0, 10));
    qp.received(3, 10);
    qp.isIn(QpState.RTS);
  }

  @Test
  @DisplayName("what was processed establishes the connection, what was dropped does not")
  @Holds(Rule.STATES)
  void raisesCommEstForWhatWasProcessed() {
    begin(uc().inRtr());
    d.says(
        peer.send(0).bytes(0, 10),
        peer.sendLast(1).bytes(0, 10),
        peer.write(2, qp.va(0), 0, 8).bytes(0, 8),
        peer.writeImmediate(3, qp.va(0), qp.region.rkey(), 8, 1).bytes(0, 8));
    qp.noEvent();
    qp.postsReceive(1, 5);
    d.says(
        peer.send(4).bytes(0, 10),
        peer.write(5, qp.va(0), qp.region.rkey(), 8).bytes(0, 7),
        peer.writeFirst(6, qp.va(0), qp.region.rkey(), 256).bytes(0, 256));
    qp.noEvent();
    d.says(peer.writeFirst(7, qp.va(0), qp.region.rkey(), 300).bytes(0, 256));
    qp.event(EventType.COMM_EST);
    begin(uc().inRtr());
    qp.postsReceive(1, 300);
    d.says(peer.sendFirst(0).bytes(0, 256));
    qp.event(EventType.COMM_EST);
  }

  @Test
  @DisplayName("query tells the PSN after the last one that came, and of the next request")
  @Holds(Rule.STATES)
  void tellsItsPsns() {
    assertEquals(0x222222, qp.qp.query().rqPsn());
    d.says(peer.write(5, qp.va(0), qp.region.rkey(), 8).bytes(0, 8));
    qp.settle();
    assertEquals(0x222228, qp.qp.query().rqPsn());
    assertEquals(0x111111, qp.qp.query().sqPsn());
    qp.postsSend(1, 300);
    qp.settle();
    assertEquals(0x111113, qp.qp.query().sqPsn());
  }

  // ---- the sending queue

  @Test
  @DisplayName("a message of more than 2^31 bytes is not sent: LOC_LEN_ERR, SQE")
  @Holds(Rule.R6)
  void refusesToSendTooMuch() {
    MemoryRegion region = qp.region;
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 4, 0).add();
    list.wrId(1).opcode(WrOpcode.SEND);
    list.sge(region.address(), -1, region.lkey()).sge(region.address(), -1, region.lkey());
    qp.posts(list);
    d.hearsNothing();
    qp.sent(1, WcStatus.LOC_LEN_ERR);
    qp.isIn(QpState.SQE);
  }

  @Test
  @DisplayName("a message of just 2^31 bytes fails for its memory alone: LOC_PROT_ERR")
  @Holds(Rule.R6)
  void judgesTheLongestMessageByItsMemory() {
    qp.posts(qp.request(1, WrOpcode.SEND).sge(qp.region.address(), 1 << 31, qp.region.lkey()));
    qp.sent(1, WcStatus.LOC_PROT_ERR);
  }

  @Test
  @DisplayName("a window is bound when its turn comes; what may not be bound leads to SQE")
  @Holds(Rule.WINDOWS)
  void bindsWindows() {
    MemoryWindow window = qp.pd.allocMemoryWindow(MwType.TYPE_2);
    int right = AccessFlags.REMOTE_WRITE;
    int key = MemoryWindow.incrementRkey(window.rkey());
    qp.posts(qp.request(1, WrOpcode.BIND_MW).bindMw(window, key, qp.region, qp.va(0), 8, right));
    qp.sent(1, WcStatus.SUCCESS);
    d.says(peer.write(0, qp.va(0), window.rkey(), 8).bytes(0, 8));
    qp.settle();
    qp.landed(8);
    qp.posts(qp.request(2, WrOpcode.BIND_MW).bindMw(window, key, qp.region, qp.va(8), 8, right));
    qp.postsSend(3, 10);
    qp.sent(2, WcStatus.MW_BIND_ERR);
    qp.sent(3, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.SQE);
    d.hearsNothing();
  }

  @Test
  @DisplayName("SQD: a message that was begun goes on, the next waits")
  @Holds(Rule.SQD)
  void holdsWhatWasNotBegun() {
    qp.moves(QpState.SQD);
    qp.postsSend(1, 300);
    d.hearsNothing();
    qp.moves(QpState.RTS);
    d.hears(here.sendFirst(0).bytes(0, 256), here.sendLast(1).bytes(256, 300));
    qp.sent(1, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("every packet bears the next PSN, those of one-packet messages too, past the wrap")
  void countsItsPackets() {
    begin(uc().psns(0xfffffe, 0));
    qp.postsSend(1, 10);
    qp.postsSend(2, 0);
    qp.postsWrite(3, 300, 0x1000, 77);
    qp.postsSend(4, 10);
    d.hears(
        here.send(0).bytes(0, 10),
        here.send(1),
        here.writeFirst(2, 0x1000, 77, 300).bytes(0, 256),
        here.writeLast(3).bytes(256, 300),
        here.send(4).bytes(0, 10));
    assertEquals(3, qp.qp.query().sqPsn());
  }
}
