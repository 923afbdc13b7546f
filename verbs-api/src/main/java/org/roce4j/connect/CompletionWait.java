package org.roce4j.connect;

import java.lang.foreign.Arena;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;

/** A completion queue and its channel, on which one thread at a time waits. */
final class CompletionWait {
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final WorkCompletions completions;

  CompletionWait(Context context, int entries, OwnedObjects owned, Arena arena) {
    channel = owned.add(context.createCompletionChannel());
    cq = owned.add(context.createCq(entries, null, channel, 0));
    completions = new WorkCompletions(arena, 1);
  }

  CompletionQueue cq() {
    return cq;
  }

  /** The completion that {@link #next} found, at index 0. */
  WorkCompletions found() {
    return completions;
  }

  /**
   * Waits for the next completion and takes it.
   *
   * @param timeoutNs longest wait, in nanoseconds; the wait starts anew after the event of a
   *     completion that was already polled
   * @return false if there was none in time
   * @throws VerbsException EINTR if the thread is interrupted
   */
  boolean next(long timeoutNs) {
    if (poll()) {
      return true;
    }
    while (true) {
      cq.requestNotification(false);
      if (poll()) {
        return true;
      }
      if (channel.getCqEvent(timeoutNs) == null) {
        return poll();
      }
      cq.ackEvents(1);
      if (poll()) {
        return true;
      }
    }
  }

  private boolean poll() {
    return cq.pollOrThrow(completions) > 0;
  }
}
