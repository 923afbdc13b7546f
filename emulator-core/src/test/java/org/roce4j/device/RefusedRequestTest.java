package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.AtomicEth;
import org.roce4j.wire.Ieth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Reth;

/** The reasons of a responder's refusals: each names the request, the mistake and its place. */
class RefusedRequestTest {
  private static final int ALL =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  private final Arena arena = Arena.ofAuto();
  private final Engine engine;
  private final ProtectionDomain pd;
  private final MemoryRegion region;

  /** Its memory was freed while it was registered. */
  private final MemoryRegion gone;

  private final CompletionQueue cq;
  private final QueuePair qp;
  private final PlayedPeer peer;

  RefusedRequestTest() {
    Device device = LoneEngine.ofEngines(1, PlayedPeer.HERE);
    device.attach(PortControl.NONE, Progress.NONE);
    engine = device.engine(0);
    pd = EmulatedContext.open(device, () -> {}).allocPd();
    region = pd.registerMemory(arena.allocate(4096, 8), ALL);
    try (Arena freed = Arena.ofShared()) {
      gone = pd.registerMemory(freed.allocate(64, 8), ALL);
    }
    cq = pd.context().createCq(8);
    qp = pd.createQp(LoneEngine.init(QpType.RC, cq));
    peer = new PlayedPeer(engine, qp);
  }

  private void says(Opcode opcode, int psn, int payload) {
    peer.says(0, opcode, true, psn, payload);
  }

  private void saysReth(Opcode opcode, int psn, int payload, long va, int rkey, long length) {
    Reth.put(peer.buffer, opcode.rethAt(), va, rkey, length);
    says(opcode, psn, payload);
  }

  private void saysAtomic(Opcode opcode, long va, int rkey) {
    AtomicEth.put(peer.buffer, opcode.atomicEthAt(), va, rkey, 1, 2);
    says(opcode, 0, 0);
  }

