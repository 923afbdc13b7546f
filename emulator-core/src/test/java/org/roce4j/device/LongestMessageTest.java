package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;

/**
 * A peer whose SEND never ends, into a receive request of more than 2^31 bytes: its entries name
 * the same memory again and again. No message has more than 2^31 bytes, even if more would fit.
 */
class LongestMessageTest {
  private static final int PACKET = 4096;
  private static final int PACKETS = (int) ((1L << 31) / PACKET);
  private static final int ENTRIES = 32;
  private static final int ENTRY_BYTES = (int) ((1L << 31) / ENTRIES) + PACKET;

  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_4096);
  private final MemorySegment memory = Arena.ofAuto().allocate(ENTRY_BYTES, PACKET);
  private final MemoryRegion region = lone.pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
  private final CompletionQueue cq = lone.pd.context().createCq(4);
  private final WorkCompletions polled = new WorkCompletions(Arena.ofAuto(), 1);

  @Test
  void aReliableMessageOfMoreFailsWithALengthErrorAndTheNakOfAnInvalidRequest() {
    QueuePair qp = inRtr(QpType.RC);
    PlayedPeer peer = new PlayedPeer(lone.engine, qp);
    peer.says(1000, Opcode.RC_SEND_FIRST, false, 0, PACKET);
    for (int psn = 1; psn < PACKETS; psn++) {
      peer.says(1000, Opcode.RC_SEND_MIDDLE, false, psn, PACKET);
    }
    assertEquals(PACKETS, qp.query().rqPsn(), "2^31 bytes are taken");
    assertEquals(0, cq.poll(polled));

    peer.says(1000, Opcode.RC_SEND_MIDDLE, false, PACKETS, PACKET);

    assertEquals("NAK invalid request " + PACKETS, answer());
    assertEquals(1, cq.poll(polled));
    assertEquals(WcStatus.LOC_LEN_ERR, polled.status(0));
    assertEquals(QpState.ERR, qp.state());
    assertEquals(1, lone.engine.counters().get(Counter.RESPONDER_LENGTH_ERROR));
  }

  @Test
  void anUnreliableMessageOfMoreIsAbandonedAndItsReceiveServesTheNext() {
    QueuePair qp = inRtr(QpType.UC);
    PlayedPeer peer = new PlayedPeer(lone.engine, qp);
    peer.says(1000, Opcode.UC_SEND_FIRST, false, 0, PACKET);
    for (int psn = 1; psn < PACKETS; psn++) {
      peer.says(1000, Opcode.UC_SEND_MIDDLE, false, psn, PACKET);
    }
    assertEquals(0, lone.engine.counters().get(Counter.REQUEST_DROPPED), "2^31 bytes are taken");

    peer.says(1000, Opcode.UC_SEND_LAST, false, PACKETS, 4);

    assertEquals(1, lone.engine.counters().get(Counter.REQUEST_DROPPED));
    assertEquals(0, cq.poll(polled));
    peer.says(1000, Opcode.UC_SEND_ONLY, false, PACKETS + 1, 4);
    assertEquals(1, cq.poll(polled));
    assertEquals(WcStatus.SUCCESS, polled.status(0));
    assertEquals(4, polled.byteLength(0));
  }

  private QueuePair inRtr(QpType type) {
    QueuePair qp =
        lone.pd.createQp(
            new QpInitAttr().qpType(type).cq(cq).cap(new QpCapabilities(1, 1, 1, ENTRIES, 0)));
    QpBringUp.to(QpState.RTR, qp, PlayedPeer.attributes(Mtu.MTU_4096));
    RecvRequestList receives = new RecvRequestList(Arena.ofAuto(), 1, ENTRIES);
    receives.add().wrId(1);
    for (int i = 0; i < ENTRIES; i++) {
      receives.sge(region, 0, ENTRY_BYTES);
    }
    assertEquals(0, qp.postRecv(receives));
    return qp;
  }

  private String answer() {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 1);
    assertEquals(1, lone.engine.pollTransmit(1000, train));
    InboundPacket packet = new InboundPacket();
    packet.decode(train.buffer(), 0, train.sizeOf(0));
    return (packet.syndrome() == Aeth.NAK_INVALID_REQUEST ? "NAK invalid request " : "? ")
        + packet.psn();
  }
}
