package org.roce4j.engine.requester;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.engine.trace.Failure;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;

/**
 * Ends the oldest send request: frees its slot, and pushes a completion unless the request is
 * unsignaled and successful.
 */
final class SendCompletions {
  private final SendQueue queue;
  private final CompletionRing ring;
  private final Counters counters;
  private final SendSide.Verdicts verdicts;

  /** The number that completions name. */
  private final int qpNum;

  /** sq_sig_all: each request completes visibly. */
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
    // Before the completion: a thread that polls it may post into the slot at once.
    queue.retire();
    if (told) {
      ring.push(wrId, status, opcode, bytes, qpNum);
    }
    counters.increment(
        switch (status) {
          case SUCCESS -> Counter.RDMA_SENDS;
          case WR_FLUSH_ERR -> Counter.REQUESTER_CQE_FLUSHED;
          default -> Counter.REQUESTER_CQE_ERROR;
        });
  }

  /** A request in words, such as {@code RDMA_WRITE of 8 bytes to 0x7f00 (rkey 0x1234)}. */
  private String describe(int slot) {
    WrOpcode opcode = queue.opcode(slot);
    return switch (opcode) {
      case BIND_MW, LOCAL_INV -> opcode.name();
      case SEND, SEND_WITH_IMM, SEND_WITH_INV ->
          Wording.of("%s of %d bytes", opcode, queue.length(slot));
      default ->
          Wording.of(
              "%s of %d bytes at 0x%x (rkey 0x%x)",
              opcode, queue.length(slot), queue.remoteAddress(slot), queue.rkey(slot));
    };
  }

  /**
   * Fails the oldest request. The queue pair decides about the rest.
   *
   * @param why the reason, for messages
   */
  void failHead(WcStatus status, String why) {
    int slot = queue.slot(queue.head());
    verdicts.sendQueueFails(new Failure(queue.wrId(slot), status, describe(slot), why));
    completeHead(status);
    verdicts.sendQueueFailed();
  }

  long touch() {
    return qpNum;
  }
}
