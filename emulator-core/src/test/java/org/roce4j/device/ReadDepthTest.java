package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/** At most {@code maxRdAtomic} READs are outstanding, each until its last response packet. */
class ReadDepthTest {
  private static final int PACKET = 1024;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final MemoryRegion region =
      lone.pd.registerMemory(arena.allocate(3 * PACKET), AccessFlags.LOCAL_WRITE);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final QueuePair qp = lone.qp(QpType.RC);
  private final PlayedPeer peer = new PlayedPeer(lone.engine, qp);

  private void read(int packets) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.RDMA_READ).sge(region, 0, packets * PACKET);
    qp.postSendOrThrow(list);
    lone.engine.handleDoorbells(0);
  }

  private void answered(Opcode opcode, int psn) {
    Aeth.put(peer.buffer, Bth.SIZE, Aeth.ACK, 0);
    peer.says(0, opcode, false, psn, PACKET);
  }

  @Test
  void theNextReadWaitsForTheLastResponseOfTheOneBefore() {
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).maxRdAtomic(1));
    read(3);
    read(1);
    assertEquals(1, lone.engine.pollTransmit(0, train));
    answered(Opcode.RC_RDMA_READ_RESPONSE_FIRST, 0);
    assertEquals(0, lone.engine.pollTransmit(0, train));
    answered(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, 1);
    assertEquals(0, lone.engine.pollTransmit(0, train));
    answered(Opcode.RC_RDMA_READ_RESPONSE_LAST, 2);
    assertEquals(1, lone.engine.pollTransmit(0, train));
    assertEquals(3, Bth.psn(train.buffer(), 0));
  }
}
