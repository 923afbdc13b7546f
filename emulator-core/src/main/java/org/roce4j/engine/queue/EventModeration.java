package org.roce4j.engine.queue;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Delays the event of an armed completion queue until enough completions have arrived, or the first
 * of them is old enough ({@code ibv_modify_cq}). Several engines may count.
 */
public final class EventModeration {
  private final int count;
  private final long periodNs;

  /** The number of completions that have arrived at the armed queue since the last event. */
  private final AtomicInteger pending = new AtomicInteger();

  /**
   * @param count number of completions per event, 2 or more
   * @param periodNs longest delay after the first of them, in nanoseconds
   */
  public EventModeration(int count, long periodNs) {
    this.count = count;
    this.periodNs = periodNs;
  }

  /**
   * Counts a completion; returns whether its event is delayed. Informs the listener of the first
   * delay.
   */
  boolean holdsBack(CompletionRing.RingListener listener, int qpNum) {
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

  /** Ends the period; returns whether an event is due. */
  boolean release() {
    return pending.getAndSet(0) > 0;
  }
}
