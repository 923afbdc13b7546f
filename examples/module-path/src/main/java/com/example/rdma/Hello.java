package com.example.rdma;

import java.lang.foreign.Arena;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
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
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** A message from one queue pair to another over the loopback interface, and where it came from. */
public final class Hello {
  private static final int SIZE = 64;
  private static final int PORT = 1;
  private static final int GID_INDEX = 0;

  private Hello() {}

  /** Sends and receives it, on one thread. */
  public static void main(String[] args) {
    try (Arena arena = Arena.ofShared();
        Context device = Verbs.device("roce0").open();
        ProtectionDomain pd = device.allocPd();
        MemoryRegion memory =
            pd.registerMemory(arena.allocate(2 * SIZE, 8), AccessFlags.LOCAL_WRITE);
        CompletionQueue cq = device.createCq(4);
        QueuePair sender = queuePair(pd, cq);
        QueuePair receiver = queuePair(pd, cq)) {
      connect(sender, receiver, device);
      connect(receiver, sender, device);

      receiver.postRecvOrThrow(
          new RecvRequestList(arena, 1, 1).add().wrId(1).sge(memory, SIZE, SIZE));
      memory.memory().setString(0, "hello, modules");
      sender.postSendOrThrow(
          new SendRequestList(arena, 1, 1, 0)
              .add()
              .wrId(2)
              .opcode(WrOpcode.SEND)
              .flags(SendFlags.SIGNALED)
              .sge(memory, 0, SIZE));
      await(2, cq, new WorkCompletions(arena, 2));

      System.out.println(
          memory.memory().getString(SIZE) + ", by " + device.getClass().getModule().getName());
    }
  }

  private static QueuePair queuePair(ProtectionDomain pd, CompletionQueue cq) {
    QueuePair qp =
        pd.createQp(
            new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0)));
    qp.modify(new QpAttr().qpState(QpState.INIT).portNum(PORT).pkeyIndex(0).qpAccessFlags(0));
    return qp;
  }

  private static void connect(QueuePair qp, QueuePair peer, Context device) {
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(device.queryPort(PORT).activeMtu())
            .destQpNum(peer.qpNum())
            .rqPsn(0)
            .maxDestRdAtomic(1)
            .minRnrTimer(12) // 0.64 ms
            .ahAttr(AhAttr.roce(device.queryGid(PORT, GID_INDEX), GID_INDEX)));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTS)
            .timeout(14) // 67 ms
            .retryCnt(7)
            .rnrRetry(7) // without end
            .sqPsn(0)
            .maxRdAtomic(1));
  }

  private static void await(int count, CompletionQueue cq, WorkCompletions completions) {
    for (int seen = 0; seen < count; ) {
      int polled = cq.poll(completions);
      for (int i = 0; i < polled; i++) {
        if (completions.status(i) != WcStatus.SUCCESS) {
          throw new IllegalStateException(completions.toString(i));
        }
      }
      seen += polled;
    }
  }
}
