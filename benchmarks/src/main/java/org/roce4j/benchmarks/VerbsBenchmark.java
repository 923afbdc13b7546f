package org.roce4j.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/**
 * The cost of the calls of the data path before the engine runs: {@value #CALLS} posts into an
 * empty queue, polls of an empty or full queue. The time is that of one request or completion.
 */
public class VerbsBenchmark extends PacketCost {
  private static final int CALLS = 1024;
  private static final int LIST = 16;

  /** Queues that hold nothing when an invocation begins, except where it says so. */
  @State(Scope.Thread)
  public static class Queues {
    final EnginePair pair = new EnginePair(QpType.UC);
    final SendRequestList write = pair.requests(WrOpcode.RDMA_WRITE, 1, 64);
    final SendRequestList writes = pair.requests(WrOpcode.RDMA_WRITE, LIST, 64);
    final SendRequestList sends = pair.requests(WrOpcode.SEND, LIST, 64);
    final RecvRequestList receive = pair.receives(1, 64);
    final WorkCompletions completions = new WorkCompletions(LIST);
    final WorkRequestBuilder builder = pair.left.qp.builder();

    /** Builds {@code count} WRITEs and posts them; the errno. */
    int build(int count) {
      builder.start();
      for (int i = 0; i < count; i++) {
        builder.wrId(i).flags(i == count - 1 ? SendFlags.SIGNALED : 0);
        builder.rdmaWrite(pair.right.memory.rkey(), pair.right.memory.iova());
        builder.setSge(pair.left.memory, 0, 64);
      }
      return builder.complete();
    }

    /** The same requests in a list. */
    SendRequestList filled(int count) {
      writes.clear();
      for (int i = 0; i < count; i++) {
        writes.add().wrId(i).opcode(WrOpcode.RDMA_WRITE);
        writes.flags(i == count - 1 ? SendFlags.SIGNALED : 0);
        writes.remote(pair.right.memory.iova(), pair.right.memory.rkey());
        writes.sge(pair.left.memory, 0, 64);
      }
      return writes;
    }

    /** Sends the posted requests and polls their completions. */
    void empty() {
      pair.exchange();
      pair.left.pollAll();
      pair.right.pollAll();
    }

    /** Releases both devices. */
    @TearDown
    public void close() {
      pair.close();
    }
  }

  /** An empty send queue. */
  @State(Scope.Thread)
  public static class EmptySendQueue extends Queues {
    /** Sends the requests that the last invocation has posted. */
    @Setup(Level.Invocation)
    public void drain() {
      empty();
    }
  }

  /** An empty receive queue. */
  @State(Scope.Thread)
  public static class EmptyReceiveQueue extends Queues {
    /** Uses up the receive requests of the last invocation. */
    @Setup(Level.Invocation)
    public void drain() {
      for (int i = 0; i < CALLS / LIST; i++) {
        pair.left.qp.postSendOrThrow(sends);
      }
      empty();
    }
  }

  /** A completion queue with {@link #CALLS} completions. */
  @State(Scope.Thread)
  public static class FullCompletionQueue extends Queues {
    /** Completes {@code count} requests. */
    @Setup(Level.Invocation)
    public void fill() {
      for (int i = 0; i < CALLS; i++) {
        pair.left.qp.postSendOrThrow(write);
      }
      pair.exchange();
    }
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int postSendSingly(EmptySendQueue queue) {
    int errno = 0;
    for (int i = 0; i < CALLS; i++) {
      errno |= queue.pair.left.qp.postSend(queue.write);
    }
    return errno;
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int postSendLists(EmptySendQueue queue) {
    int errno = 0;
    for (int i = 0; i < CALLS / LIST; i++) {
      errno |= queue.pair.left.qp.postSend(queue.writes);
    }
    return errno;
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int buildSingly(EmptySendQueue queue) {
    int errno = 0;
    for (int i = 0; i < CALLS; i++) {
      errno |= queue.build(1);
    }
    return errno;
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int buildBatches(EmptySendQueue queue) {
    int errno = 0;
    for (int i = 0; i < CALLS / LIST; i++) {
      errno |= queue.build(LIST);
    }
    return errno;
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int fillAndPostSingly(EmptySendQueue queue) {
    int errno = 0;
    for (int i = 0; i < CALLS; i++) {
      errno |= queue.pair.left.qp.postSend(queue.filled(1));
    }
    return errno;
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int fillAndPostLists(EmptySendQueue queue) {
    int errno = 0;
    for (int i = 0; i < CALLS / LIST; i++) {
      errno |= queue.pair.left.qp.postSend(queue.filled(LIST));
    }
    return errno;
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int postRecv(EmptyReceiveQueue queue) {
    int errno = 0;
    for (int i = 0; i < CALLS; i++) {
      errno |= queue.pair.right.qp.postRecv(queue.receive);
    }
    return errno;
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public int pollFull(FullCompletionQueue queue) {
    int taken = 0;
    for (int i = 0; i < CALLS / LIST; i++) {
      taken += queue.pair.left.cq.poll(queue.completions);
    }
    return taken;
  }

  @Benchmark
  @OperationsPerInvocation(CALLS)
  public long pollExtended(FullCompletionQueue queue) {
    ExtendedCompletionQueue cq = queue.pair.left.cq;
    long sum = 0;
    for (int i = 0; i < CALLS / LIST; i++) {
      if (cq.startPoll() == 0) {
        int left = LIST;
        do {
          sum += cq.wrId() + cq.statusValue() + cq.readByteLength();
        } while (--left > 0 && cq.nextPoll() == 0);
        cq.endPoll();
      }
    }
    return sum;
  }

  @Benchmark
  public int pollEmpty(EmptyCompletionQueue queue) {
    return queue.pair.left.cq.poll(queue.completions);
  }

  /** Nothing has ever completed. */
  @State(Scope.Thread)
  public static class EmptyCompletionQueue extends Queues {}
}
