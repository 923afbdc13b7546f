package org.roce4j.examples;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
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

/**
 * Datagrams: one is sent to a multicast group, every member receives it, and each answers the
 * sender alone, at the address in the network header before the message.
 */
public final class MulticastExample {
  /** Both sides must use the same. */
  private static final int QKEY = 0x01234567;

  private static final int PORT = 1;
  private static final int GID_INDEX = 0;
  private static final int HEADER = GlobalRouteHeader.SIZE;
  private static final int SIZE = 64;

  private MulticastExample() {}

  /** Plays on two emulated devices; the sender's is a member too. */
  public static void main(String[] args) {
    try (Context first = Verbs.device("roce0").open();
        Context second = Verbs.device("roce1").open()) {
      run(first, second, Gid.parse("239.4.7.91"), System.out);
    }
  }

  static void run(Context first, Context second, Gid group, PrintStream out) {
    try (Station sender = new Station(first);
        Station near = new Station(first);
        Station far = new Station(second)) {
      near.join(group);
      far.join(group);
      sender.postReceive();

      sender.send("hello, all", group, QueuePair.MULTICAST_QPN);
      for (Station member : new Station[] {near, far}) {
        Datagram hello = member.receive();
        out.println("a member received: " + hello.text());
        member.send("hello, you", hello.sender(), hello.senderQpNum());
        out.println("the sender heard:  " + sender.receive().text());
        sender.postReceive();
      }
    }
  }

  /** A received message, and the address to answer. */
  record Datagram(String text, Gid sender, int senderQpNum) {}

  /** A queue pair for datagrams with all it needs. */
  static final class Station implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final ProtectionDomain pd;
    private final MemoryRegion outgoing;
    private final MemoryRegion incoming;
    private final CompletionQueue sendCq;
    private final CompletionQueue recvCq;
    private final QueuePair qp;
    private final SendRequestList sends = new SendRequestList(arena, 1, 1, 0);
    private final RecvRequestList receives = new RecvRequestList(arena, 1, 1);
    private final WorkCompletions completions = new WorkCompletions(arena, 1);
    private Gid group;

    Station(Context context) {
      pd = context.allocPd();
      outgoing = pd.registerMemory(arena.allocate(SIZE, 8), AccessFlags.LOCAL_WRITE);
      incoming = pd.registerMemory(arena.allocate(HEADER + SIZE, 8), AccessFlags.LOCAL_WRITE);
      sendCq = context.createCq(1);
      recvCq = context.createCq(1);
      qp =
          pd.createQp(
              new QpInitAttr()
                  .qpType(QpType.UD)
                  .sendCq(sendCq)
                  .recvCq(recvCq)
                  .cap(new QpCapabilities(1, 1, 1, 1, 0)));
      qp.modify(new QpAttr().qpState(QpState.INIT).portNum(PORT).pkeyIndex(0).qkey(QKEY));
      qp.modify(new QpAttr().qpState(QpState.RTR));
      qp.modify(new QpAttr().qpState(QpState.RTS).sqPsn(0));
    }

    void join(Gid wanted) {
      postReceive();
      qp.attachMulticast(wanted);
      group = wanted;
    }

    void postReceive() {
      receives.clear().add().wrId(1).sge(incoming, 0, HEADER + SIZE);
      qp.postRecvOrThrow(receives);
    }

    void send(String text, Gid to, int qpNum) {
      outgoing.memory().setString(0, text);
      try (AddressHandle destination = pd.createAh(AhAttr.roce(to, GID_INDEX))) {
        sends.clear().add().wrId(2).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
        sends.sge(outgoing, 0, SIZE).ud(destination, qpNum, QKEY);
        qp.postSendOrThrow(sends);
        await(sendCq);
      }
    }

    Datagram receive() {
      await(recvCq);
      MemorySegment bytes = incoming.memory();
      return new Datagram(
          bytes.getString(HEADER), GlobalRouteHeader.sgid(bytes, 0), completions.sourceQp(0));
    }

    private void await(CompletionQueue cq) {
      while (cq.poll(completions) == 0) {
        Thread.onSpinWait();
      }
      if (completions.status(0) != WcStatus.SUCCESS) {
        throw new IllegalStateException(completions.toString(0));
      }
    }

    @Override
    public void close() {
      if (group != null) {
        qp.detachMulticast(group);
      }
      qp.close();
      sendCq.close();
      recvCq.close();
      outgoing.close();
      incoming.close();
      pd.close();
      arena.close();
    }
  }
}
