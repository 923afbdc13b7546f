package org.roce4j.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Limit;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** Two devices on a virtual network, one with initiators, one with an XRC domain. */
final class XrcRig implements AutoCloseable {
  static final Gid NEAR = Gid.parse("10.0.0.1");
  static final Gid FAR = Gid.parse("10.0.0.2");
  static final int BYTES = 4096;
  static final int ALL_RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC
          | AccessFlags.MW_BIND;

  final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  final Arena arena = Arena.ofShared();
  final EmulatedDevice farDevice;
  final Context near;
  final Context far;
  final ProtectionDomain nearPd;
  final CompletionQueue nearCq;
  final MemorySegment nearMemory = arena.allocate(BYTES, 4096);
  final MemoryRegion nearRegion;
  final XrcDomain xrcd;
  private final WorkCompletions completions = new WorkCompletions(arena, 1);

  /** A shared receive queue with its domain, completion queue and memory. */
  final class Receiver {
    final ProtectionDomain pd = far.allocPd();
    final CompletionQueue cq;
    final MemorySegment memory = arena.allocate(BYTES, 4096);
    final MemoryRegion region = pd.registerMemory(memory, ALL_RIGHTS);
    final SharedReceiveQueue srq;

    Receiver(XrcDomain domain, int cqe) {
      cq = far.createCq(cqe);
      srq = far.createSrq(attr(domain));
    }

    SrqInitAttrEx attr(XrcDomain domain) {
      return new SrqInitAttrEx()
          .srqType(SrqType.XRC)
          .pd(pd)
          .xrcd(domain)
          .cq(cq)
          .maxWr(64)
          .maxSge(2);
    }

    void post(long wrId, int at, int bytes) {
      srq.postRecvOrThrow(new RecvRequestList(arena, 1, 2).add().wrId(wrId).sge(region, at, bytes));
    }
  }

  XrcRig(int engines) {
    farDevice =
        devices.device(
            devices.options("far", FAR).withEngines(engines).withLimit(Limit.MAX_QP, 64));
    near = devices.device(devices.options("near", NEAR).withEngines(engines)).open();
    far = farDevice.open();
    nearPd = near.allocPd();
    nearCq = near.createCq(256);
    nearRegion = nearPd.registerMemory(nearMemory, ALL_RIGHTS);
    xrcd = far.openXrcd(new XrcdInitAttr());
    for (int i = 0; i < BYTES; i++) {
      nearMemory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + 1));
    }
  }

  Receiver receiver() {
    return new Receiver(xrcd, 64);
  }

  QueuePair initiator() {
    return near.createQp(
        new QpInitAttr()
            .qpType(QpType.XRC_SEND)
            .pd(nearPd)
            .sendCq(nearCq)
            .cap(new QpCapabilities(64, 0, 2, 0, 64)));
  }

  QueuePair target() {
    return far.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
  }

  /** Connects an initiator in RTS with a target, for which RTR is enough. */
  QueuePair connected(QueuePair target) {
    QueuePair initiator = initiator();
    connect(initiator, target);
    return initiator;
  }

  static void connect(QueuePair initiator, QueuePair target) {
    QpBringUp.toRts(initiator, attributes(FAR, target.qpNum()));
    if (target.state() == QpState.RESET) {
      QpBringUp.to(QpState.RTR, target, attributes(NEAR, initiator.qpNum()));
    }
  }

  static QpAttr attributes(Gid peer, int number) {
    return QpBringUp.attributes(AhAttr.roce(peer, 0), number)
        .pathMtu(Mtu.MTU_256)
        .maxRdAtomic(4)
        .maxDestRdAtomic(4);
  }

  /** A signaled request to a shared receive queue, without its operands. */
  SendRequestList request(long wrId, WrOpcode opcode, int srqn) {
    return new SendRequestList(arena, 1, 2, 64)
        .add()
        .wrId(wrId)
        .opcode(opcode)
        .flags(SendFlags.SIGNALED)
        .xrc(srqn);
  }

  SendRequestList send(long wrId, int srqn, int bytes) {
    return request(wrId, WrOpcode.SEND, srqn).sge(nearRegion, 0, bytes);
  }

  /** The next completion. */
  WorkCompletions next(CompletionQueue cq) {
    for (int i = 0; i < 10_000; i++) {
      if (cq.poll(completions) == 1) {
        return completions;
      }
    }
    throw new AssertionError("no completion in " + cq);
  }

  /** The completion that was polled last. */
  WorkCompletions last() {
    return completions;
  }

  boolean nothing(CompletionQueue cq) {
    for (int i = 0; i < 100; i++) {
      if (cq.poll(completions) != 0) {
        return false;
      }
    }
    return true;
  }

  WcStatus status(QueuePair qp, SendRequestList request) {
    qp.postSendOrThrow(request);
    return next(nearCq).status(0);
  }

  @Override
  public void close() {
    near.close();
    far.close();
    devices.close();
    arena.close();
  }
}
