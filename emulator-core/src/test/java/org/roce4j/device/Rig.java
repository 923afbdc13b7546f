package org.roce4j.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.emulator.FabricDevices;
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
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** A device on a virtual network without a peer, for the verbs that need no answer. */
final class Rig implements AutoCloseable {
  static final int SEND_WR = 4;
  static final int RECV_WR = 4;
  static final int SGE = 2;
  static final int INLINE = 16;
  static final Gid NOBODY = Gid.parse("10.0.0.9");

  final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  final Context context = devices.device("rig", Gid.parse("10.0.0.1")).open();
  final ProtectionDomain pd = context.allocPd();
  final CompletionQueue cq = context.createCq(64);
  final Arena arena = Arena.ofShared();
  final MemorySegment memory = arena.allocate(4096, 4096);
  final MemoryRegion region =
      pd.registerMemory(
          memory,
          AccessFlags.LOCAL_WRITE
              | AccessFlags.REMOTE_WRITE
              | AccessFlags.REMOTE_READ
              | AccessFlags.REMOTE_ATOMIC
              | AccessFlags.MW_BIND);

  QpInitAttr init(QpType type) {
    return new QpInitAttr()
        .qpType(type)
        .cq(cq)
        .cap(new QpCapabilities(SEND_WR, RECV_WR, SGE, SGE, INLINE));
  }

  QueuePair create(QpType type) {
    return pd.createQp(init(type));
  }

  /** A queue pair in this state: RESET, INIT, RTR, RTS, SQD or ERR. */
  QueuePair in(QpState state, QpType type, int maxRdAtomic) {
    return in(state, init(type), maxRdAtomic);
  }

  QueuePair in(QpState state, QpInitAttr init, int maxRdAtomic) {
    QueuePair qp = pd.createQp(init);
    QpState last = state.value() > QpState.RTS.value() ? QpState.RTS : state;
    QpBringUp.to(
        last,
        qp,
        QpBringUp.attributes(AhAttr.roce(NOBODY, 0), 99)
            .qpAccessFlags(0)
            .qkey(5)
            .pathMtu(Mtu.MTU_1024)
            .minRnrTimer(1)
            .timeout(0)
            .maxRdAtomic(maxRdAtomic));
    if (state != last) {
      qp.modify(new QpAttr().qpState(state));
    }
    return qp;
  }

  SendRequestList request(WrOpcode opcode) {
    return new SendRequestList(arena, 8, 4, 64).add().opcode(opcode);
  }

  RecvRequestList receive() {
    return new RecvRequestList(arena, 8, 4).add();
  }

  @Override
  public void close() {
    context.close();
    devices.close();
    arena.close();
  }
}
