package org.roce4j.robustness;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
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
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** One end of a reliable connection with all that belongs to it. Not thread-safe but for verbs. */
final class Side implements AutoCloseable {
  static final int DEPTH = 64;
  static final int FIRST_PSN = 0xFFFFF0;
  static final int ALL_RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  final Arena arena = Arena.ofShared();
  final Context context;
  final Gid gid;
  final ProtectionDomain pd;
  final CompletionChannel channel;
  final CompletionQueue cq;
  final MemoryRegion mr;
  final QueuePair qp;
  private final SendRequestList sends = new SendRequestList(arena, 1, 1, 0);
  private final RecvRequestList receives = new RecvRequestList(arena, 1, 1);
  private final WorkCompletions completions = new WorkCompletions(arena, 16);

  /** What a poll gave. */
  record Completion(long wrId, WcStatus status, int bytes) {}

  Side(RdmaDevice device, int bytes) {
    this(device.open(), bytes);
  }

  Side(Context context, int bytes) {
    this(context, bytes, 0);
  }

  /**
   * @param vector of the completion queue: where a device has several engines, that of its queue
   *     pairs
   */
  Side(Context context, int bytes, int vector) {
    this.context = context;
    gid = context.queryGid(1, 0);
    pd = context.allocPd();
    channel = context.createCompletionChannel();
    cq = context.createCq(4 * DEPTH, null, channel, vector);
    mr = pd.registerMemory(arena.allocate(bytes, 4096), ALL_RIGHTS);
    qp = queuePair();
  }

  /** Another queue pair on the same completion queue, in RESET. */
  QueuePair queuePair() {
    return pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(DEPTH, DEPTH, 1, 1, 64)));
  }

  /** Connects both queue pairs. */
  static void connect(Side a, Side b, int timeout, int retries) {
    connect(a.qp, b.gid, b.qp.qpNum(), timeout, retries);
    connect(b.qp, a.gid, a.qp.qpNum(), timeout, retries);
  }

  /** Brings a queue pair from RESET to RTS, toward any address and number. */
  static void connect(QueuePair qp, Gid peer, int peerQpn, int timeout, int retries) {
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(ALL_RIGHTS));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(Mtu.MTU_1024)
            .destQpNum(peerQpn)
            .rqPsn(FIRST_PSN)
            .maxDestRdAtomic(8)
            .minRnrTimer(12)
            .ahAttr(AhAttr.roce(peer, 0)));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTS)
            .timeout(timeout)
            .retryCnt(retries)
            .rnrRetry(7)
            .sqPsn(FIRST_PSN)
            .maxRdAtomic(8));
  }

  MemorySegment memory() {
    return mr.memory();
  }

  int send(long wrId, long offset, int bytes) {
    sends.clear().add().wrId(wrId).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
    return qp.postSend(sends.sge(mr, offset, bytes));
  }

  /** Posts an RDMA operation. */
  int rdma(WrOpcode opcode, long wrId, long offset, int bytes, long remote, int rkey) {
    sends.clear().add().wrId(wrId).opcode(opcode).flags(SendFlags.SIGNALED);
    return qp.postSend(sends.sge(mr, offset, bytes).remote(remote, rkey));
  }

  int receive(long wrId, long offset, int bytes) {
    receives.clear().add().wrId(wrId);
    return qp.postRecv(receives.sge(mr, offset, bytes));
  }

  /** What is there now. */
  List<Completion> poll() {
    int count = cq.poll(completions);
    if (count < 0) {
      throw new IllegalStateException("poll gave " + count);
    }
    List<Completion> polled = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      polled.add(
          new Completion(completions.wrId(i), completions.status(i), completions.byteLength(i)));
    }
    return polled;
  }

  /** Polls until there are so many, for at most ten seconds. */
  List<Completion> await(int count) {
    List<Completion> all = new ArrayList<>();
    long end = System.nanoTime() + 10_000_000_000L;
    while (all.size() < count && System.nanoTime() - end < 0) {
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
