package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Bth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Reth;

/** RESET in the middle of a message: the queue pair's next life does not continue it. */
class ResetWithinMessageTest {
  private static final long NOW_NS = 1000;
  private static final int MTU = 1024;

  @AutoClose private final Arena arena = Arena.ofShared();
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final MemorySegment memory = arena.allocate(4 * MTU);
  private final MemoryRegion region =
      lone.pd.registerMemory(memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
  private final CompletionQueue cq = lone.pd.context().createCq(8);
  private final WorkCompletions completions = new WorkCompletions(arena, 8);

  private void connect(QueuePair qp) {
    QpBringUp.toRts(
        qp, PlayedPeer.attributes(Mtu.MTU_1024).qpAccessFlags(AccessFlags.REMOTE_WRITE));
  }

  @ParameterizedTest
  @CsvSource({
    "RC, RC_SEND_FIRST, RC_SEND_LAST",
    "RC, RC_SEND_FIRST, RC_SEND_MIDDLE",
    "RC, RC_RDMA_WRITE_FIRST, RC_RDMA_WRITE_LAST",
    "RC, RC_RDMA_WRITE_FIRST, RC_RDMA_WRITE_LAST_WITH_IMMEDIATE",
    "UC, UC_SEND_FIRST, UC_SEND_LAST",
    "UC, UC_SEND_FIRST, UC_SEND_MIDDLE",
    "UC, UC_RDMA_WRITE_FIRST, UC_RDMA_WRITE_LAST",
    "UC, UC_RDMA_WRITE_FIRST, UC_RDMA_WRITE_LAST_WITH_IMMEDIATE"
  })
  void nothingOfItIsWrittenOrCompleted(QpType service, Opcode first, Opcode next) {
    QueuePair qp = lone.pd.createQp(LoneEngine.init(service, cq));
    PlayedPeer peer = new PlayedPeer(lone.engine, qp);
    connect(qp);
    RecvRequestList receives = new RecvRequestList(arena, 1, 1);
    assertEquals(0, qp.postRecv(receives.add().sge(region, 0, 4 * MTU)));
    if (first.hasReth()) {
      Reth.put(peer.buffer, first.rethAt(), memory.address(), region.rkey(), MTU + MTU / 2);
    }
    peer.says(NOW_NS, first, false, 0, MTU);
    qp.modify(new QpAttr().qpState(QpState.RESET));
    connect(qp);
    memory.fill((byte) 7);
    peer.says(NOW_NS, next, false, 0, next.ends() ? MTU / 2 : MTU);
    assertEquals(0, cq.poll(completions));
    assertEquals(-1, memory.mismatch(arena.allocate(4 * MTU).fill((byte) 7)));
  }

  /** In its next life the queue pair sends its own message from the first packet on. */
  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC"})
  void nothingMoreOfItIsSentNorAskedFor(QpType service) {
    QueuePair qp = lone.pd.createQp(LoneEngine.init(service, cq));
    connect(qp);
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 14);
    MemorySegment longer = arena.allocate(20 * MTU);
    send(qp, lone.pd.registerMemory(longer, 0), 20 * MTU);
    assertEquals(14, lone.engine.pollTransmit(NOW_NS, train));
    qp.modify(new QpAttr().qpState(QpState.RESET));
    connect(qp);
    for (int i = 0; i < 4; i++) {
      memory.asSlice(i * MTU, MTU).fill((byte) (i + 1));
    }
    send(qp, region, 4 * MTU);
    assertEquals(4, lone.engine.pollTransmit(NOW_NS, train));
    int at = 0;
    for (int i = 0; i < 4; i++) {
      InboundPacket packet = new InboundPacket();
      packet.decode(train.buffer(), at, train.sizeOf(i));
      assertEquals(i == 0, packet.opcode().starts(), packet.opcode().name());
      assertEquals(i == 3, packet.opcode().ends(), packet.opcode().name());
      assertEquals(i == 3 && service == QpType.RC, packet.ackReq(), "asks in packet " + i);
      assertEquals(i + 1, train.buffer().get(at + Bth.SIZE));
      at += train.sizeOf(i);
    }
  }

  private void send(QueuePair qp, MemoryRegion from, int bytes) {
    SendRequestList list = new SendRequestList(arena, 1, 1, 0);
    assertEquals(0, qp.postSend(list.add().opcode(WrOpcode.SEND).sge(from, 0, bytes)));
    lone.engine.handleDoorbells(NOW_NS);
  }
}
