package org.roce4j.examples.flows;

import java.lang.foreign.Arena;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/** The prerequisites of a flow: a queue pair in RTS that is its own peer, and memory. */
final class OwnPeer implements AutoCloseable {
  static final int BYTES = 4096;

  final Arena arena = Arena.ofShared();
  final Context context;
  final ProtectionDomain pd;
  final CompletionChannel channel;
  final CompletionQueue cq;
  final MemoryRegion region;
  final QueuePair qp;

  OwnPeer(RdmaDevice device) {
    context = device.open();
    pd = context.allocPd();
    channel = context.createCompletionChannel();
    cq = context.createCq(16, null, channel, 0);
    region =
        pd.registerMemory(
            arena.allocate(BYTES, 4096), AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    qp =
        pd.createQp(
            new QpInitAttr()
                .qpType(QpType.RC)
                .cq(cq)
                .sendOps(SendOpsFlags.WITH_RDMA_WRITE | SendOpsFlags.WITH_RDMA_WRITE_WITH_IMM)
                .cap(new QpCapabilities(8, 8, 1, 1)));
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(context.queryGid(1, 0), 0), qp.qpNum()));
  }

  void postReceive(long wrId, int offset, int bytes) {
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      qp.postRecvOrThrow(list.add().wrId(wrId).sge(region, offset, bytes));
    }
  }

  /** The next completion of a queue. */
  static void await(CompletionQueue cq, WorkCompletions wc) {
    while (cq.pollOrThrow(wc) == 0) {
      Thread.onSpinWait();
    }
    if (wc.status(0) != WcStatus.SUCCESS) {
      throw new IllegalStateException(cq.whyFailed(wc, 0));
    }
  }

  /** Closes the context, and with it all that was made of it. */
  @Override
  public void close() {
    context.close();
    arena.close();
  }
}
