package org.roce4j.engine.requester;

import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.WcStatus;

/**
 * Completes the requests of a reliable connection in post order. A request succeeds when all its
 * PSNs are acknowledged; a request that failed on this side completes when all requests before it
 * have completed.
 */
final class CompletionOrder {
  private final SendQueue queue;
  private final UnackedWindow window;
  private final SendCompletions completions;

  /**
   * The first request that cannot be sent, with the reason; null if there is none. Later requests
   * are not sent either.
   */
  private LocalFailure failure;

  private record LocalFailure(long index, WcStatus status, String why) {}

  CompletionOrder(UnackedWindow window, SendCompletions completions) {
    queue = completions.queue();
    this.window = window;
    this.completions = completions;
  }

  void forget() {
    failure = null;
  }

  /**
   * Whether the request at {@code index}, or a request before it, failed on this side and is not
   * sent.
   */
  boolean stopsAt(long index) {
    return failure != null && index >= failure.index;
  }

  /** Completes the acknowledged requests in order, then the local failure if its turn has come. */
  void retireAcknowledged() {
    while (queue.head() < window.started() && !stopsAt(queue.head())) {
      int slot = queue.slot(queue.head());
      if (window.lastPsn(slot) >= window.oldest()) {
        break;
      }
      boolean neededResponse = window.needsResponse(slot);
      completions.completeHead(WcStatus.SUCCESS);
      window.retired(neededResponse);
    }
    if (stopsAt(queue.head())) {
      completions.failHead(failure.status, failure.why);
    }
  }

  /** Fails the request at {@code index} once all requests before it have completed. */
  void failLocally(long index, WcStatus status, String why) {
    failure = new LocalFailure(index, status, why);
    if (queue.head() == index) {
      completions.failHead(status, why);
    }
  }

  /** Fails the oldest request now. */
  void failHead(WcStatus status, String why) {
    completions.failHead(status, why);
  }
}
