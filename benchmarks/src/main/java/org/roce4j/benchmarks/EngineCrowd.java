package org.roce4j.benchmarks;

import java.util.SplittableRandom;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/**
 * Two engines back to back with any number of connected queue pairs, which send in random order: a
 * turn is {@link #BATCH} messages of one packet, each on a queue pair drawn at random. The
 * difference to a single queue pair is the cost of having many. Confined to one thread.
 */
public final class EngineCrowd implements AutoCloseable {
  /** Messages of a turn. */
  public static final int BATCH = 16;

  private static final int DEPTH = 16;

  private final EnginePair pair = new EnginePair(QpType.RC);
  private final QueuePair[] left;
  private final QueuePair[] right;
  private final SendRequestList request;
  private final RecvRequestList receive;
  private final SplittableRandom draw = new SplittableRandom(1);

  /**
   * @param opcode SEND, RDMA_WRITE or RDMA_READ
   * @param bytes of a message, at most 4096
   */
  public EngineCrowd(int queuePairs, WrOpcode opcode, int bytes) {
    left = new QueuePair[queuePairs];
    right = new QueuePair[queuePairs];
    for (int i = 0; i < queuePairs; i++) {
      left[i] = pair.left.createQp(QpType.RC, DEPTH);
      right[i] = pair.right.createQp(QpType.RC, DEPTH);
      LoneDevice.connect(left[i], pair.right.gid, right[i].qpNum());
      LoneDevice.connect(right[i], pair.left.gid, left[i].qpNum());
    }
    request = pair.requests(opcode, 1, bytes);
    receive = opcode == WrOpcode.SEND ? pair.receives(1, bytes) : null;
  }

  /** {@link #BATCH} messages, sent, acknowledged, completed and polled; the completions. */
  public int turn() {
    long errno = 0;
    for (int i = 0; i < BATCH; i++) {
      errno |= post(draw.nextInt(left.length));
    }
    return exchange(errno);
  }

  /** A message on every queue pair before the first is sent, so that nearly all have to wait. */
  public int turnOfAll() {
    long errno = 0;
    for (int i = 0; i < left.length; i++) {
      errno |= post(i);
    }
    return exchange(errno);
  }

  private long post(int chosen) {
    long errno = receive == null ? 0 : right[chosen].postRecv(receive);
    return errno | left[chosen].postSend(request);
  }

  private int exchange(long errno) {
    if (errno != 0) {
      throw new IllegalStateException("posting failed: " + errno);
    }
    pair.exchange();
    return pair.left.pollAll() + pair.right.pollAll();
  }

  @Override
  public void close() {
    pair.close();
  }
}
