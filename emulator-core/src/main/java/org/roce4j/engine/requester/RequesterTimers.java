package org.roce4j.engine.requester;

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

  // Fields and not an array by ordinal: the compiler finds each from the constant that names it.
  private long ackNs = Deadlines.NEVER;
  private long probeNs = Deadlines.NEVER;
  private long rnrNs = Deadlines.NEVER;

  /**
   * Starts a timer, or moves its deadline.
   *
   * @param atNs or {@link Deadlines#NEVER}, which stops it
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
    return dueNs(timer) != Deadlines.NEVER;
  }

  boolean isDue(Timer timer, long nowNs) {
    return Deadlines.isDue(dueNs(timer), nowNs);
  }

  /** When a timer is due; {@link Deadlines#NEVER} if it does not run. */
  long dueNs(Timer timer) {
    return timer == Timer.ACK ? ackNs : timer == Timer.PROBE ? probeNs : rnrNs;
  }
}
