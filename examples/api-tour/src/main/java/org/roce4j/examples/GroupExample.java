package org.roce4j.examples;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;
import org.roce4j.verbs.cm.UdParam;

/**
 * A group by the connection manager: it makes the queue pairs for datagrams, joins, and says how
 * the group is reached.
 */
public final class GroupExample {
  private static final int HEADER = 40;
  private static final int SIZE = 64;
  private static final int TIMEOUT_MS = 2000;

  private GroupExample() {}

  /** Plays on two emulated devices. */
  public static void main(String[] args) {
    try (Context first = Verbs.device("roce0").open();
        Context second = Verbs.device("roce1").open()) {
      run(first, second, InetAddress.ofLiteral("239.4.9.90"), System.out);
    }
  }

  static void run(Context first, Context second, InetAddress group, PrintStream out) {
    try (Member sender = new Member(first, group);
        Member hearer = new Member(second, group)) {
      hearer.postReceive();
      sender.send("hello, group");
      out.println("a member received: " + hearer.receive());
    }
  }

  /** An id in the group; its calls wait. */
  private static final class Member implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final WorkCompletions completion = new WorkCompletions(arena, 1);
    private final RdmaCm cm;
    private final CmId id;
    private final UdParam where;
    private final MemoryRegion message;

    Member(Context device, InetAddress group) {
      cm = RdmaCm.open(device);
      id = cm.createId(PortSpace.UDP);
      id.resolveAddr(null, new InetSocketAddress(group, 0), TIMEOUT_MS);
      id.createQp(
          null,
          new QpInitAttr().qpType(QpType.UD).cap(new QpCapabilities(1, 1, 1, 1)).sqSigAll(true));
      id.joinMulticast(group, null);
      where = id.event().ud();
      message = RdmaVerbs.regMsgs(id, arena.allocate(HEADER + SIZE));
    }

    void postReceive() {
      RdmaVerbs.postRecv(id, 1, message.memory(), message);
    }

    void send(String text) {
      MemorySegment words = message.memory().asSlice(HEADER, SIZE);
      words.setString(0, text);
      try (AddressHandle everyone = id.pd().createAh(where.ahAttr())) {
        RdmaVerbs.postUdSend(id, 2, words, message, 0, everyone, where.qpNum());
        RdmaVerbs.getSendComp(id, completion);
        demandSuccess();
      }
    }

    String receive() {
      RdmaVerbs.getRecvComp(id, completion);
      demandSuccess();
      return message.memory().getString(HEADER);
    }

    private void demandSuccess() {
      if (completion.status(0) != WcStatus.SUCCESS) {
        throw new IllegalStateException(completion.toString(0));
      }
    }

    @Override
    public void close() {
      id.close();
      message.close();
      cm.close();
      arena.close();
    }
  }
}
