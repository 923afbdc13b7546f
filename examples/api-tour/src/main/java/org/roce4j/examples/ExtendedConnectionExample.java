package org.roce4j.examples;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * An extended reliable connection: one pair of queue pairs between two devices, and each message
 * says which of the receiver's shared receive queues it is for. With one queue for each worker, N
 * devices with M workers need N connections each, not N times M.
 */
public final class ExtendedConnectionExample {
  private static final int BYTES = 64;

  private ExtendedConnectionExample() {}

  /** A worker of the receiving side: a shared receive queue, and where its messages complete. */
  private record Worker(
      String name, SharedReceiveQueue srq, CompletionQueue cq, MemoryRegion region) {
    static Worker of(String name, Context context, XrcDomain domain, Arena arena) {
      ProtectionDomain pd = context.allocPd();
      CompletionQueue cq = context.createCq(4);
      MemoryRegion region = pd.registerMemory(arena.allocate(BYTES), AccessFlags.LOCAL_WRITE);
      SharedReceiveQueue srq =
          context.createSrq(
              new SrqInitAttrEx().srqType(SrqType.XRC).pd(pd).xrcd(domain).cq(cq).maxWr(4));
      try (RecvRequestList receive = new RecvRequestList(1, 1)) {
        srq.postRecvOrThrow(receive.add().sge(region, 0, BYTES));
      }
      return new Worker(name, srq, cq, region);
    }
  }

  /** Plays on two emulated devices. */
  public static void main(String[] args) {
    try (Context sender = Verbs.device("roce0").open();
        Context receiver = Verbs.device("roce1").open()) {
      run(sender, receiver, System.out);
    }
  }

  static void run(Context sender, Context receiver, PrintStream out) {
    try (Arena arena = Arena.ofShared();
        XrcDomain domain = receiver.openXrcd(new XrcdInitAttr());
        QueuePair target =
            receiver.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(domain))) {
      List<Worker> workers =
          List.of(
              Worker.of("orders", receiver, domain, arena),
              Worker.of("quotes", receiver, domain, arena));
      ProtectionDomain pd = sender.allocPd();
      CompletionQueue cq = sender.createCq(4);
      QueuePair initiator =
          sender.createQp(
              new QpInitAttr()
                  .qpType(QpType.XRC_SEND)
                  .pd(pd)
                  .sendCq(cq)
                  .cap(new QpCapabilities(4, 0, 1, 0, BYTES)));
      connect(initiator, receiver, target);
      connect(target, sender, initiator);
      for (Worker worker : workers) {
        send("for " + worker.name, initiator, worker.srq.srqNum(), cq);
      }
      for (Worker worker : workers) {
        out.println(worker.name + " received '" + received(worker) + "'");
        worker.srq.close();
      }
    }
  }

  private static void connect(QueuePair qp, Context peer, QueuePair to) {
    QpBringUp.toRts(
        qp,
        QpBringUp.attributes(AhAttr.roce(peer.queryGid(1, 0), 0), to.qpNum())
            .timeout(17)); // 0.5 s, for a peer on a busy machine
  }

  private static void send(String text, QueuePair qp, int srqn, CompletionQueue cq) {
    try (Arena arena = Arena.ofConfined();
        SendRequestList list = new SendRequestList(1, 1, BYTES)) {
      MemorySegment bytes = arena.allocateFrom(text);
      list.add().opcode(WrOpcode.SEND).xrc(srqn).inline(bytes).flags(SendFlags.SIGNALED);
      qp.postSendOrThrow(list);
    }
    await(cq);
  }

  private static String received(Worker worker) {
    await(worker.cq);
    return worker.region.memory().getString(0);
  }

  private static void await(CompletionQueue cq) {
    try (WorkCompletions completions = new WorkCompletions(1)) {
      while (cq.pollOrThrow(completions) == 0) {
        Thread.onSpinWait();
      }
      if (completions.status(0) != WcStatus.SUCCESS) {
        throw new IllegalStateException(cq.whyFailed(completions, 0));
      }
    }
  }
}
