package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Engine;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Reth;

/**
 * One acknowledgement may serve several requests of a peer, and wait for a moment after a reply.
 * The played peer sends SENDs without bytes, and the queue pair replies with its own SENDs.
 */
class HeldAcknowledgementTest {
  private static final int PSN = 5;
  private static final long PATIENCE_NS = 10_000;

  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private Engine engine;
  private QueuePair qp;
  private PlayedPeer peer;
  private int next = PSN;
  private long nowNs = 1_000_000;

  @BeforeEach
  void connect() {
    LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
    engine = lone.engine;
    ProtectionDomain pd = lone.pd;
    qp =
        pd.createQp(
            new QpInitAttr()
                .cq(pd.context().createCq(8192))
                .cap(new QpCapabilities(4096, 4096, 1, 1, 0)));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).rqPsn(PSN));
    peer = new PlayedPeer(engine, qp);
    RecvRequestList receives = new RecvRequestList(Arena.ofAuto(), 1, 1);
    receives.add();
    for (int i = 0; i < 4096; i++) {
      assertEquals(0, qp.postRecv(receives));
    }
    assertEquals(List.of(), sent(0));
  }

  @Test
  void withoutPatienceReplyAndAcknowledgementLeaveInOneTrain() {
    request();
    reply();
    assertEquals(List.of("SEND", "ACK 5"), sent(0));
    assertEquals(Deadlines.NEVER, engine.nextTimeout());
  }

  @Test
  void afterAReplyTheAcknowledgementWaitsForTheNextRequestAndServesBoth() {
    request();
    reply();
    assertEquals(List.of("SEND"), sent(PATIENCE_NS));
    nowNs += PATIENCE_NS - 1;
    request();
    assertEquals(List.of("ACK 6"), sent(0), "nobody replies to this one");
    assertEquals(List.of(), afterMuchTime());
  }

  /** The answer of a READ acknowledges the requests before it. */
  @Test
  void itDoesNotWaitBesideTheAnswerOfARead() {
    qp.modify(new QpAttr().qpAccessFlags(AccessFlags.REMOTE_READ));
    request();
    Reth.put(peer.buffer, Opcode.RC_RDMA_READ_REQUEST.rethAt(), 0, 0, 0);
    peer.says(nowNs, Opcode.RC_RDMA_READ_REQUEST, true, next++);
    reply();
    assertEquals(List.of("SEND", "DATA 6"), sent(PATIENCE_NS));
    assertEquals(List.of(), afterMuchTime());
  }

  @Test
  void itDoesNotWaitWhenItsQueuePairMustFail() {
    request();
    peer.buffer.putInt(Opcode.RC_SEND_ONLY_WITH_INVALIDATE.iethAt(), 12345);
    peer.says(nowNs, Opcode.RC_SEND_ONLY_WITH_INVALIDATE, true, next++);
    reply();
    assertEquals(List.of("SEND", "ACK 5"), sent(PATIENCE_NS));
    assertEquals(QpState.ERR, qp.state());
  }

  /** An acknowledged reply gives the queue pair a turn in which it sends nothing. */
  @Test
  void itDoesNotWaitWithoutAReply() {
    request();
    reply();
    assertEquals(List.of("SEND", "ACK 5"), sent(0));
    request();
    Aeth.put(peer.buffer, Bth.SIZE, Aeth.ACK, 1);
    peer.says(nowNs, Opcode.RC_ACKNOWLEDGE, false, 0);
    assertEquals(List.of("ACK 6"), sent(PATIENCE_NS));
  }

  @Test
  void itWaitsNoLongerThanItMay() {
    request();
    reply();
    assertEquals(List.of("SEND"), sent(PATIENCE_NS));
    assertEquals(nowNs + PATIENCE_NS, engine.nextTimeout());
    nowNs += PATIENCE_NS - 1;
    engine.handleTimeout(nowNs);
    assertEquals(List.of(), sent(PATIENCE_NS));
    nowNs++;
    engine.handleTimeout(nowNs);
    assertEquals(List.of("ACK 5"), sent(PATIENCE_NS));
    assertEquals(Deadlines.NEVER, engine.nextTimeout());
  }

  @Test
  void itWaitsLongerWhereRequestsTakeLonger() {
    int acknowledged = 0;
    for (int i = 0; i < 60; i++) {
      request();
      reply();
      acknowledged += sent(PATIENCE_NS).size() - 1;
      long nextNs = nowNs + 15_000;
      if (engine.nextTimeout() < nextNs) {
        nowNs = engine.nextTimeout();
        engine.handleTimeout(nowNs);
        acknowledged += sent(PATIENCE_NS).size();
      }
      nowNs = nextNs;
    }
    assertTrue(acknowledged < 20, acknowledged + " acknowledgements of 60 requests");
  }

  @Test
  void whereRequestsTakeLongItWaitsNoLongerThanFortyMicroseconds() {
    for (int i = 0; i < 60; i++) {
      request();
      reply();
      sent(PATIENCE_NS);
      assertTrue(engine.nextTimeout() - nowNs <= 40_000 || engine.nextTimeout() == Deadlines.NEVER);
      nowNs += 39_000;
      engine.handleTimeout(nowNs);
      sent(PATIENCE_NS);
    }
  }

  @Test
  void withoutAReplyItDoesNotWait() {
    request();
    assertEquals(List.of("ACK 5"), sent(PATIENCE_NS));
  }

  @Test
  void itDoesNotWaitBesideANak() {
    request();
    next += 3;
    request();
    reply();
    assertEquals(List.of("SEND", "NAK 6"), sent(PATIENCE_NS));
  }

  @Test
  void aGapThatShowsWhileItWaitsIsToldAtOnce() {
    request();
    reply();
    assertEquals(List.of("SEND"), sent(PATIENCE_NS));
    next += 3;
    request();
    assertEquals(List.of("NAK 6"), sent(0));
  }

  @Test
  void itStandsForFewRequestsOnly() {
    int longest = 0;
    int waited = 0;
    for (int i = 0; i < 100; i++) {
      nowNs += 6000;
      request();
      reply();
      waited = sent(PATIENCE_NS).size() == 1 ? waited + 1 : 0;
      longest = Math.max(longest, waited);
    }
    assertEquals(9, longest); // the last one only until the next turn
  }

  @Test
  void whereWaitingIsInVainItIsTriedLessAndLess() {
    int waits = 0;
    for (int i = 0; i < 400; i++) {
      request();
      reply();
      assertEquals(List.of("SEND"), sent(PATIENCE_NS));
      waits += engine.nextTimeout() - nowNs > 0 ? 1 : 0;
      assertEquals(List.of("ACK " + (next - 1)), afterMuchTime());
    }
    assertTrue(waits > 4 && waits < 10, "it has waited " + waits + " times");
  }

  /** A wait that has paid makes up for one wait in vain, not for all later ones. */
  @Test
  void whereWaitingHasPaidAndDoesNoMoreItIsTriedLessAndLess() {
    for (int i = 0; i < 20; i++) {
      request();
      reply();
      sent(PATIENCE_NS);
    }
    whereWaitingIsInVainItIsTriedLessAndLess();
  }

  @Test
  void itLeavesWhenWhatIsDueIsToLeave() {
    request();
    reply();
    assertEquals(List.of("SEND"), sent(PATIENCE_NS));
    engine.releaseAcks();
    assertEquals(List.of("ACK 5"), sent(0));
    assertEquals(Deadlines.NEVER, engine.nextTimeout());
  }

  @Test
  void aQueuePairThatEndsMeanwhileLeavesNothingBehind() {
    request();
    reply();
    assertEquals(List.of("SEND"), sent(PATIENCE_NS));
    qp.close();
    assertEquals(Deadlines.NEVER, engine.nextTimeout());
    assertEquals(List.of(), afterMuchTime());
  }

  @Test
  void aQueuePairThatFailsMeanwhileSaysNothingMore() {
    request();
    reply();
    assertEquals(List.of("SEND"), sent(PATIENCE_NS));
    qp.modify(new QpAttr().qpState(QpState.ERR));
    assertEquals(List.of(), afterMuchTime());
  }

  private List<String> afterMuchTime() {
    nowNs += 1_000_000;
    engine.handleTimeout(nowNs);
    return sent(0);
  }

  private void request() {
    peer.says(nowNs, Opcode.RC_SEND_ONLY, true, next++);
  }

  private void reply() {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.SEND);
    assertEquals(0, qp.postSend(list));
    engine.handleDoorbells(nowNs);
  }

  private List<String> sent(long patienceNs) {
    engine.callerReturns(patienceNs > 0);
    List<String> packets = new ArrayList<>();
    while (engine.pollTransmit(nowNs, train) > 0) {
      int at = 0;
      for (int k = 0; k < train.segments(); k++) {
        InboundPacket packet = new InboundPacket();
        packet.decode(train.buffer(), at, train.sizeOf(k));
        packets.add(
            switch (packet.opcode()) {
              case RC_ACKNOWLEDGE ->
                  (packet.syndrome() == Aeth.ACK ? "ACK " : "NAK ") + packet.psn();
              case RC_RDMA_READ_RESPONSE_ONLY -> "DATA " + packet.psn();
              default -> "SEND";
            });
        at += train.sizeOf(k);
      }
    }
    engine.callerReturns(false);
    return packets;
  }
}
