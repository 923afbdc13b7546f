package org.roce4j.engine.requester;

import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.WcStatus;

/**
 * Completes the requests of a reliable connection in post order: a request is done when all its
 * PSNs are acknowledged; a request that failed here ends when all before it are done.
 */
final class CompletionOrder {
  private final SendQueue queue;
  private final UnackedWindow window;
  private final SendCompletions completions;

  /** The request that cannot be sent, and why; null: there is none. Nothing after it is sent. */
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

  /** Whether a request, or one before it, failed here: it is not sent. */
  boolean stopsAt(long index) {
    return failure != null && index >= failure.index;
  }

  /** Completes, in order, what is acknowledged; then a failure that waited for its turn. */
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

  /** The request fails when all before it are done; nothing after it is sent. */
  void failLocally(long index, WcStatus status, String why) {
    failure = new LocalFailure(index, status, why);
    if (queue.head() == index) {
      completions.failHead(status, why);
    }
  }

  /** The oldest request fails now. */
  void failHead(WcStatus status, String why) {
    completions.failHead(status, why);
  }
}
