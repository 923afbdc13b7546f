package org.roce4j.robustness;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
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
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** One end of a reliable connection, with its context. Only verbs are thread-safe. */
final class RcSide implements AutoCloseable {
  static final int DEPTH = RdmaEnd.DEPTH;
  static final int ALL_RIGHTS = RdmaEnd.ALL_RIGHTS;
  private static final int FIRST_PSN = 0xFFFFF0;

  final Arena arena = Arena.ofShared();
  final Context context;
  final Gid gid;
  final ProtectionDomain pd;
  final CompletionChannel channel;
  final CompletionQueue cq;
  final MemoryRegion mr;
  final QueuePair qp;
  private final RdmaEnd end;

  /** A polled completion. */
  record Completion(long wrId, WcStatus status, int bytes) {}

  RcSide(RdmaDevice device, int bytes) {
    this(device.open(), bytes);
  }

  RcSide(Context context, int bytes) {
    this(context, bytes, 0);
  }

  /**
   * @param vector completion vector of the completion queue, which selects the engine of its queue
   *     pairs
   */
  RcSide(Context context, int bytes, int vector) {
    this.context = context;
    end = new RdmaEnd(context, QpType.RC, bytes, vector);
    gid = end.gid();
    pd = end.pd();
    channel = end.channel();
    cq = end.cq();
    mr = end.region();
    qp = end.qp();
  }

  /** Another queue pair on the same completion queue, in RESET. Only the context refers to it. */
  QueuePair queuePair() {
    return pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(DEPTH, DEPTH, 1, 1, 0)));
  }

  /** Connects both queue pairs. */
  static void connect(RcSide a, RcSide b, int timeout, int retries) {
    connect(a.qp, b.gid, b.qp.qpNum(), timeout, retries);
    connect(b.qp, a.gid, a.qp.qpNum(), timeout, retries);
  }

  /** Takes a queue pair from RESET to RTS, toward any address and number. */
  static void connect(QueuePair qp, Gid peer, int peerQpn, int timeout, int retries) {
    QpBringUp.toRts(qp, attributes(peer, peerQpn).timeout(timeout).retryCnt(retries));
  }

  static QpAttr attributes(Gid peer, int peerQpn) {
    return QpBringUp.attributes(AhAttr.roce(peer, 0), peerQpn)
        .qpAccessFlags(ALL_RIGHTS)
        .pathMtu(Mtu.MTU_1024)
        .rqPsn(FIRST_PSN)
        .sqPsn(FIRST_PSN)
        .maxRdAtomic(8)
        .maxDestRdAtomic(8);
  }

  MemorySegment memory() {
    return mr.memory();
  }

  int send(long wrId, long offset, int bytes) {
    return qp.postSend(end.request(wrId, WrOpcode.SEND, offset, bytes));
  }

  /** Posts an RDMA operation. */
  int rdma(WrOpcode opcode, long wrId, long offset, int bytes, long remote, int rkey) {
    return qp.postSend(end.request(wrId, opcode, offset, bytes).remote(remote, rkey));
  }

  int receive(long wrId, long offset, int bytes) {
    return qp.postRecv(end.receive(wrId, offset, bytes));
  }

  /** Polls the completions that are there. */
  List<Completion> poll() {
    return end.poll().stream()
        .map(done -> new Completion(done.wrId(), done.status(), done.bytes()))
        .toList();
  }

  /** Polls until there are {@code count} completions, for at most 30 seconds. */
  List<Completion> await(int count) {
    List<Completion> all = new ArrayList<>();
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (all.size() < count && System.nanoTime() - deadline < 0) {
      List<Completion> more = poll();
      all.addAll(more);
      if (more.isEmpty()) {
        Thread.yield();
      }
    }
    return all;
  }

  @Override
  public void close() {
    context.close();
    arena.close();
  }
}
