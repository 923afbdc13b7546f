package org.roce4j.engine.requester;

import org.roce4j.engine.time.Deadlines;

/**
 * The timers of a reliable requester, each with its deadline. RNR runs alone; PROBE runs only while
 * ACK does. One entry in the engine's {@link org.roce4j.engine.time.DeadlineHeap} stands for all
 * three.
 */
final class RequesterTimers {
  /** The purpose of a deadline. */
  enum Timer {
    /** Local ACK timeout: the oldest unacknowledged packet counts as lost (rc-transport 3.2). */
    ACK,
    /** An acknowledgement is overdue by the measured round trip, see {@link LossProbe}. */
    PROBE,
    /** The responder's RNR timer: nothing is sent before it expires (R14). */
    RNR
  }

  // Fields instead of an array indexed by ordinal: a constant argument lets the compiler pick the
  // field.

  /** See {@link Timer#ACK}. */
  private long ackNs = Deadlines.NEVER;

  /** See {@link Timer#PROBE}. */
  private long probeNs = Deadlines.NEVER;

  /** See {@link Timer#RNR}. */
  private long rnrNs = Deadlines.NEVER;

  /**
   * Starts a timer, or moves its deadline.
   *
   * @param atNs the deadline; {@link Deadlines#NEVER} stops the timer
   */
  void start(Timer timer, long atNs) {
    if (timer == Timer.ACK) {
      ackNs = atNs;
    } else if (timer == Timer.PROBE) {
      probeNs = atNs;
    } else {
      rnrNs = atNs;
    }
  }

  void stop(Timer timer) {
    start(timer, Deadlines.NEVER);
  }

  void stopAll() {
    ackNs = Deadlines.NEVER;
    probeNs = Deadlines.NEVER;
    rnrNs = Deadlines.NEVER;
  }

  boolean runs(Timer timer) {
    return Deadlines.isSet(dueNs(timer));
  }

  boolean isDue(Timer timer, long nowNs) {
    return Deadlines.isDue(dueNs(timer), nowNs);
  }

  /** The deadline of a timer; {@link Deadlines#NEVER} if it does not run. */
  long dueNs(Timer timer) {
    return timer == Timer.ACK ? ackNs : timer == Timer.PROBE ? probeNs : rnrNs;
  }
}
