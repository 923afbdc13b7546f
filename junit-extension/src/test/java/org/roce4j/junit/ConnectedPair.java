package org.roce4j.junit;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Two connected queue pairs and the messages that go from the first to the second. */
final class ConnectedPair {
  private static final int SIZE = 4096;

  private final End sender;
  private final End receiver;

  ConnectedPair(Context from, Context to) {
    sender = new End(from);
    receiver = new End(to);
    sender.connect(receiver);
    receiver.connect(sender);
  }

  /** Sends so many messages, one after the other; says how the last one that completed ended. */
  WcStatus send(int messages) {
    try (RecvRequestList receives = new RecvRequestList(1, 1);
        SendRequestList sends = new SendRequestList(1, 1, 0)) {
      for (int i = 0; i < messages; i++) {
        sender.memory.memory().set(ValueLayout.JAVA_INT, 0, i);
        receiver.qp.postRecv(receives.clear().add().sge(receiver.memory, 0, SIZE));
        sender.qp.postSend(
            sends
                .clear()
                .add()
                .opcode(WrOpcode.SEND)
                .flags(SendFlags.SIGNALED)
                .sge(sender.memory, 0, SIZE));
        WcStatus status = sender.next();
        if (status != WcStatus.SUCCESS || receiver.next() != WcStatus.SUCCESS) {
          return status;
        }
        if (receiver.memory.memory().get(ValueLayout.JAVA_INT, 0) != i) {
          throw new AssertionError("message " + i + " did not arrive");
        }
      }
    }
    return WcStatus.SUCCESS;
  }

  private static final class End {
    final MemoryRegion memory;
    final CompletionQueue cq;
    final QueuePair qp;

    End(Context context) {
      ProtectionDomain pd = context.allocPd();
      MemorySegment segment = Arena.ofAuto().allocate(SIZE, 64);
      memory = pd.registerMemory(segment, AccessFlags.LOCAL_WRITE);
      cq = context.createCq(4);
      qp =
          pd.createQp(
              new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0)));
    }

    Gid gid() {
      return qp.context().queryGid(1, 0);
    }

    Mtu mtu() {
      return qp.context().queryPort(1).activeMtu();
    }

    void connect(End peer) {
      qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
      qp.modify(
          new QpAttr()
              .qpState(QpState.RTR)
              .pathMtu(mtu())
              .destQpNum(peer.qp.qpNum())
              .rqPsn(0)
              .maxDestRdAtomic(1)
              .minRnrTimer(12)
              .ahAttr(AhAttr.roce(peer.gid(), 0)));
      qp.modify(
          new QpAttr()
              .qpState(QpState.RTS)
              .timeout(15)
              .retryCnt(7)
              .rnrRetry(7)
              .sqPsn(0)
              .maxRdAtomic(1));
    }

    WcStatus next() {
      try (WorkCompletions completions = new WorkCompletions(1)) {
        while (cq.poll(completions) == 0) {
          Thread.onSpinWait();
        }
        return completions.status(0);
      }
    }
  }
}
