package org.roce4j.engine.qp;

/**
 * Lets an acknowledgement wait for a moment after the application has replied on the same
 * connection: the peer's next request is likely to come soon, and one acknowledgement serves both.
 * Where it does not come, the peer may have waited for the acknowledgement, which costs it more
 * than many waits have gained: then none waits for some replies, for twice as many each time, until
 * the waits have paid for long.
 */
final class AckPatience {
  private static final int LEAST_PAUSE = 2;
  private static final int MOST_PAUSE = 4096;

  /** Waits that must have paid for one that was in vain. */
  private static final int WORTH = 8;

  private long untilNs;
  private int pause = LEAST_PAUSE;
  private int pauseLeft;
  private int paid;

  /** Whether the acknowledgement that goes with this reply may wait. */
  boolean tries() {
    if (pauseLeft == 0) {
      return true;
    }
    pauseLeft--;
    return false;
  }

  void until(long ns) {
    untilNs = ns;
  }

  /** When the wait is over. */
  long untilNs() {
    return untilNs;
  }

  /** A request came meanwhile. */
  void paid() {
    paid++;
  }

  /** The time was over. */
  void wasInVain() {
    pause = paid >= WORTH ? LEAST_PAUSE : Math.min(MOST_PAUSE, 2 * pause);
    pauseLeft = pause;
    paid = 0;
  }
}
