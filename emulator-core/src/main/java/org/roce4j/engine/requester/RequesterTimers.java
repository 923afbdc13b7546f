package org.roce4j.engine.requester;

import java.util.Arrays;
import org.roce4j.engine.time.Deadlines;

/**
 * The timers of a reliable requester, each with its deadline. RNR runs alone; PROBE runs only while
 * ACK does. The queue pair has one entry in the engine's {@link
 * org.roce4j.engine.time.DeadlineHeap} for all of them.
 */
final class RequesterTimers {
  /** What a deadline is for. */
  enum Timer {
    /** Local ACK timeout: the oldest unacknowledged packet is a lost one (rc-transport 3.2). */
    ACK,
    /** The acknowledgement is overdue by the measured round trip: {@link LossProbe}. */
    PROBE,
    /** The responder's RNR timer: until then nothing is sent (R14). */
    RNR
  }

  private final long[] dueNs = new long[Timer.values().length];

  RequesterTimers() {
    stopAll();
  }

  /**
   * Starts a timer, or moves its deadline.
   *
   * @param atNs or {@link Deadlines#NEVER}, which stops it
   */
  void start(Timer timer, long atNs) {
    dueNs[timer.ordinal()] = atNs;
  }

  void stop(Timer timer) {
    dueNs[timer.ordinal()] = Deadlines.NEVER;
  }

  void stopAll() {
    Arrays.fill(dueNs, Deadlines.NEVER);
  }

  boolean runs(Timer timer) {
    return dueNs[timer.ordinal()] != Deadlines.NEVER;
  }

  boolean isDue(Timer timer, long nowNs) {
    return Deadlines.isDue(dueNs[timer.ordinal()], nowNs);
  }

  /** When a timer is due; {@link Deadlines#NEVER} if it does not run. */
  long dueNs(Timer timer) {
    return dueNs[timer.ordinal()];
  }
}
