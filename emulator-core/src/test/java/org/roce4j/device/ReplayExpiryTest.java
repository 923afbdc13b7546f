package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.Engine;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.wire.AtomicEth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Psn;
import org.roce4j.wire.Reth;

/**
 * Ruling R16: a PSN has a meaning within 2^23 of the window. An atomic is executed, then READs of 2
 * GiB at a path MTU of 256, whose answers are never sent, move the window on by 2^23 PSNs each.
 */
class ReplayExpiryTest {
  private static final int PSN = 5;
  private static final int HALF = 1 << 23;
  private static final long HALF_BYTES = 1L << 31;
  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

  private final MemorySegment word = Arena.ofAuto().allocate(8, 8);
  private final Engine engine;
  private final QueuePair qp;
  private final PlayedPeer peer;
  private final MemoryRegion counted;
  private final MemoryRegion vast;

  ReplayExpiryTest() {
    LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_256);
    engine = lone.engine;
    ProtectionDomain pd = lone.pd;
    counted = pd.registerMemory(word, RIGHTS);
    // It is never read, because its answers are not sent.
    vast = pd.registerMemory(MemorySegment.ofAddress(4096).reinterpret(HALF_BYTES), RIGHTS);
    qp =
        pd.createQp(
            new QpInitAttr().cq(pd.context().createCq(16)).cap(new QpCapabilities(1, 1, 1, 1, 0)));
    QpAttr attr = PlayedPeer.attributes(Mtu.MTU_256).qpAccessFlags(RIGHTS).rqPsn(PSN);
    QpBringUp.to(QpState.RTR, qp, attr.maxDestRdAtomic(8));
    peer = new PlayedPeer(engine, qp);
    fetchAdd(PSN);
    answer();
    assertEquals(1, value());
  }

  @Test
  void anAtomicIsReplayedAsLongAsItsPsnIsWithinHalfOfAllPsns() {
    read(PSN + 1, HALF_BYTES - 256);
    assertEquals(PSN + HALF, qp.query().rqPsn());
    fetchAdd(PSN);
    assertEquals(1, value());
    assertEquals(1, engine.counters().get(Counter.ATOMIC_REPLAY));
  }

  @Test
  void onePsnLaterItsPsnIsOneOfTheFutureAndNothingIsReplayed() {
    read(PSN + 1, HALF_BYTES);
    assertEquals(PSN + 1 + HALF, qp.query().rqPsn());
    fetchAdd(PSN);
    assertEquals(1, value());
    assertEquals(0, engine.counters().get(Counter.ATOMIC_REPLAY));
    assertEquals(1, engine.counters().get(Counter.OUT_OF_SEQUENCE_REQUEST));
  }

  @Test
  void afterAllPsnsTheSamePsnIsANewRequestAndIsExecuted() {
    read(PSN + 1, HALF_BYTES);
    read(PSN + 1 + HALF, HALF_BYTES - 256);
    assertEquals(PSN, qp.query().rqPsn());
    fetchAdd(PSN);
    assertEquals(2, value());
    assertEquals(0, engine.counters().get(Counter.ATOMIC_REPLAY));
    fetchAdd(PSN);
    assertEquals(2, value(), "now it is a duplicate of the new one");
    assertEquals(1, engine.counters().get(Counter.ATOMIC_REPLAY));
  }

  private long value() {
    return word.get(ValueLayout.JAVA_LONG, 0);
  }

  private void fetchAdd(int psn) {
    Opcode opcode = Opcode.RC_FETCH_ADD;
    AtomicEth.put(peer.buffer, opcode.atomicEthAt(), counted.iova(), counted.rkey(), 1, 0);
    say(opcode, psn);
  }

  private void read(int psn, long length) {
    Opcode opcode = Opcode.RC_RDMA_READ_REQUEST;
    Reth.put(peer.buffer, opcode.rethAt(), vast.iova(), vast.rkey(), (int) length);
    say(opcode, psn);
  }

  private void say(Opcode opcode, int psn) {
    peer.says(1000, opcode, true, psn & Psn.MASK);
  }

  private void answer() {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 1);
    assertEquals(1, engine.pollTransmit(1000, train));
  }
}