  private static Arguments row(String words, Consumer<RefusedRequestTest> peer) {
    return Arguments.of(words, peer);
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row(
            "RC_SEND_LAST with 4 bytes: RC_SEND_LAST cannot come while no message is under way",
            t -> t.says(Opcode.RC_SEND_LAST, 0, 4)),
        row(
            "RC_RDMA_WRITE_LAST with 8 bytes: RC_RDMA_WRITE_LAST cannot come while a SEND is"
                + " under way",
            t -> {
              t.says(Opcode.RC_SEND_FIRST, 0, 1024);
              t.says(Opcode.RC_RDMA_WRITE_LAST, 1, 8);
            }),
        row(
            "RC_SEND_ONLY cannot come while a WRITE is under way",
            t -> {
              t.saysReth(
                  Opcode.RC_RDMA_WRITE_FIRST, 0, 1024, t.region.iova(), t.region.rkey(), 2000);
              t.says(Opcode.RC_SEND_ONLY, 1, 0);
            }),
        row(
            "1000 bytes of payload do not fit the opcode and the path MTU 1024 here",
            t -> t.says(Opcode.RC_SEND_FIRST, 0, 1000)),
        row(
            "RC_RDMA_WRITE_ONLY of 8 bytes at 0x1f40 (rkey 0x4d2): its packets do not carry as"
                + " many bytes as the first one announces",
            t -> t.saysReth(Opcode.RC_RDMA_WRITE_ONLY, 0, 4, 8000, 1234, 8)),
        row(
            "RC_COMPARE_SWAP of 8 bytes at 0x1f41 (rkey 0x4d2): more READs and atomics than"
                + " maxDestRdAtomic allows here, or an address that is not a multiple of 8",
            t -> t.saysAtomic(Opcode.RC_COMPARE_SWAP, 8001, 1234)),
        row(
            "RC_FETCH_ADD of 8 bytes at 0x1f40 (rkey 0x4d2): rkey 0x4d2 names no region",
            t -> t.saysAtomic(Opcode.RC_FETCH_ADD, 8000, 1234)),
        row(
            "RC_RDMA_READ_REQUEST of 8 bytes at 0x1f40 (rkey 0x4d2): rkey 0x4d2 names no region",
            t -> t.saysReth(Opcode.RC_RDMA_READ_REQUEST, 0, 0, 8000, 1234, 8)),
        row(
            "RC_ATOMIC_WRITE of 8 bytes at 0x1f40 (rkey 0x4d2): rkey 0x4d2 names no region",
            t -> t.saysReth(Opcode.RC_ATOMIC_WRITE, 0, 8, 8000, 1234, 8)),
        row(
            "RC_FLUSH of 8 bytes at 0x1f40 (rkey 0x4d2): ",
            t -> t.saysReth(Opcode.RC_FLUSH, 0, 0, 8000, 1234, 8)),
        row(
            "RC_RDMA_READ_REQUEST of 2147483649 bytes at 0x1f40 (rkey 0x4d2): more READs",
            t -> t.saysReth(Opcode.RC_RDMA_READ_REQUEST, 0, 0, 8000, 1234, (1L << 31) + 1)),
        row(
            "the queue pair grants nothing, not REMOTE_WRITE: set it by qpAccessFlags",
            t -> {
              t.qp.modify(new QpAttr().qpAccessFlags(0));
              t.saysReth(Opcode.RC_RDMA_WRITE_ONLY, 0, 8, 8000, 1234, 8);
            }),
        row(
            "lost its memory",
            t -> t.saysReth(Opcode.RC_RDMA_WRITE_ONLY, 0, 8, t.gone.iova(), t.gone.rkey(), 8)),
        row(
            "the memory of a READ that was under way: the region of rkey",
            t -> t.saysReth(Opcode.RC_RDMA_READ_REQUEST, 0, 0, t.gone.iova(), t.gone.rkey(), 8)),
        row(
            "lost its memory",
            t -> t.saysAtomic(Opcode.RC_COMPARE_SWAP, t.gone.iova(), t.gone.rkey())),
        row(
            "lost its memory",
            t -> t.saysAtomic(Opcode.RC_FETCH_ADD, t.gone.iova(), t.gone.rkey())),
        row(
            "lost its memory",
            t -> t.saysReth(Opcode.RC_ATOMIC_WRITE, 0, 8, t.gone.iova(), t.gone.rkey(), 8)),
        row(
            "RC_SEND_ONLY_WITH_INVALIDATE with 4 bytes: rkey 0x4d2 is of no type 2 window that is"
                + " bound on this queue pair",
            t -> {
              Opcode opcode = Opcode.RC_SEND_ONLY_WITH_INVALIDATE;
              Ieth.put(t.peer.buffer, opcode.iethAt(), 1234);
              t.says(opcode, 0, 4);
            }),
        row(
            "RC_SEND_LAST with 1024 bytes: the message is longer than the 1500 bytes of the"
                + " receive it came to (wr_id 3): at least 2048",
            t -> {
              t.says(Opcode.RC_SEND_FIRST, 0, 1024);
              t.says(Opcode.RC_SEND_LAST, 1, 1024);
            }));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void saysWhy(String words, Consumer<RefusedRequestTest> said) {
    connect(1);
    said.accept(this);
    turn(Transmit.MAX_SEGMENTS);
    try (WorkCompletions done = new WorkCompletions(2)) {
      assertEquals(1, cq.pollOrThrow(done));
      String why = cq.whyFailed(done, 0);
      assertTrue(why.contains(words), why);
    }
  }

  private void connect(int reads) {
    QpBringUp.toRts(
        qp, PlayedPeer.attributes(Mtu.MTU_1024).qpAccessFlags(ALL).maxDestRdAtomic(reads));
    qp.postRecvOrThrow(new RecvRequestList(arena, 1, 1).add().wrId(3).sge(region, 0, 1500));
  }

