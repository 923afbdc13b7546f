package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Engine;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/** Queue pairs to one peer address, more than may be in flight there at once. */
class FullPathTest {
  private static final int PACKET = 1024;
  private static final int FIRST_PEER = 100;
  private static final int TIMEOUT = 14;

  /** The most packets in flight to an address at first: as many bytes as 32 packets of 4 KiB. */
  private static final int MOST =
      32 * (4096 + PathWindow.PACKET_CHARGE) / (PACKET + PathWindow.PACKET_CHARGE);

  @AutoClose private final Arena arena = Arena.ofShared();
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final Engine engine = lone.engine;
  private final CompletionQueue cq = lone.pd.context().createCq(64);
  private final MemoryRegion region =
      lone.pd.registerMemory(arena.allocate(1000 * PACKET), AccessFlags.LOCAL_WRITE);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final List<QueuePair> qps = new ArrayList<>();
  private long nowNs = 1_000_000_000;

  /** A queue pair whose peer has the number {@link #FIRST_PEER} and its index. */
  private QueuePair create() {
    QueuePair qp = lone.pd.createQp(LoneEngine.init(QpType.RC, cq));
    int peer = FIRST_PEER + qps.size();
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).destQpNum(peer).timeout(TIMEOUT));
    qps.add(qp);
    return qp;
  }

  private void write(QueuePair qp, int packets) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.RDMA_WRITE).sge(region, 0, packets * PACKET);
    qp.postSendOrThrow(list);
    engine.handleDoorbells(nowNs);
  }

  /** The indices of the senders of all packets that are sent now. */
  private List<Integer> sent() {
    List<Integer> senders = new ArrayList<>();
    while (engine.pollTransmit(nowNs, train) > 0) {
      int at = 0;
      for (int i = 0; i < train.segments(); i++) {
        senders.add(Bth.destQp(train.buffer(), at) - FIRST_PEER);
        at += train.sizeOf(i);
      }
    }
    return senders;
  }

  private void acknowledge(QueuePair qp, int psn) {
    PlayedPeer peer = new PlayedPeer(engine, qp);
    Aeth.put(peer.buffer, Bth.SIZE, Aeth.ACK, 0);
    peer.says(nowNs, Opcode.RC_ACKNOWLEDGE, false, psn);
  }

  /** The first queue pair has sent all that it has and filled the path, and the others wait. */
  private void filled(int others) {
    create();
    write(qps.getFirst(), MOST);
    assertEquals(Collections.nCopies(MOST, 0), sent());
    for (int i = 0; i < others; i++) {
      write(create(), 1);
    }
    assertEquals(List.of(), sent());
    assertFalse(engine.hasOutput());
  }

  @Test
  void roomIsGivenToThoseThatWaitInTheirOrder() {
    filled(3);
    acknowledge(qps.getFirst(), 1);
    assertTrue(engine.hasOutput());
    assertEquals(List.of(1, 2), sent());
    assertFalse(engine.hasOutput());
    acknowledge(qps.getFirst(), 2);
    assertEquals(List.of(3), sent());
  }

  @Test
  void oneThatHasMoreToSendWhileItWaitsKeepsItsPlace() {
    filled(2);
    write(qps.get(1), 1);
    assertEquals(List.of(), sent());
    acknowledge(qps.getFirst(), 2);
    assertEquals(List.of(1, 1, 2), sent());
  }

  @Test
  void theRoomOfAQueuePairThatIsDestroyedIsGivenToThoseThatWait() {
    filled(2);
    qps.getFirst().close();
    assertTrue(engine.hasOutput());
    assertEquals(List.of(1, 2), sent());
  }

  @Test
  void oneThatIsDestroyedWhileItWaitsLeavesTheOthersTheirPlaces() {
    filled(3);
    qps.get(2).close();
    acknowledge(qps.getFirst(), 3);
    assertEquals(List.of(1, 3), sent());
  }

  /** One that sends slowly takes little of it when it sends again. */
  @Test
  void theRoomOfWhatIsLostIsGivenToThoseThatWait() {
    filled(20);
    qps.getFirst().modifyRateLimit(new QpRateLimitAttr(8));
    long lostNs = nowNs + AckTimeout.ns(TIMEOUT);
    while (engine.nextTimeout() - lostNs < 0) {
      nowNs = engine.nextTimeout();
      engine.handleTimeout(nowNs);
      assertFalse(sent().contains(20));
    }
    nowNs = lostNs;
    engine.handleTimeout(nowNs);
    assertTrue(sent().contains(20));
  }

  /** A peer that is gone must not hold up the others at its address. */
  @Test
  void onePacketPassesAPathOnWhichNothingIsAcknowledged() {
    filled(2);
    long dueNs = engine.nextTimeout();
    assertEquals(nowNs + PathWindow.LEAST_PATIENCE_NS, dueNs);
    nowNs = dueNs;
    engine.handleTimeout(nowNs);
    assertTrue(engine.hasOutput());
    assertEquals(List.of(1), sent());
    assertTrue(Deadlines.isSet(engine.nextTimeout()));
  }
}
