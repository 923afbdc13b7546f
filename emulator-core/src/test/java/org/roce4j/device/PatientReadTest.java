package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Engine;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
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

/**
 * A READ needs much of a path's window, which a stream of WRITEs never leaves free. It waits for
 * two windows of their packets, and then exceeds the window once.
 */
class PatientReadTest {
  private static final int PACKET = 1024;
  private static final int READ = 64;
  private static final int STREAM = 1000;

  /** The packets that are in flight to an address at first. */
  private static final int WINDOW =
      32 * (4096 + PathWindow.PACKET_CHARGE) / (PACKET + PathWindow.PACKET_CHARGE);

  @AutoClose private final Arena arena = Arena.ofShared();
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final Engine engine = lone.engine;
  private final CompletionQueue cq = lone.pd.context().createCq(64);
  private final MemoryRegion region =
      lone.pd.registerMemory(arena.allocate(STREAM * PACKET), AccessFlags.LOCAL_WRITE);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private QueuePair stream;
  private int acknowledged;

  private QueuePair create(int peer) {
    QueuePair qp = lone.pd.createQp(LoneEngine.init(QpType.RC, cq));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).destQpNum(peer).maxRdAtomic(4));
    return qp;
  }

  private void post(QueuePair qp, WrOpcode opcode, int packets) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(opcode).sge(region, 0, packets * PACKET);
    qp.postSendOrThrow(list);
    engine.handleDoorbells(0);
  }

  /** The peers to which READs are sent now. */
  private List<Integer> reads() {
    List<Integer> peers = new ArrayList<>();
    while (engine.pollTransmit(0, train) > 0) {
      int at = 0;
      for (int i = 0; i < train.segments(); i++) {
        if (Bth.opcode(train.buffer(), at) == Opcode.RC_RDMA_READ_REQUEST.code()) {
          peers.add(Bth.destQp(train.buffer(), at));
        }
        at += train.sizeOf(i);
      }
    }
    return peers;
  }

  /** Acknowledges packets of the stream until a READ is sent; returns the number of packets. */
  private int packetsBeforeTheRead(int peer) {
    int before = acknowledged;
    List<Integer> sent = List.of();
    while (sent.isEmpty()) {
      assertTrue(acknowledged < STREAM, "no READ is sent");
      PlayedPeer its = new PlayedPeer(engine, stream);
      Aeth.put(its.buffer, Bth.SIZE, Aeth.ACK, 0);
      its.says(0, Opcode.RC_ACKNOWLEDGE, false, acknowledged++);
      sent = reads();
    }
    assertEquals(List.of(peer), sent);
    return acknowledged - before;
  }

  @BeforeEach
  void fill() {
    stream = create(100);
    post(stream, WrOpcode.RDMA_WRITE, STREAM);
    assertEquals(List.of(), reads());
    assertFalse(engine.hasOutput());
  }

  @Test
  void theNextReadWaitsAsLong() {
    QueuePair reader = create(101);
    post(reader, WrOpcode.RDMA_READ, READ);
    post(reader, WrOpcode.RDMA_READ, READ);
    assertEquals(List.of(), reads());
    assertTrue(packetsBeforeTheRead(101) >= 2 * WINDOW);
    assertTrue(packetsBeforeTheRead(101) >= 2 * WINDOW);
  }

  @Test
  void twoReadsDoNotExceedTheWindowTogether() {
    post(create(101), WrOpcode.RDMA_READ, READ);
    post(create(102), WrOpcode.RDMA_READ, READ);
    assertEquals(List.of(), reads());
    assertTrue(packetsBeforeTheRead(101) >= 2 * WINDOW);
    int packets = packetsBeforeTheRead(102);
    assertTrue(packets > READ / 2 && packets < 2 * WINDOW, packets + " packets");
  }
}