  /** The first packet of a train of at most {@code segments}. */
  private InboundPacket turn(int segments) {
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), segments);
    InboundPacket first = new InboundPacket();
    if (engine.pollTransmit(0, train) > 0) {
      first.decode(train.buffer(), 0, train.sizeOf(0));
    }
    return first;
  }

  /** Memory can be freed at any time: the packets that were sent before are right. */
  @Test
  void aReadIsRefusedAtThePacketThatCannotBeRead() {
    connect(1);
    try (Arena freed = Arena.ofShared()) {
      MemoryRegion read = pd.registerMemory(freed.allocate(3000, 8), ALL);
      saysReth(Opcode.RC_RDMA_READ_REQUEST, 0, 0, read.iova(), read.rkey(), 3000);
      assertEquals(Opcode.RC_RDMA_READ_RESPONSE_FIRST, turn(1).opcode());
      assertEquals(1, turn(1).psn());
    }
    InboundPacket nak = turn(1);
    assertEquals(Aeth.NAK_REMOTE_ACCESS, nak.syndrome());
    assertEquals(2, nak.psn());
  }

  /** A duplicate is answered again only if it requests the same data or a part of it. */
  @Test
  void aDuplicateThatFitsNoAnswerIsDroppedAndCounted() {
    connect(2);
    long va = region.iova();
    int rkey = region.rkey();
    saysReth(Opcode.RC_RDMA_READ_REQUEST, 0, 0, va, rkey, 8);
    says(Opcode.RC_SEND_ONLY, 1, 0);
    turn(Transmit.MAX_SEGMENTS);
    Opcode read = Opcode.RC_RDMA_READ_REQUEST;
    List<Runnable> duplicates =
        List.of(
            () -> saysReth(read, 1, 0, va, rkey, 8),
            () -> saysReth(read, 0, 0, va, rkey + 1, 8),
            () -> saysReth(read, 0, 0, va + 1, rkey, 7),
            () -> saysReth(read, 0, 0, va, rkey, 9),
            () -> saysReth(read, 0, 0, va, rkey, 0),
            () -> saysAtomic(Opcode.RC_FETCH_ADD, va, rkey),
            () -> saysAtomic(Opcode.RC_COMPARE_SWAP, va, rkey),
            () -> saysReth(Opcode.RC_ATOMIC_WRITE, 0, 8, va, rkey, 8));
    for (int i = 0; i < duplicates.size(); i++) {
      duplicates.get(i).run();
      assertEquals(i + 1, engine.counters().get(Counter.REQUEST_DROPPED), "duplicate " + i);
    }
    saysReth(read, 0, 0, va, rkey, 4);
    assertEquals(Opcode.RC_RDMA_READ_RESPONSE_ONLY, turn(1).opcode());
    assertEquals(duplicates.size(), engine.counters().get(Counter.REQUEST_DROPPED));
  }

  /** An answer without data is no answer to a READ or an atomic request. */
  @Test
  void aDuplicateOfAnotherKindThanAnAtomicWriteIsDroppedAndCounted() {
    connect(2);
    long va = region.iova();
    saysReth(Opcode.RC_ATOMIC_WRITE, 0, 8, va, region.rkey(), 8);
    assertEquals(Opcode.RC_RDMA_READ_RESPONSE_ONLY, turn(1).opcode());
    saysReth(Opcode.RC_RDMA_READ_REQUEST, 0, 0, va, region.rkey(), 8);
    assertEquals(1, engine.counters().get(Counter.REQUEST_DROPPED));
    saysAtomic(Opcode.RC_FETCH_ADD, va, region.rkey());
    assertEquals(2, engine.counters().get(Counter.REQUEST_DROPPED));
  }

  /** As Linux soft-RoCE does: the write is refused when its turn comes, with a receive. */
  @Test
  void aWriteWithImmediateWaitsForAReceiveBeforeItsMemoryIsLookedAt() {
    connect(1);
    says(Opcode.RC_SEND_ONLY, 0, 0);
    turn(1);
    Opcode write = Opcode.RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE;
    saysReth(write, 1, 8, region.iova(), region.rkey() + 1, 8);
    assertTrue(Aeth.isRnrNak(turn(1).syndrome()));
    qp.postRecvOrThrow(new RecvRequestList(arena, 1, 1).add().wrId(4).sge(region, 0, 8));
    saysReth(write, 1, 8, region.iova(), region.rkey() + 1, 8);
    assertEquals(Aeth.NAK_REMOTE_ACCESS, turn(1).syndrome());
  }
}
