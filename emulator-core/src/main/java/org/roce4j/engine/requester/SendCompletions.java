package org.roce4j.engine.requester;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;

/**
 * The end of the oldest send request: its slot is free, and a completion says so unless it is
 * unsignaled and successful.
 */
final class SendCompletions {
  private final SendQueue queue;
  private final CompletionRing ring;
  private final Counters counters;
  private final SendSide.Verdicts verdicts;
  private final int qpNum;
  private final boolean signalAll;

  SendCompletions(SendSide side) {
    queue = side.queue();
    ring = side.completions();
    counters = side.counters();
    verdicts = side.verdicts();
    qpNum = side.qpNum();
    signalAll = side.signalAll();
  }

  SendQueue queue() {
    return queue;
  }

  void completeHead(WcStatus status) {
    int slot = queue.slot(queue.head());
    boolean told = status != WcStatus.SUCCESS || signalAll || queue.flag(slot, SendFlags.SIGNALED);
    long wrId = queue.wrId(slot);
    WcOpcode opcode = queue.opcode(slot).completion();
    long bytes = queue.length(slot);
    // First: another thread may poll the completion at once and post in its place.
    queue.retire();
    if (told) {
      ring.push(wrId, status, opcode, bytes, 0, false, qpNum, 0, 0, false);
    }
    counters.increment(
        switch (status) {
          case SUCCESS -> Counter.RDMA_SENDS;
          case WR_FLUSH_ERR -> Counter.REQUESTER_CQE_FLUSHED;
          default -> Counter.REQUESTER_CQE_ERROR;
        });
  }

  /** The oldest request fails; the queue pair decides what becomes of the rest. */
  void failHead(WcStatus status) {
    verdicts.sendQueueFails();
    completeHead(status);
    verdicts.sendQueueFailed();
  }

  long touch() {
    return qpNum;
  }
}
