package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayDeque;
import java.util.Deque;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * Records the send requests of one queue pair and judges their completions: each request once, in
 * posting order; an unsignaled request with the next signaled one; flushed after the first failure.
 */
final class SendLedger {
  private final RunCounts counts;
  private final String name;
  private final Owner owner;
  private final Deque<PostedSend> outstanding = new ArrayDeque<>();
  private boolean failed;

  /** The poster of the requests. */
  interface Owner {
    /** The request completed with success, and its effect must be there. */
    void succeeded(PostedSend send);

    /** The request failed or was flushed. Its effect may be there, in part or in full. */
    void failed(PostedSend send);

    /** Judges the first failure. */
    void judge(PostedSend send, WcStatus status);

    /** There is room to post more requests. */
    void roomMade();
  }

  SendLedger(RunCounts counts, String name, Owner owner) {
    this.counts = counts;
    this.name = name;
    this.owner = owner;
  }

  void posted(PostedSend send) {
    outstanding.add(send);
  }

  int size() {
    return outstanding.size();
  }

  boolean isEmpty() {
    return outstanding.isEmpty();
  }

  /** The posted requests without a known end, the oldest first. */
  Iterable<PostedSend> outstanding() {
    return outstanding;
  }

  PostedSend newest() {
    return outstanding.peekLast();
  }

  boolean anySignaled() {
    return outstanding.stream().anyMatch(send -> send.signaled);
  }

  boolean has(long wrId) {
    return outstanding.stream().anyMatch(send -> send.wrId == wrId);
  }

  boolean hasFailed() {
    return failed;
  }

  /** The send queue works again. */
  void recovered() {
    failed = false;
  }

  void completed(WorkCompletions wcs, int index) {
    long wrId = wcs.wrId(index);
    WcStatus status = wcs.status(index);
    require(
        !outstanding.isEmpty(),
        OracleRule.COMPLETED_ONCE_IN_ORDER,
        "%s: a completion came with nothing outstanding: %s",
        name,
        wcs.toString(index));
    unsignaledBefore(wrId);
    PostedSend oldest = outstanding.poll();
    require(
        oldest.wrId == wrId,
        OracleRule.COMPLETED_ONCE_IN_ORDER,
        "%s: %s came, but the next to complete is %s",
        name,
        wcs.toString(index),
        oldest);
    if (failed) {
      require(
          status == WcStatus.WR_FLUSH_ERR,
          OracleRule.FLUSHED_IN_ORDER,
          "%s: after the failure came %s",
          name,
          wcs.toString(index));
      failed(oldest);
    } else if (status == WcStatus.SUCCESS) {
      checkCompletion(oldest, wcs, index);
      succeeded(oldest);
      owner.roomMade();
    } else {
      owner.judge(oldest, status);
      failed = true;
      counts.failure(status);
      failed(oldest);
    }
  }

  /**
   * Completes the unsignaled requests before {@code wrId}, which have no completions of their own.
   */
  private void unsignaledBefore(long wrId) {
    while (!failed
        && outstanding.size() > 1
        && outstanding.peek().wrId != wrId
        && !outstanding.peek().signaled) {
      succeeded(outstanding.poll());
    }
  }

  private void checkCompletion(PostedSend send, WorkCompletions wcs, int index) {
    boolean sized = send.isAtomic() || send.opcode == WrOpcode.RDMA_READ;
    require(
        send.signaled
            && wcs.opcode(index) == send.opcode.completion()
            && (!sized || wcs.byteLength(index) == send.length()),
        OracleRule.RIGHT_COMPLETION,
        "%s: %s completed as %s",
        name,
        send,
        wcs.toString(index));
  }

  private void succeeded(PostedSend send) {
    counts.request();
    owner.succeeded(send);
  }

  private void failed(PostedSend send) {
    counts.request();
    owner.failed(send);
  }

  /**
   * Completes the unsignaled requests at the head: the queue was flushed, and these had succeeded
   * before.
   */
  void finishSilently() {
    while (!failed && !outstanding.isEmpty() && !outstanding.peek().signaled) {
      succeeded(outstanding.poll());
    }
  }

  /** No more completions come: the remaining requests count as failed. */
  void abandon() {
    while (!outstanding.isEmpty()) {
      failed(outstanding.poll());
    }
  }

  void checkAtEnd() {
    require(
        outstanding.isEmpty(),
        OracleRule.FLUSHED_IN_ORDER,
        "%s: %d send requests never completed, the oldest is %s",
        name,
        outstanding.size(),
        outstanding.peek());
  }

  @Override
  public String toString() {
    return outstanding.size() + " outstanding, the oldest is " + outstanding.peek();
  }
}
