package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Reth;

/**
 * RESET between the moment at which a packet or timer becomes due and its turn: in its next life
 * the queue pair sends nothing of the life before, and waits for nothing of it.
 */
class ResetWhileDueTest {
  private static final long NOW_NS = 1000;

  /** Content of objects that are used again, places of such objects, and times. */
  private static final Pattern KEPT =
      Pattern.compile(
          ".*\\.(filled|published|retired|seen|started|sending|head|mask|postedMask|companions|made|why"
              + "|timedNs|atNs|wantedNs|repliedNs|untilNs|callerReturns|needsTime|furthestDropped)"
              + "|\\.router\\.packet\\..*"
              + "|.*\\.(gather|writeRange|pending\\[\\d]|ring\\[\\d](\\.range)?)\\.[a-zA-Z]*"
              + "|.*\\.checks\\.answer");

  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final QueuePair qp = lone.qp(QpType.RC);
  private final PlayedPeer peer = new PlayedPeer(lone.engine, qp);

  static Stream<Arguments> dues() {
    return Stream.of(
        due("an acknowledgement", t -> t.write(0)),
        due("an acknowledgement for a duplicate", ResetWhileDueTest::writesTwice),
        due("the answer of a READ", t -> t.read(0)),
        due("a sequence NAK", t -> t.write(1)),
        due("an RNR NAK", t -> t.peer.says(NOW_NS, Opcode.RC_SEND_ONLY, true, 0)),
        due("a fatal NAK", t -> t.peer.says(NOW_NS, Opcode.RC_SEND_LAST, true, 0)),
        due("a congestion notification", ResetWhileDueTest::marked),
        due("an acknowledgement that is held back", ResetWhileDueTest::held),
        due("a request", ResetWhileDueTest::sends),
        due("the answer to its own READ", ResetWhileDueTest::asks),
        due("a request that is to be repeated", t -> t.repeats(0x60)),
        due("the failure of a request behind another", ResetWhileDueTest::failsLater),
        due("the end of a pause that the peer asked for", t -> t.repeats(0x21)),
        due("a timeout", ResetWhileDueTest::waits),
        due("a request at a rate", ResetWhileDueTest::limited),
        due("the end of a drain", ResetWhileDueTest::drains),
        due("nothing, it was spoken to in RTR", ResetWhileDueTest::hears),
        due("nothing, it failed", t -> t.qp.modify(new QpAttr().qpState(QpState.ERR))));
  }

  private static Arguments due(String what, Consumer<ResetWhileDueTest> becomesDue) {
    return Arguments.of(what, becomesDue);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dues")
  void nothingOfTheLifeBeforeIsSent(String what, Consumer<ResetWhileDueTest> becomesDue) {
    connect();
    becomesDue.accept(this);
    assertTrue(qp.state() != QpState.RESET);
    qp.modify(new QpAttr().qpState(QpState.RESET));
    connect();
    lone.engine.handleDoorbells(NOW_NS);
    lone.engine.handleTimeout(NOW_NS + 1_000_000); // after every deadline
    assertEquals(0, lone.engine.pollTransmit(NOW_NS, train));
    assertEquals(Deadlines.NEVER, lone.engine.nextTimeout());
    lone.engine.callerReturns(false);
    write(0);
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train), "the answer to a request of today");
    assertEquals(0, lone.engine.pollTransmit(NOW_NS, train));
    for (int i = 0; i < 4; i++) {
      sends();
      assertEquals(1, lone.engine.pollTransmit(NOW_NS, train), "a request of today, number " + i);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("dues")
  void nothingOfTheLifeBeforeIsRemembered(String what, Consumer<ResetWhileDueTest> becomesDue) {
    ResetWhileDueTest quiet = new ResetWhileDueTest();
    quiet.connect();
    quiet.qp.modify(new QpAttr().qpState(QpState.RESET));
    quiet.connect();
    connect();
    becomesDue.accept(this);
    qp.modify(new QpAttr().qpState(QpState.RESET));
    connect();
    assertEquals(
        List.of(), Portrait.of(lone.engine).differences(Portrait.of(quiet.lone.engine), KEPT));
  }

  private void connect() {
    to(QpState.RTS);
  }

  private void to(QpState state) {
    int rights = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ;
    QpBringUp.to(state, qp, PlayedPeer.attributes(Mtu.MTU_1024).qpAccessFlags(rights));
  }

  /** Receives a WRITE without bytes, which needs no key. */
  private void write(int psn) {
    Reth.put(peer.buffer, Opcode.RC_RDMA_WRITE_ONLY.rethAt(), 0, 0, 0);
    peer.says(NOW_NS, Opcode.RC_RDMA_WRITE_ONLY, true, psn);
  }

  private void writesTwice() {
    write(0);
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train));
    write(0);
  }

  private void read(int psn) {
    Reth.put(peer.buffer, Opcode.RC_RDMA_READ_REQUEST.rethAt(), 0, 0, 0);
    peer.says(NOW_NS, Opcode.RC_RDMA_READ_REQUEST, true, psn);
  }

  private void marked() {
    peer.congested(true);
    Reth.put(peer.buffer, Opcode.RC_RDMA_WRITE_ONLY.rethAt(), 0, 0, 0);
    peer.says(NOW_NS, Opcode.RC_RDMA_WRITE_ONLY, false, 0);
    peer.congested(false);
  }

  private void held() {
    write(0);
    lone.engine.callerReturns(true);
    sends();
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train));
  }

  private void sends() {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.SEND);
    assertEquals(0, qp.postSend(list));
    lone.engine.handleDoorbells(NOW_NS);
  }

  private void asks() {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.RDMA_READ);
    assertEquals(0, qp.postSend(list));
    lone.engine.handleDoorbells(NOW_NS);
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train));
  }

  private void failsLater() {
    sends();
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.SEND).sge(0, 8, 12345);
    assertEquals(0, qp.postSend(list));
    lone.engine.handleDoorbells(NOW_NS);
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train));
    assertEquals(0, lone.engine.pollTransmit(NOW_NS, train), "its memory is found to be foreign");
  }

  private void waits() {
    qp.modify(new QpAttr().qpState(QpState.RESET));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).timeout(14));
    sends();
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train));
  }

  private void hears() {
    qp.modify(new QpAttr().qpState(QpState.RESET));
    to(QpState.RTR);
    write(0);
    assertTrue(lone.engine.takeEventful());
    lone.pd.context().pollAsyncEvent().ack();
  }

  private void limited() {
    qp.modifyRateLimit(new QpRateLimitAttr(8));
    sends();
    sends();
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train));
  }

  private void drains() {
    sends();
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train));
    qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
    sends();
  }

  private void repeats(int syndrome) {
    sends();
    assertEquals(1, lone.engine.pollTransmit(NOW_NS, train));
    peer.buffer.putInt(Opcode.RC_ACKNOWLEDGE.aethAt(), syndrome << 24);
    peer.says(NOW_NS, Opcode.RC_ACKNOWLEDGE, false, 0);
  }
}
