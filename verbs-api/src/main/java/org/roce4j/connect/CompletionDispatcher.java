package org.roce4j.connect;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.text.Wording;

/**
 * Gives each request of a completion queue a future. A request carries the {@code wr_id} of its
 * {@link Pending}. Calls of {@link #dispatch}, for example by an event loop ({@link
 * org.roce4j.verbs.CompletionChannel#onEvent}), complete the futures. Thread-safe. Allocates memory
 * per request; the queue itself does not.
 */
public final class CompletionDispatcher {
  private final CompletionQueue cq;
  private final AtomicLong last = new AtomicLong();
  private final ConcurrentHashMap<Long, CompletableFuture<Done>> pending =
      new ConcurrentHashMap<>();

  /**
   * A request that completed successfully.
   *
   * @param byteLength number of bytes received
   * @param immediate the immediate data, if the message carried any
   * @param qpNum number of the queue pair
   */
  public record Done(long wrId, int byteLength, int immediate, int qpNum) {}

  /**
   * A request that is about to be posted.
   *
   * @param wrId the identifier that the request must carry
   * @param future completes when the request does, exceptionally with {@link
   *     FailedRequestException} if that fails
   */
  public record Pending(long wrId, CompletableFuture<Done> future) {}

  /**
   * @param cq the queue; nothing else may poll it
   */
  public CompletionDispatcher(CompletionQueue cq) {
    this.cq = cq;
  }

  /** Call this before posting a request. A send request must be signaled. */
  public Pending expect() {
    long wrId = last.incrementAndGet();
    CompletableFuture<Done> future = new CompletableFuture<>();
    pending.put(wrId, future);
    return new Pending(wrId, future);
  }

  /** Call this if posting the request failed: its future is forgotten. */
  public void forget(Pending request) {
    pending.remove(request.wrId());
    request.future().cancel(false);
  }

  /**
   * Polls the queue and completes the futures of its completions; does not wait. Actions that
   * depend on a future run in this call.
   *
   * @return the number of completions polled
   * @throws VerbsException as {@link CompletionQueue#pollOrThrow}: the queue will tell no more, so
   *     every pending future fails with the same exception
   */
  public int dispatch() {
    int taken = 0;
    try (WorkCompletions completions = new WorkCompletions(16)) {
      int count = cq.pollOrThrow(completions);
      while (count > 0) {
        for (int i = 0; i < count; i++) {
          complete(completions, i);
        }
        taken += count;
        count = cq.pollOrThrow(completions);
      }
    } catch (VerbsException e) {
      fail(e);
      throw e;
    }
    return taken;
  }

  private void fail(VerbsException why) {
    for (Long wrId : pending.keySet()) {
      CompletableFuture<Done> future = pending.remove(wrId);
      if (future != null) {
        future.completeExceptionally(why);
      }
    }
  }

  private void complete(WorkCompletions completions, int i) {
    CompletableFuture<Done> future = pending.remove(completions.wrId(i));
    if (future == null) {
      return; // a request without a future
    }
    if (completions.status(i) == WcStatus.SUCCESS) {
      future.complete(
          new Done(
              completions.wrId(i),
              completions.byteLength(i),
              completions.immediate(i),
              completions.qpNum(i)));
    } else {
      future.completeExceptionally(
          new FailedRequestException(
              Errno.EIO, completions.status(i), cq.whyFailed(completions, i)));
    }
  }

  @Override
  public String toString() {
    return Wording.of("%d requests whose completions come to %s", pending.size(), cq);
  }
}
