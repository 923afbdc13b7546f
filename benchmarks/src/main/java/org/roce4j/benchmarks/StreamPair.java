package org.roce4j.benchmarks;

import java.lang.foreign.Arena;
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
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * A reliable connection between two devices of one process, over which messages stream from left to
 * right with many posted at a time. Confined to one thread.
 */
final class StreamPair implements AutoCloseable {
  private static final int DEPTH = 128;

  private final Arena arena = Arena.ofShared();
  private final End left;
  private final End right;
  private final int bytes;

  /** One side. */
  private final class End implements AutoCloseable {
    final Context context;
    final MemoryRegion memory;
    final CompletionQueue cq;
    final QueuePair qp;
    final WorkCompletions completions = new WorkCompletions(arena, 64);

    End(Context context) {
      this.context = context;
      ProtectionDomain pd = context.allocPd();
      memory =
          pd.registerMemory(
              arena.allocate(bytes, 4096),
              AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE);
      cq = context.createCq(4 * DEPTH, null, null, 0);
      qp =
          pd.createQp(
              new QpInitAttr()
                  .cq(cq)
                  .qpType(QpType.RC)
                  .cap(new QpCapabilities(DEPTH, 2 * DEPTH, 1, 1, 0)));
    }

    void connect(End peer, Gid peerGid) {
      QpBringUp.toRts(
          qp,
          QpBringUp.attributes(AhAttr.roce(peerGid, 0), peer.qp.qpNum())
              .pathMtu(Mtu.MTU_4096)
              .maxRdAtomic(16)
              .maxDestRdAtomic(16));
    }

    int poll() {
      int count = cq.poll(completions);
      for (int i = 0; i < count; i++) {
        if (completions.statusValue(i) != 0) {
          throw new IllegalStateException(completions.toString(i));
        }
      }
      return count;
    }

    @Override
    public void close() {
      context.close();
    }
  }

  /**
   * @param bytes of a message
   */
  StreamPair(Context left, Gid leftGid, Context right, Gid rightGid, int bytes) {
    this.bytes = bytes;
    this.left = new End(left);
    this.right = new End(right);
    this.left.connect(this.right, rightGid);
    this.right.connect(this.left, leftGid);
  }

  /** Sends {@code messages} messages; returns when all have completed. */
  void run(WrOpcode opcode, long messages) {
    SendRequestList send = new SendRequestList(1, 1, 0);
    send.add().wrId(1).opcode(opcode).flags(SendFlags.SIGNALED).sge(left.memory, 0, bytes);
    if (opcode != WrOpcode.SEND) {
      send.remote(right.memory.iova(), right.memory.rkey());
    }
    RecvRequestList receive = new RecvRequestList(1, 1);
    receive.add().wrId(2).sge(right.memory, 0, bytes);
    long posted = 0;
    long received = 0;
    long completed = 0;
    while (completed < messages) {
      for (; opcode == WrOpcode.SEND && received < posted + DEPTH; received++) {
        demand(right.qp.postRecv(receive));
      }
      for (; posted < messages && posted < completed + DEPTH; posted++) {
        demand(left.qp.postSend(send));
      }
      completed += left.poll();
      for (int count = right.poll(); count > 0; count = right.poll()) {
        // Its receive requests are counted when they are posted.
      }
    }
  }

  private static void demand(int errno) {
    if (errno != 0) {
      throw new IllegalStateException("posting failed: errno " + errno);
    }
  }

  @Override
  public void close() {
    left.close();
    right.close();
    arena.close();
  }
}
