package org.roce4j.engine.qp;

import org.roce4j.engine.qp.HeldAck.Hold;
import org.roce4j.engine.time.Deadlines;

/**
 * The policy of delayed acknowledgements, one per engine. After a reply the peer's next request is
 * likely to come soon, and one acknowledgement serves both: so it waits for twice as long as
 * requests have taken lately, within bounds. Where no request comes, the peer may have waited for
 * the acknowledgement, which costs more than several waits gain: then the connection does without
 * for some replies, for twice as many each time, until waits have paid for long. An acknowledgement
 * that does not wait still leaves behind its reply, with the next turn: in one train it would delay
 * the reply.
 *
 * <p>Input: a reply was sent, a request came, the time. Output: the next deadline, and which queue
 * pairs may send. Only a caller that comes back to take answers in may hold at all. Confined to the
 * engine's owner.
 */
public final class AckHolding {
  static final int LEAST_PAUSE = 2;

  /** 10 us: some turns of a ping-pong on one fast machine. */
  static final long LEAST_PATIENCE_NS = 10_000;

  /** 40 us: a wait in vain costs the peer no more. */
  static final long MOST_PATIENCE_NS = 40_000;

  /** Of the time that a request took a quarter counts. */
  private static final int SMOOTHING = 4;

  private static final int MOST_PAUSE = 4096;

  /** Waits that must have paid to make up for a wait in vain. */
  private static final int WORTH = 8;

  /**
   * Heads the line of those that are held: first those that leave behind their replies, then the
   * longest first, as all wait nearly equally long.
   */
  private final HeldAck line = new HeldAck(() -> {});

  /** How long after a reply the next request came lately, on any connection. */
  private long gapNs;

  /** Whether the thread that runs the engine will poll again at once. */
  private boolean callerReturns;

  /** Whether an acknowledgement was held back only to leave behind its reply. */
  private boolean follows;

  /** Says whether the caller comes back at once; unless it does, nothing is held back. */
  public void callerReturns(boolean returns) {
    callerReturns = returns;
  }

  /** Whether acknowledgements may be held back now. */
  boolean mayHold() {
    return callerReturns;
  }

  /**
   * A reply was sent, and an acknowledgement is due that nothing hurries.
   *
   * @param canWait whether it stands for few requests, and may for the next one too
   */
  void replied(HeldAck ack, long nowNs, boolean canWait) {
    forget(ack);
    ack.repliedNs = nowNs;
    if (canWait && worthWaiting(ack)) {
      hold(ack, Hold.FOR_REQUEST, nowNs + patienceNs(), line);
    } else if (!ack.overtaken) {
      hold(ack, Hold.BEHIND_REPLY, nowNs, line.after());
      follows = true;
    }
    ack.overtaken = false;
  }

  private long patienceNs() {
    return Math.clamp(2 * gapNs, LEAST_PATIENCE_NS, MOST_PATIENCE_NS);
  }

  private static boolean worthWaiting(HeldAck ack) {
    if (ack.pauseLeft == 0) {
      return true;
    }
    ack.pauseLeft--;
    return false;
  }

  private static void hold(HeldAck ack, Hold hold, long untilNs, HeldAck behind) {
    ack.hold = hold;
    ack.untilNs = untilNs;
    ack.queue(behind);
  }

  /** A request came: an acknowledgement that was held back for it has paid. */
  void requestCame(HeldAck ack, long nowNs) {
    if (ack.repliedNs != HeldAck.NEVER) {
      measure(nowNs - ack.repliedNs);
      ack.repliedNs = HeldAck.NEVER;
    }
    if (!ack.isHeld()) {
      return;
    }
    if (ack.hold == Hold.FOR_REQUEST) {
      ack.paid++;
    } else {
      ack.overtaken = true;
    }
    forget(ack);
  }

  /** A request that took longer than any wait says nothing. */
  private void measure(long tookNs) {
    if (tookNs <= MOST_PATIENCE_NS) {
      gapNs += (tookNs - gapNs) / SMOOTHING;
    }
  }

  /** It is held back no longer, or there is nothing to acknowledge any more. */
  void forget(HeldAck ack) {
    if (ack.isHeld()) {
      ack.hold = Hold.NONE;
      ack.leaveLine();
    }
  }

  /** Whether an acknowledgement waits for nothing but the turn after its reply's. */
  public boolean follows() {
    return follows;
  }

  /** When {@link #releaseDue} wants to be called, or {@link Deadlines#NEVER}. */
  public long deadlineNs() {
    HeldAck first = line.after();
    return first == line ? Deadlines.NEVER : first.untilNs;
  }

  /** Lets those go whose time is over. */
  public void releaseDue(long nowNs) {
    follows = false;
    while (Deadlines.isDue(deadlineNs(), nowNs)) {
      HeldAck first = line.after();
      if (first.hold == Hold.FOR_REQUEST) {
        waitedInVain(first);
      }
      release(first);
    }
  }

  /** Lets all go: the caller does not come back. */
  public void releaseAll() {
    follows = false;
    while (line.after() != line) {
      release(line.after());
    }
  }

  private void release(HeldAck ack) {
    forget(ack);
    ack.sender.resume();
  }

  private static void waitedInVain(HeldAck ack) {
    ack.pause = ack.paid >= WORTH ? LEAST_PAUSE : Math.min(MOST_PAUSE, 2 * ack.pause);
    ack.pauseLeft = ack.pause;
    ack.paid = 0;
  }
}
