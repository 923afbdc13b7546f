package org.roce4j.connect;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/**
 * Futures of the requests of a completion queue. Each request bears the {@code wr_id} of its {@link
 * Pending}; who calls {@link #dispatch}, such as an event loop ({@link
 * org.roce4j.verbs.CompletionChannel#onEvent}), completes them. Thread-safe; allocates, which the
 * queue itself does not.
 */
public final class CompletionDispatcher {
  private final CompletionQueue cq;
  private final AtomicLong last = new AtomicLong();
  private final ConcurrentHashMap<Long, CompletableFuture<Done>> pending =
      new ConcurrentHashMap<>();

  /**
   * What became of a request.
   *
   * @param byteLength bytes received
   * @param immediate the immediate data, if it came with any
   * @param qpNum the queue pair
   */
  public record Done(long wrId, int byteLength, int immediate, int qpNum) {}

  /**
   * A request that is about to be posted.
   *
   * @param wrId for the request
   * @param future completes with it, or with {@link FailedRequestException}
   */
  public record Pending(long wrId, CompletableFuture<Done> future) {}

  /**
   * @param cq the queue, of whose completions this alone takes any
   */
  public CompletionDispatcher(CompletionQueue cq) {
    this.cq = cq;
  }

  /** A request is about to be posted, signaled if it is a send. */
  public Pending expect() {
    long wrId = last.incrementAndGet();
    CompletableFuture<Done> future = new CompletableFuture<>();
    pending.put(wrId, future);
    return new Pending(wrId, future);
  }

  /** The request was not posted: nothing is to be expected. */
  public void forget(Pending request) {
    pending.remove(request.wrId());
    request.future().cancel(false);
  }

  /**
   * Completes the futures of what has completed; does not wait. What depends on a future runs here.
   *
   * @return how many completions were taken
   * @throws VerbsException as {@link CompletionQueue#pollOrThrow}
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
    }
    return taken;
  }

  private void complete(WorkCompletions completions, int i) {
    CompletableFuture<Done> future = pending.remove(completions.wrId(i));
    if (future == null) {
      return; // a request of somebody else
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
}
