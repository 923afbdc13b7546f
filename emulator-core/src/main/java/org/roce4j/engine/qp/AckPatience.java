package org.roce4j.engine.qp;

/**
 * Lets an acknowledgement wait for a moment after the application has replied on the same
 * connection: the peer's next request is likely to come soon, and one acknowledgement serves both.
 * Where it does not come, the peer may have waited for the acknowledgement, which costs it more
 * than many waits have gained: then none waits for some replies, for twice as many each time, until
 * the waits have paid for long.
 */
public final class AckPatience {
  private static final int LEAST_PAUSE = 2;
  private static final int MOST_PAUSE = 4096;

  /** Waits that must have paid for one that was in vain. */
  private static final int WORTH = 8;

  private boolean held;

  /** Whether it is held back for a request; otherwise only to leave after the reply. */
  private boolean hopes;

  /** Whether a request came before it left. */
  private boolean overtaken;

  private long untilNs;
  private boolean listed;
  private int pause = LEAST_PAUSE;
  private int pauseLeft;
  private int paid;

  /**
   * Holds the acknowledgement back that would go with a reply.
   *
   * @param ns how long it may wait for a request; 0: it may not, and leaves with the next turn
   * @return false if it is to go with the reply: there was no turn since the last one
   */
  boolean hold(long nowNs, long ns) {
    hopes = ns > 0 && tries();
    untilNs = hopes ? nowNs + ns : nowNs;
    held = hopes || !overtaken;
    overtaken = false;
    return held;
  }

  private boolean tries() {
    if (pauseLeft == 0) {
      return true;
    }
    pauseLeft--;
    return false;
  }

  /** Whether it is held back for a request that may come. */
  public boolean hopes() {
    return hopes;
  }

  /** Whether the acknowledgement is held back. */
  boolean held() {
    return held;
  }

  /** Whether it is held back for longer than that. */
  public boolean heldBeyond(long nowNs) {
    return held && untilNs - nowNs > 0;
  }

  /** When the wait is over. */
  public long untilNs() {
    return untilNs;
  }

  /** Nothing is to be acknowledged any more. */
  void forget() {
    held = false;
  }

  /** A request came: where an acknowledgement was held back for it, that has paid. */
  void request() {
    if (held) {
      held = false;
      if (hopes) {
        paid++;
      } else {
        overtaken = true;
      }
    }
  }

  /**
   * The acknowledgement is held back no longer.
   *
   * @param inVain the time was over
   * @return whether it was held back
   */
  public boolean release(boolean inVain) {
    boolean was = held;
    held = false;
    if (was && hopes && inVain) {
      pauseLonger();
    }
    return was;
  }

  /** Whether the queue pair stands in the engine's list of those that hold one back. */
  public boolean listed() {
    return listed;
  }

  public void listed(boolean value) {
    listed = value;
  }

  private void pauseLonger() {
    pause = paid >= WORTH ? LEAST_PAUSE : Math.min(MOST_PAUSE, 2 * pause);
    pauseLeft = pause;
    paid = 0;
  }
}
