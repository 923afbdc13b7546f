package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.wire.Deth;
import org.roce4j.wire.Opcode;

/** The side effects of a request, by service: UD has no connection. */
class WhatServicesHearTest {
  private static final int QKEY = 5;

  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);

  private QueuePair qp(QpType type, QpState state) {
    QueuePair qp = lone.qp(type);
    QpBringUp.to(state, qp, PlayedPeer.attributes(Mtu.MTU_1024).qkey(QKEY));
    return qp;
  }

  private List<EventType> events() {
    List<EventType> all = new ArrayList<>();
    for (AsyncEvent event; (event = lone.pd.context().pollAsyncEvent()) != null; ) {
      all.add(event.type());
      event.ack();
    }
    return all;
  }

  private void say(PlayedPeer peer, Opcode opcode, int psn) {
    if (opcode == Opcode.UD_SEND_ONLY) {
      Deth.put(peer.buffer, opcode.dethAt(), QKEY, 18);
    }
    peer.says(0, opcode, false, psn);
  }

  @ParameterizedTest
  @CsvSource({"RC, RC_SEND_ONLY, 1", "UC, UC_SEND_ONLY, 1", "UD, UD_SEND_ONLY, 0"})
  void aMarkIsToldToTheSenderOfAConnection(QpType type, Opcode opcode, int notifications) {
    PlayedPeer peer = new PlayedPeer(lone.engine, qp(type, QpState.RTS));
    peer.congested(true);
    say(peer, opcode, 0);
    while (lone.engine.pollTransmit(0, train) > 0) {
      assertEquals(1, train.segments());
    }
    assertEquals(notifications, lone.engine.counters().get(Counter.CNP_SENT));
  }

  @ParameterizedTest
  @CsvSource({"RC, RC_SEND_ONLY, COMM_EST", "UC, UC_SEND_ONLY, COMM_EST", "UD, UD_SEND_ONLY, "})
  void theFirstRequestThatIsAcceptedEstablishesAConnection(
      QpType type, Opcode opcode, EventType told) {
    QueuePair qp = qp(type, QpState.RTR);
    MemorySegment memory = Arena.ofAuto().allocate(64, 8);
    MemoryRegion region = lone.pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
    RecvRequestList receives = new RecvRequestList(Arena.ofAuto(), 1, 1);
    receives.add().sge(region, 0, 64);
    qp.postRecvOrThrow(receives);
    say(new PlayedPeer(lone.engine, qp), opcode, 0);
    assertEquals(told == null ? List.of() : List.of(told), events());
    assertEquals(1, qp.recvCq().poll(new WorkCompletions(Arena.ofAuto(), 1)));
  }

  /** A request out of sequence, and a request without a posted receive. */
  @ParameterizedTest
  @CsvSource({"RC, RC_SEND_ONLY, 7", "RC, RC_SEND_ONLY, 0", "UD, UD_SEND_ONLY, 0"})
  void aRequestThatIsNotAcceptedEstablishesNothing(QpType type, Opcode opcode, int psn) {
    PlayedPeer peer = new PlayedPeer(lone.engine, qp(type, QpState.RTR));
    say(peer, opcode, psn);
    assertEquals(List.of(), events());
  }
}
