package org.roce4j.engine.cm;

import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.time.Deadline;
import org.roce4j.wire.mad.Mad;

/**
 * A message that is sent again until it is answered, at most {@link CmTiming#MAX_RETRIES} times, at
 * growing intervals.
 */
final class Repetition {
  private final CmHost host;
  private final Outbox outbox;
  private final Deadline deadline;

  /** The message; null: none. */
  private Mad message;

  /** How many times it was sent again. */
  private int retries;

  /**
   * @param deadline set to the time at which {@link #again} is due
   */
  Repetition(CmHost host, Outbox outbox, Deadline deadline) {
    this.host = host;
    this.outbox = outbox;
    this.deadline = deadline;
  }

  /** Sends another message from now on; null: none. */
  void begin(Path path, Mad next) {
    message = next;
    retries = 0;
    if (next != null) {
      outbox.send(path, next);
    }
  }

  /** Waits for the answer. */
  void await(long nowNs) {
    host.deadlines().set(deadline, nowNs + CmTiming.retryNs(retries, host.random()));
  }

  /** Sends the message again; false if it was sent often enough. */
  boolean again(long nowNs, Path path) {
    if (retries == CmTiming.MAX_RETRIES) {
      return false;
    }
    retries++;
    outbox.send(path, message);
    await(nowNs);
    return true;
  }
}
