package org.roce4j.robustness;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * A connection whose traffic must not be disturbed: SEND, RDMA WRITE and RDMA READ in turn, one
 * message at a time, every byte verified. Driven by one thread.
 */
final class Bystander {
  private static final int LONGEST = 20_000;

  private final End from;
  private final End to;
  private final SplittableRandom random;
  private long number;
  private long verifiedBytes;
  private WrOpcode opcode;
  private int size;
  private int due;

  /** One of the two ends. */
  private static final class End {
    final CompletionQueue cq;
    final MemoryRegion mr;
    final QueuePair qp;
    final SendRequestList sends = new SendRequestList(1, 1, 0);
    final RecvRequestList receives = new RecvRequestList(1, 1);
    final WorkCompletions completions = new WorkCompletions(4);

    End(Context context, GuardedMemory memory) {
      ProtectionDomain pd = context.allocPd();
      cq = context.createCq(16);
      mr = pd.registerMemory(memory.piece(LONGEST), RcSide.ALL_RIGHTS & ~AccessFlags.REMOTE_ATOMIC);
      qp = pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(4, 4, 1, 1)));
    }

    /** The number of requests that completed, which must have succeeded. */
    int poll() {
      int count = cq.poll(completions);
      for (int i = 0; i < count; i++) {
        if (completions.status(i) != WcStatus.SUCCESS) {
          throw new AssertionError("a bystander failed: " + completions.toString(i));
        }
      }
      if (count < 0) {
        throw new AssertionError("poll gave " + count);
      }
      return count;
    }
  }

  Bystander(Context from, Context to, GuardedMemory memory, long seed) {
    this.from = new End(from, memory);
    this.to = new End(to, memory);
    random = new SplittableRandom(seed);
    RcSide.connect(this.from.qp, to.queryGid(1, 0), this.to.qp.qpNum(), 14, 7);
    RcSide.connect(this.to.qp, from.queryGid(1, 0), this.from.qp.qpNum(), 14, 7);
  }

  /** The queue pair that the messages go to. */
  QueuePair target() {
    return to.qp;
  }

  /** The queue pair that the messages come from. */
  QueuePair source() {
    return from.qp;
  }

  long messages() {
    return number;
  }

  long verifiedBytes() {
    return verifiedBytes;
  }

  /** Whether no message is under way. */
  boolean idle() {
    return due == 0;
  }

  /** Posts the next message. */
  void start() {
    opcode =
        switch ((int) (number % 3)) {
          case 0 -> WrOpcode.SEND;
          case 1 -> WrOpcode.RDMA_WRITE_WITH_IMM;
          default -> WrOpcode.RDMA_READ;
        };
    size = random.nextInt(1, LONGEST + 1);
    boolean read = opcode == WrOpcode.RDMA_READ;
    fill((read ? to : from).mr.memory());
    (read ? from : to).mr.memory().asSlice(0, size).fill((byte) 0);
    due = read ? 1 : 2;
    if (!read) {
      to.receives.clear().add().sge(to.mr, 0, LONGEST);
      require(to.qp.postRecv(to.receives));
    }
    from.sends.clear().add().opcode(opcode).flags(SendFlags.SIGNALED).sge(from.mr, 0, size);
    if (opcode != WrOpcode.SEND) {
      from.sends.remote(to.mr.iova(), to.mr.rkey());
    }
    require(from.qp.postSend(from.sends));
  }

  /** Polls completions and verifies a finished message. */
  boolean poll() {
    if (due == 0) {
      return false;
    }
    due -= from.poll() + to.poll();
    if (due > 0) {
      return false;
    }
    verify((opcode == WrOpcode.RDMA_READ ? from : to).mr.memory());
    verifiedBytes += size;
    number++;
    return true;
  }

  private static void require(int errno) {
    if (errno != 0) {
      throw new AssertionError("a bystander could not post: errno " + errno);
    }
  }

  private byte expected(int at) {
    return (byte) (number * 31 + at * 7 + (at >>> 8));
  }

  private void fill(MemorySegment memory) {
    for (int i = 0; i < size; i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, expected(i));
    }
  }

  private void verify(MemorySegment memory) {
    for (int i = 0; i < size; i++) {
      if (memory.get(ValueLayout.JAVA_BYTE, i) != expected(i)) {
        throw new AssertionError(
            String.format(
                Locale.ROOT,
                "message %d (%s, %d bytes): byte %d is %d, not %d",
                number,
                opcode,
                size,
                i,
                memory.get(ValueLayout.JAVA_BYTE, i),
                expected(i)));
      }
    }
  }
}
