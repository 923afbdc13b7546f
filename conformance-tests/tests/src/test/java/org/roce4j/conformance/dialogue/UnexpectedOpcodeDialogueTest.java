package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** unexpected_opcode (rc-transport 4, check 2) and bad_response (3.1). */
@Holds(Rule.OPCODE_SEQUENCE)
class UnexpectedOpcodeDialogueTest extends DialogueFixture {
  private interface Draft extends BiFunction<ConnectedPackets, QpUnderTest, PacketDraft> {}

  UnexpectedOpcodeDialogueTest() {
    super(rc());
  }

  private static Arguments row(String what, Draft draft) {
    return Arguments.of(what, draft);
  }

  // ---- requests

  static Stream<Arguments> outsideAMessage() {
    return Stream.of(
        row("SEND MIDDLE", (p, qp) -> p.sendMiddle(0).bytes(0, 256)),
        row("SEND LAST", (p, qp) -> p.sendLast(0).bytes(0, 10)),
        row("WRITE MIDDLE", (p, qp) -> p.writeMiddle(0).bytes(0, 256)),
        row("WRITE LAST", (p, qp) -> p.writeLast(0).bytes(0, 10)),
        row("WRITE LAST with Immediate", (p, qp) -> p.writeLastImmediate(0, 1).bytes(0, 10)));
  }

  @ParameterizedTest(name = "{0} without a FIRST")
  @MethodSource("outsideAMessage")
  void refusesAContinuationOfNothing(String what, Draft draft) {
    qp.postsReceive(1, 1000);
    d.says(draft.apply(peer, qp).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    qp.event(EventType.QP_REQ_ERR);
    qp.received(1, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.ERR);
  }

  static Stream<Arguments> insideASend() {
    return Stream.of(
        row("SEND FIRST", (p, qp) -> p.sendFirst(1).bytes(0, 256)),
        row("SEND ONLY", (p, qp) -> p.send(1).bytes(0, 10)),
        row("WRITE ONLY", (p, qp) -> p.write(1, qp.va(0), qp.region.rkey(), 8).bytes(0, 8)),
        row("WRITE MIDDLE", (p, qp) -> p.writeMiddle(1).bytes(0, 256)),
        row("WRITE LAST", (p, qp) -> p.writeLast(1).bytes(0, 8)),
        row("READ", (p, qp) -> p.read(1, qp.va(0), qp.region.rkey(), 8)),
        row("FETCH ADD", (p, qp) -> p.fetchAdd(1, qp.va(0), qp.region.rkey(), 8)));
  }

  @ParameterizedTest(name = "{0} inside a SEND")
  @MethodSource("insideASend")
  void refusesWhatInterruptsASend(String what, Draft draft) {
    qp.postsReceive(1, 1000);
    d.says(peer.sendFirst(0).bytes(0, 256), draft.apply(peer, qp).ackReq());
    d.hears(here.invalidRequestNak(1, 0));
    qp.received(1, WcStatus.REM_INV_REQ_ERR);
    qp.isIn(QpState.ERR);
    qp.landed(256);
  }

  @Test
  void refusesASendMiddleInsideAWrite() {
    d.says(
        peer.writeFirst(0, qp.va(0), qp.region.rkey(), 600).bytes(0, 256),
        peer.sendMiddle(1).bytes(256, 512).ackReq());
    d.hears(here.invalidRequestNak(1, 0));
    qp.landed(256);
  }

  // ---- responses

  static Stream<Arguments> badResponsesToASend() {
    return Stream.of(
        row("READ response", (p, qp) -> p.readOnly(0, 1).bytes(0, 10)),
        row("atomic ACK", (p, qp) -> p.atomicAck(0, 1, 5)));
  }

  @ParameterizedTest(name = "{0} to a SEND")
  @MethodSource("badResponsesToASend")
  @DisplayName("bad_response")
  @Holds(Rule.BAD_RESPONSE)
  void failsASendThatIsAnsweredByData(String what, Draft draft) {
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq(), here.send(1).bytes(0, 10).ackReq());
    d.says(draft.apply(peer, qp));
    qp.sent(1, WcStatus.BAD_RESP_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.ERR);
  }

