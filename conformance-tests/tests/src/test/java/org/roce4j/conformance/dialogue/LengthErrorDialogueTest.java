package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Length errors of each kind (rc-transport 4, check 5; R5): NAK invalid request, QP to ERR. */
@Holds(Rule.LENGTHS)
class LengthErrorDialogueTest extends DialogueFixture {
  LengthErrorDialogueTest() {
    super(rc());
  }

  /** The path MTU is 256. */
  static Stream<Arguments> sends() {
    return Stream.of(
        send("ONLY longer than the path MTU", p -> p.send(0).bytes(0, 257)),
        send("FIRST shorter than the path MTU", p -> p.sendFirst(0).bytes(0, 255)),
        send("FIRST longer than the path MTU", p -> p.sendFirst(0).bytes(0, 257)),
        send("empty FIRST", p -> p.sendFirst(0)),
        send("pad where none is needed", p -> p.send(0).bytes(0, 4).pad(3)),
        send("no pad where some is needed", p -> p.send(0).bytes(0, 5).pad(0)),
        send("too little pad", p -> p.send(0).bytes(0, 5).pad(2)));
  }

  private static Arguments send(String what, Function<ConnectedPackets, PacketDraft> draft) {
    return Arguments.of(what, draft);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sends")
  void refusesASendOfIllegalLength(String what, Function<ConnectedPackets, PacketDraft> draft) {
    qp.postsReceive(1, 1000);
    qp.postsReceive(2, 1000);
    d.says(draft.apply(peer).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    qp.received(1, WcStatus.REM_INV_REQ_ERR);
    qp.received(2, WcStatus.WR_FLUSH_ERR);
    qp.event(EventType.QP_REQ_ERR);
    qp.isIn(QpState.ERR);
  }

  static Stream<Arguments> continuations() {
    return Stream.of(
        send("short MIDDLE", p -> p.sendMiddle(1).bytes(256, 300)),
        send("long MIDDLE", p -> p.sendMiddle(1).bytes(256, 520)),
        send("empty LAST", p -> p.sendLast(1)),
        send("long LAST", p -> p.sendLast(1).bytes(256, 520)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("continuations")
  void refusesAContinuationOfIllegalLength(
      String what, Function<ConnectedPackets, PacketDraft> draft) {
    qp.postsReceive(1, 2000);
    d.says(peer.sendFirst(0).bytes(0, 256), draft.apply(peer).ackReq());
    d.hears(here.invalidRequestNak(1, 0));
    qp.received(1, WcStatus.REM_INV_REQ_ERR);
    qp.isIn(QpState.ERR);
  }

  static Stream<Arguments> writes() {
    return Stream.of(
        write("ONLY shorter than its RETH", 0, 100, 99),
        write("ONLY longer than its RETH", 0, 100, 101),
        write("ONLY of more than 2^31", 0, (1L << 31) + 1, 8),
        write("payload although RETH says 0", 0, 0, 1));
  }

  private static Arguments write(String what, int psn, long reth, int payload) {
    return Arguments.of(what, psn, reth, payload);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("writes")
  void refusesAWriteWhoseLengthsDisagree(String what, int psn, long reth, int payload) {
    d.says(peer.write(psn, qp.va(0), qp.region.rkey(), reth).bytes(0, payload).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    qp.event(EventType.QP_REQ_ERR);
    qp.isIn(QpState.ERR);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("a WRITE that ends before its RETH says: what came stays, the QP fails")
  void refusesAWriteThatEndsEarly() {
    d.says(
        peer.writeFirst(0, qp.va(0), qp.region.rkey(), 600).bytes(0, 256),
        peer.writeLast(1).bytes(256, 300).ackReq());
    d.hears(here.invalidRequestNak(1, 0));
    qp.landed(256);
  }

  @Test
  @DisplayName("a WRITE that goes on after its RETH's length: not a byte beyond")
  void refusesAWriteThatGoesOn() {
    d.says(
        peer.writeFirst(0, qp.va(0), qp.region.rkey(), 300).bytes(0, 256),
        peer.writeMiddle(1).bytes(256, 512).ackReq());
    d.hears(here.invalidRequestNak(1, 0));
    qp.landed(256);
  }

  @Test
  @DisplayName("a READ of more than 2^31 bytes is an invalid request")
  void refusesAReadOfTooMuch() {
    d.says(peer.read(0, qp.va(0), qp.region.rkey(), (1L << 31) + 1));
    d.hears(here.invalidRequestNak(0, 0));
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("a WRITE whose FIRST carries all that its RETH says: nothing is left for a LAST")
  void refusesAWriteThatIsWholeBeforeItsEnd() {
    d.says(peer.writeFirst(0, qp.va(0), qp.region.rkey(), 256).bytes(0, 256).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    qp.nothingLanded();
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("a READ of just 2^31 bytes is refused for its range alone")
  void judgesTheLongestReadByItsRange() {
    d.says(peer.read(0, qp.va(0), qp.region.rkey(), 1L << 31));
    d.hears(here.remoteAccessNak(0, 0));
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("a WRITE of more than 2^31 bytes is an invalid request")
  void refusesAWriteOfTooMuch() {
    d.says(peer.writeFirst(0, qp.va(0), qp.region.rkey(), (1L << 31) + 1).bytes(0, 256).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("a WRITE of just 2^31 bytes is refused for its range alone")
  void judgesTheLongestWriteByItsRange() {
    d.says(peer.writeFirst(0, qp.va(0), qp.region.rkey(), 1L << 31).bytes(0, 256).ackReq());
    d.hears(here.remoteAccessNak(0, 0));
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("our own request of more than 2^31 bytes: LOC_LEN_ERR, nothing is sent")
  void sendsNothingOfTooMuch() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_READ)
            .remote(0x1000, 77)
            .sge(qp.va(0), 1 << 31, qp.region.lkey())
            .sge(qp.va(0), 1, qp.region.lkey()));
    qp.sent(1, WcStatus.LOC_LEN_ERR);
    d.hearsNothing();
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("our own READ of just 2^31 bytes is begun, with what the path holds")
  void beginsTheLongestRead() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_READ)
            .remote(0x1000, 77)
            .sge(qp.va(0), 1 << 31, qp.region.lkey()));
    d.hears(here.read(0, 0x1000, 77, 272 * 256));
    d.hearsNothing();
  }

  @Test
  @DisplayName("a READ request with payload is an invalid request")
  void refusesAReadRequestWithPayload() {
    d.says(peer.read(0, qp.va(0), qp.region.rkey(), 8).bytes(0, 8));
    d.hears(here.invalidRequestNak(0, 0));
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("R5: a SEND longer than the receive buffer: NAK 0x61, LOC_LEN_ERR here")
  @Holds(Rule.R5)
  void refusesASendLongerThanTheBuffer() {
    qp.postsReceive(1, 300);
    d.says(peer.sendFirst(0).bytes(0, 256), peer.sendLast(1).bytes(256, 301).ackReq());
    d.hears(here.invalidRequestNak(1, 0));
    qp.received(1, WcStatus.LOC_LEN_ERR);
    qp.event(EventType.QP_REQ_ERR);
    qp.isIn(QpState.ERR);
    qp.landed(256);
  }

  @Test
  @DisplayName("R5: our own request that gets the NAK completes REM_INV_REQ_ERR")
  @Holds(Rule.R5)
  void completesWithRemoteInvalidRequest() {
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq(), here.send(1).bytes(0, 10).ackReq());
    d.says(peer.invalidRequestNak(0, 0));
    qp.sent(1, WcStatus.REM_INV_REQ_ERR);
    qp.sent(2, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("a SEND of just the buffer's length fits; zero length fits everywhere")
  void takesWhatJustFits() {
    qp.postsReceive(1, 300);
    qp.postsReceive(2, 0);
    d.says(
        peer.sendFirst(0).bytes(0, 256), peer.sendLast(1).bytes(256, 300), peer.send(2).ackReq());
    d.hears(here.ack(2, 2));
    qp.received(1, 300);
    qp.received(2, 0);
    qp.landed(300);
  }

  @Test
  @DisplayName("after the fatal NAK nothing is answered any more")
  @Holds(Rule.FATAL_SILENCE)
  void isSilentAfterwards() {
    d.says(peer.write(0, qp.va(0), qp.region.rkey(), 100).bytes(0, 99).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    d.says(
        peer.write(0, qp.va(0), qp.region.rkey(), 99).bytes(0, 99).ackReq(),
        peer.write(1, qp.va(0), qp.region.rkey(), 99).bytes(0, 99).ackReq());
    d.hearsNothingUntil(Dialogue.ms(1000));
    qp.nothingLanded();
  }

  @Test
  @DisplayName("the fatal NAK follows the answers of the requests before it")
  @Holds(Rule.ANSWER_ORDER)
  void answersWhatPrecedesTheFatalRequest() {
    d.says(
        peer.read(0, qp.patternVa(0), qp.region.rkey(), 300),
        peer.write(2, qp.va(0), qp.region.rkey(), 100).bytes(0, 99).ackReq());
    d.hears(
        here.readFirst(0, 1).bytes(0, 256),
        here.readLast(1, 1).bytes(256, 300),
        here.invalidRequestNak(2, 1));
  }
}
