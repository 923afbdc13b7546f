package org.roce4j.engine.queue;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Holds the event of an armed completion queue back until enough completions have come, or the
 * first of them is old enough ({@code ibv_modify_cq}). Several engines may count.
 */
public final class EventModeration {
  private final int count;
  private final long periodNs;

  /** Completions since the last event that came to the armed queue. */
  private final AtomicInteger pending = new AtomicInteger();

  /**
   * @param count completions for which one event is enough, 2 or more
   * @param periodNs after the first of them the event comes
   */
  public EventModeration(int count, long periodNs) {
    this.count = count;
    this.periodNs = periodNs;
  }

  /** Counts a completion; the listener is told of the first one that is held back. */
  boolean holdsBack(CompletionRing.Listener listener, int qpNum) {
    int held = pending.incrementAndGet();
    if (held >= count) {
      pending.set(0);
      return false;
    }
    if (held == 1) {
      listener.held(qpNum, periodNs);
    }
    return true;
  }

  /** The period is over: whether an event is due. */
  boolean release() {
    return pending.getAndSet(0) > 0;
  }
}
