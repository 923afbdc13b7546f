package org.roce4j.tools.pingpong;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
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

/**
 * Does what {@code ibv_xsrq_pingpong} does, as docs/pingpong-protocol.md describes it: one buffer
 * of zeros for everything, one receive for each client, and a completion only for the last send. No
 * software device has XRC, so the C program itself has no peer here.
 */
final class XsrqProgram implements AutoCloseable {
  private static final long LIMIT_NS = 30_000_000_000L;

  private static final int SIZE = 4096;

  private final Arena arena = Arena.ofShared();
  private final Context context;
  private final ProtectionDomain pd;
  private final MemoryRegion buffer;
  private final CompletionQueue sends;
  private final CompletionQueue receives;
  private final XrcDomain domain;
  private final SharedReceiveQueue srq;
  private final List<QueuePair> targets = new ArrayList<>();
  private final List<QueuePair> initiators = new ArrayList<>();
  private final List<XrcAddress> peers = new ArrayList<>();
  private final List<Socket> sockets = new ArrayList<>();
  private final int clients;
  private final int tests;
  private final int[] sent;

  XsrqProgram(Context context, int clients, int tests) {
    this.context = context;
    this.clients = clients;
    this.tests = tests;
    this.sent = new int[clients];
    this.pd = context.allocPd();
    this.buffer = pd.registerMemory(arena.allocate(SIZE, 4096), AccessFlags.LOCAL_WRITE);
    this.domain = context.openXrcd(new XrcdInitAttr());
    this.receives = context.createCq(clients);
    this.sends = context.createCq(clients);
    this.srq =
        context.createSrq(
            new SrqInitAttrEx()
                .srqType(SrqType.XRC)
                .pd(pd)
                .xrcd(domain)
                .cq(receives)
                .maxWr(clients));
    for (int i = 0; i < clients; i++) {
      targets.add(
          initialised(
              new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(domain),
              AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ));
      initiators.add(
          initialised(
              new QpInitAttr()
                  .qpType(QpType.XRC_SEND)
                  .pd(pd)
                  .sendCq(sends)
                  .cap(new QpCapabilities(clients * tests, 0, 1, 0)),
              0));
      postReceive();
    }
  }

  private QueuePair initialised(QpInitAttr attr, int access) {
    QueuePair qp = context.createQp(attr);
    QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes().qpAccessFlags(access));
    return qp;
  }

  /** The address exchange of the next client, in the order of either side. */
  void exchange(Socket socket, boolean speaksFirst) throws IOException {
    int index = peers.size();
    int psn = 0xfffffe + index & 0xffffff;
    Gid gid = context.queryGid(1, 0);
    XrcAddress own =
        new XrcAddress(
            new ExchangedAddress(0, targets.get(index).qpNum(), psn, gid),
            initiators.get(index).qpNum(),
            srq.srqNum());
    if (speaksFirst) {
      socket.getOutputStream().write(own.encode());
    }
    byte[] message = socket.getInputStream().readNBytes(XrcAddress.LENGTH);
    XrcAddress peer = XrcAddress.decode(message).orElseThrow();
    if (!speaksFirst) {
      socket.getOutputStream().write(own.encode());
    }
    sockets.add(socket);
    peers.add(peer);
    connect(targets.get(index), psn, peer, peer.senderQpn());
    connect(initiators.get(index), psn, peer, peer.target().qpn());
  }

  private static void connect(QueuePair qp, int psn, XrcAddress peer, int qpn) {
    QpBringUp.toRts(
        qp,
        QpBringUp.attributes(AhAttr.roce(peer.target().gid(), 0), qpn)
            .pathMtu(Mtu.MTU_1024)
            .rqPsn(peer.target().psn())
            .sqPsn(psn)
            .timeout(20)
            .maxDestRdAtomic(0)
            .maxRdAtomic(0));
  }

  private void postReceive() {
    try (RecvRequestList list = new RecvRequestList(1, 1)) {
      srq.postRecvOrThrow(list.add().sge(buffer, 0, SIZE));
    }
  }

  private void postSend(int index) {
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      QueuePair qp = initiators.get((index + sent[index]) % clients);
      int flags = ++sent[index] >= tests ? SendFlags.SIGNALED : 0;
      list.add().opcode(WrOpcode.SEND).flags(flags).xrc(peers.get(index).srqn());
      qp.postSendOrThrow(list.sge(buffer, 0, SIZE));
    }
  }

  /** Plays to the end; the server sends first. */
  MemorySegment play(boolean server) throws IOException {
    for (int i = 0; server && i < clients; i++) {
      postSend(i);
    }
    try (WorkCompletions wc = new WorkCompletions(1)) {
      for (int count = 0; count < clients * tests; count++) {
        await(receives, wc);
        postReceive();
        int index = index(wc.qpNum(0));
        if (sent[index] < tests) {
          postSend(index);
        }
      }
      for (int i = 0; i < clients; i++) {
        await(sends, wc);
      }
    }
    if (!server) {
      say(sockets);
    }
    for (Socket socket : sockets) {
      byte[] last = socket.getInputStream().readNBytes(4);
      if (!"END\0".equals(new String(last, StandardCharsets.US_ASCII))) {
        throw new IOException("Invalid termination ack was accepted");
      }
    }
    if (server) {
      say(sockets);
    }
    return buffer.memory();
  }

  private static void say(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.getOutputStream().write("END\0".getBytes(StandardCharsets.US_ASCII));
    }
  }

  private int index(int qpn) {
    for (int i = 0; clients > 1 && i < clients; i++) {
      if (targets.get(i).qpNum() == qpn) {
        return i;
      }
    }
    return 0;
  }

  private static void await(CompletionQueue cq, WorkCompletions wc) {
    long startNs = System.nanoTime();
    while (cq.pollOrThrow(wc) == 0) {
      if (System.nanoTime() - startNs > LIMIT_NS) {
        throw new IllegalStateException("nothing completed in 30 s on " + cq);
      }
      Thread.onSpinWait();
    }
    if (wc.status(0) != WcStatus.SUCCESS) {
      throw new IllegalStateException(cq.whyFailed(wc, 0));
    }
  }

  @Override
  public void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    context.close();
    arena.close();
  }
}
