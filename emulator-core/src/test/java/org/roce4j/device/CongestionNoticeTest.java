package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/** Notices of congestion (CNP): one for the packets that the network marks within an interval. */
class CongestionNoticeTest {
  private static final long INTERVAL_NS = 50_000;

  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final QueuePair qp = lone.qp(QpType.RC);
  private final PlayedPeer peer = new PlayedPeer(lone.engine, qp);
  private final Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 1);
  private long nowNs = 1_000_000;
  private int psn;

  CongestionNoticeTest() {
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
  }

  /** The peer sends a message; returns the opcodes of what it gets. */
  private List<Opcode> comes(boolean marked) {
    qp.postRecvOrThrow(new RecvRequestList(Arena.ofAuto(), 1, 1).add());
    peer.congested(marked);
    peer.says(nowNs, Opcode.RC_SEND_ONLY, true, psn++);
    return sent();
  }

  private List<Opcode> sent() {
    List<Opcode> opcodes = new ArrayList<>();
    while (lone.engine.pollTransmit(nowNs, train) > 0) {
      opcodes.add(Opcode.of(Bth.opcode(train.buffer(), 0)));
    }
    return opcodes;
  }

  @Test
  void aMarkedPacketIsToldOnce() {
    List<Opcode> both = List.of(Opcode.RC_ACKNOWLEDGE, Opcode.CNP);
    List<Opcode> plain = List.of(Opcode.RC_ACKNOWLEDGE);
    assertEquals(both, comes(true));
    assertEquals(plain, comes(true), "soon after");
    nowNs += INTERVAL_NS - 1;
    assertEquals(plain, comes(true));
    nowNs += 1;
    assertEquals(List.of(), sent(), "what was told is told");
    assertEquals(plain, comes(false));
    assertEquals(both, comes(true));
    nowNs += INTERVAL_NS;
    assertEquals(List.of(), sent());
    assertEquals(plain, comes(false));
    assertEquals(2, lone.engine.counters().get(Counter.CNP_SENT));
    assertEquals(4, lone.engine.counters().get(Counter.ECN_MARKED));
  }
}