  static Stream<Arguments> badResponsesToARead() {
    return Stream.of(
        row("too short an ONLY", (p, qp) -> p.readOnly(0, 1).bytes(0, 10)),
        row("a short FIRST", (p, qp) -> p.readFirst(0, 1).bytes(0, 255)),
        row("a MIDDLE for a FIRST", (p, qp) -> p.readMiddle(0).bytes(0, 256)),
        row("a LAST for a FIRST", (p, qp) -> p.readLast(0, 1).bytes(0, 256)),
        row("wrong pad", (p, qp) -> p.readFirst(0, 1).bytes(0, 256).pad(2)),
        row("an atomic ACK", (p, qp) -> p.atomicAck(0, 1, 5)));
  }

  @ParameterizedTest(name = "{0} to a READ of three packets")
  @MethodSource("badResponsesToARead")
  @Holds(Rule.BAD_RESPONSE)
  void failsAReadThatIsAnsweredWrongly(String what, Draft draft) {
    qp.postsRead(1, 600, 0x1000, 77);
    d.hears(here.read(0, 0x1000, 77, 600));
    d.says(draft.apply(peer, qp));
    qp.sent(1, WcStatus.BAD_RESP_ERR);
    qp.isIn(QpState.ERR);
    qp.nothingLanded();
  }

  static Stream<Arguments> badResponsesToAnAtomic() {
    return Stream.of(
        row("READ response", (p, qp) -> p.readOnly(0, 1).bytes(0, 8)),
        row("empty READ response", (p, qp) -> p.readOnly(0, 1)),
        row("atomic ACK that says NAK", (p, qp) -> p.atomicAck(0, 0x62, 1, 5)));
  }

  @ParameterizedTest(name = "{0} to an atomic")
  @MethodSource("badResponsesToAnAtomic")
  @Holds(Rule.BAD_RESPONSE)
  void failsAnAtomicThatIsAnsweredWrongly(String what, Draft draft) {
    qp.postsFetchAdd(1, 0x1000, 77, 3);
    d.hears(here.fetchAdd(0, 0x1000, 77, 3));
    d.says(draft.apply(peer, qp));
    qp.sent(1, WcStatus.BAD_RESP_ERR);
    qp.isIn(QpState.ERR);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("responses to nothing are dropped and counted")
  @Holds(Rule.STALE)
  void dropsResponsesToNothing() {
    d.says(peer.ack(0, 0), peer.readOnly(0, 1).bytes(0, 8), peer.atomicAck(0, 1, 5));
    d.hearsNothing();
    qp.isIn(QpState.RTS);
    assertEquals(3, qp.counter(Counter.RESPONSE_DROPPED));
  }

  // ---- NAKs

  @Test
  @DisplayName("remote_operation_err: NAK 0x63 completes REM_OP_ERR")
  @Holds(Rule.REMOTE_ERROR)
  void completesWithRemoteOperationError() {
    qp.postsSend(1, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    d.says(peer.remoteOperationalNak(0, 0));
    qp.sent(1, WcStatus.REM_OP_ERR);
    qp.isIn(QpState.ERR);
  }

  @ParameterizedTest
  @ValueSource(ints = {0x64, 0x65, 0x7f, 0x40, 0x9f, 0xff})
  @DisplayName("reserved NAK codes and syndromes are remote operation errors")
  @Holds(Rule.REMOTE_ERROR)
  void takesReservedSyndromesForErrors(int syndrome) {
    qp.postsSend(1, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    d.says(peer.acknowledge(0, syndrome, 0));
    qp.sent(1, WcStatus.REM_OP_ERR);
    qp.isIn(QpState.ERR);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 30, 31})
  @DisplayName("credits in an ACK are ignored")
  @Holds(Rule.IMPLIED_ACK)
  void takesAnAckWithAnyCredits(int credits) {
    qp.postsSend(1, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    d.says(peer.acknowledge(0, credits, 12345));
    qp.sent(1, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("what precedes the request of a fatal NAK is acknowledged, what follows is flushed")
  @Holds(Rule.IMPLIED_ACK)
  void completesWhatPrecedesTheFatalNak() {
    for (int i = 0; i < 4; i++) {
      qp.postsSend(i, 10);
      d.hears(here.send(i).bytes(0, 10).ackReq());
    }
    d.says(peer.invalidRequestNak(2, 2));
    qp.sent(0, WcStatus.SUCCESS);
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.REM_INV_REQ_ERR);
    qp.sent(3, WcStatus.WR_FLUSH_ERR);
    qp.nothingSent();
  }
}
