package org.roce4j.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.device.Device;
import org.roce4j.device.EmulatedContext;
import org.roce4j.device.GidTable;
import org.roce4j.device.PortControl;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.WorkCompletions;

/**
 * An engine without port, thread or clock, with a region of memory and one queue pair. The
 * benchmark carries its datagrams. Confined to one thread.
 */
final class LoneDevice implements AutoCloseable {
  static final int REGION_BYTES = 4 << 20;
  static final int DEPTH = 2048;
  static final int QKEY = 0x1111_1111;

  private static final int BATCH_NS = 1000;

  final Engine engine;
  final ProtectionDomain pd;
  final MemoryRegion memory;
  final ExtendedCompletionQueue cq;
  final QueuePair qp;
  final Gid gid;
  final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  final Inbound inbound = new Inbound();

  private final Arena arena = Arena.ofShared();
  private final Context context;
  private final WorkCompletions completions = new WorkCompletions(arena, 64);
  private long nowNs = 1;

  LoneDevice(Gid gid, QpType type) {
    this.gid = gid;
    Device device =
        new Device(
            Emulator.device(DeviceOptions.of("lone", gid)),
            DeviceLimits.DEFAULT,
            new GidTable(List.of(gid), 0),
            Mtu.MTU_4096,
            new SplittableRandom(gid.low()),
            EngineTrace.NONE);
    device.attach(PortControl.NONE, Progress.NONE);
    engine = device.engine(0);
    context = EmulatedContext.open(device, () -> {});
    pd = context.allocPd();
    memory =
        pd.registerMemory(
            arena.allocate(REGION_BYTES, 4096),
            AccessFlags.LOCAL_WRITE
                | AccessFlags.REMOTE_WRITE
                | AccessFlags.REMOTE_READ
                | AccessFlags.REMOTE_ATOMIC);
    cq = context.createCqEx(new CqInitAttr().cqe(2 * DEPTH));
    qp = createQp(type, DEPTH);
  }

  /** A further queue pair that shares the completion queue. */
  QueuePair createQp(QpType type, int depth) {
    return pd.createQp(
        new QpInitAttr()
            .cq(cq)
            .qpType(type)
            .cap(new QpCapabilities(depth, depth, 1, 1, 64))
            .sendOps(type == QpType.UD ? 0 : SendOpsFlags.WITH_RDMA_WRITE));
  }

  /** Brings the queue pair to RTS, both PSNs starting at 0. */
  void connect(Gid peer, int peerQpn) {
    connect(qp, peer, peerQpn);
  }

  /** Brings any queue pair of this device to RTS, both PSNs starting at 0. */
  static void connect(QueuePair qp, Gid peer, int peerQpn) {
    QpBringUp.toRts(
        qp,
        QpBringUp.attributes(AhAttr.roce(peer, 0), peerQpn)
            .qkey(QKEY)
            .pathMtu(Mtu.MTU_4096)
            .maxRdAtomic(16)
            .maxDestRdAtomic(16));
  }

  /** The work of a duty cycle before it sends; the clock advances. */
  long beginTurn() {
    nowNs += BATCH_NS;
    engine.handleDoorbells(nowNs);
    if (Deadlines.isDue(engine.nextTimeout(), nowNs)) {
      engine.handleTimeout(nowNs);
    }
    return nowNs;
  }

  /** Fills {@link #train}; the number of its datagrams. */
  int nextTrain() {
    return engine.pollTransmit(nowNs, train);
  }

  /** Announces a peer's train, as a port does before it hands the datagrams over. */
  void expect(LoneDevice from) {
    Transmit arriving = from.train;
    engine.expectTrain(arriving.buffer(), 0, arriving.segmentSize(), arriving.length());
  }

  /** Hands a datagram that lies in a peer's train to this engine. */
  void deliver(LoneDevice from, int at, int length) {
    inbound
        .payload(from.train.buffer(), from.train.memory(), at, length)
        .source(from.gid.high(), from.gid.low(), 4791)
        .local(gid.high(), gid.low());
    engine.handleDatagram(nowNs, inbound);
  }

  /** Hands over a datagram from anywhere; its addresses were set before. */
  void deliver(ByteBuffer buffer, MemorySegment bytes, int at, int length) {
    engine.handleDatagram(nowNs, inbound.payload(buffer, bytes, at, length));
  }

  /** Takes completions until there are none; how many. */
  int pollAll() {
    int total = 0;
    for (int count = cq.poll(completions); count > 0; count = cq.poll(completions)) {
      for (int i = 0; i < count; i++) {
        if (completions.statusValue(i) != 0) {
          throw new IllegalStateException(completions.toString(i));
        }
      }
      total += count;
    }
    return total;
  }

  @Override
  public void close() {
    context.close();
    arena.close();
  }
}
