package org.roce4j.engine.qp;

import org.roce4j.engine.qp.HeldAck.Hold;
import org.roce4j.engine.time.Deadlines;

/**
 * The policy of delayed acknowledgements, one per engine. After a reply the peer's next request
 * probably arrives soon, and one acknowledgement can serve both requests. Therefore an
 * acknowledgement waits for twice the recent time between a reply and the next request, within
 * bounds. If no request arrives in time, the peer may have waited for the acknowledgement, which
 * costs more than several successful waits gain. Then acknowledgements of the connection do not
 * wait after a number of replies, which doubles with each wait in vain and is reset after a long
 * series of successful waits. An acknowledgement that does not wait is still sent after its reply,
 * in the next turn, because in one train with the reply it would delay it.
 *
 * <p>Input: replies sent, requests received, the time. Output: the next deadline, and the queue
 * pairs that may send. Acknowledgements are held only while the thread that runs the engine polls
 * again at once. Confined to the engine's owner.
 */
public final class AckHolding {
  static final int LEAST_PAUSE = 2;

  /** The shortest wait: 10 us, some turns of a ping-pong on one fast machine. */
  static final long LEAST_PATIENCE_NS = 10_000;

  /** The longest wait, which bounds the cost of a wait in vain for the peer: 40 us. */
  static final long MOST_PATIENCE_NS = 40_000;

  /** The weight of a new sample is one over this. */
  private static final int SMOOTHING = 4;

  private static final int MOST_PAUSE = 4096;

  /** The number of successful waits that outweighs a wait in vain. */
  private static final int WORTH = 8;

  /**
   * The head of the line of held acknowledgements: first those that only follow their replies, then
   * the others in the order of their deadlines, which is nearly the order of arrival because all
   * wait about equally long.
   */
  private final HeldAck line = new HeldAck(() -> {});

  /**
   * The smoothed time between a reply and the next request, over all connections, in nanoseconds.
   */
  private long gapNs;

  /** Whether the thread that runs the engine will poll again at once. */
  private boolean callerReturns;

  /** Whether an acknowledgement was held only to follow its reply. */
  private boolean follows;

  /** Sets whether the caller polls again at once. If not, no acknowledgement is held. */
  public void callerReturns(boolean returns) {
    callerReturns = returns;
  }

  /** Whether acknowledgements may be held now. */
  boolean mayHold() {
    return callerReturns;
  }

  /**
   * A reply is about to leave, and an acknowledgement is due that need not leave with it. Decides
   * whether it is held; {@link #replied} must follow.
   *
   * @param canWait whether it acknowledges few requests, so that it may acknowledge the next one as
   *     well
   */
  void replies(HeldAck ack, boolean canWait) {
    forget(ack);
    if (canWait && worthWaiting(ack)) {
      ack.hold = Hold.FOR_REQUEST;
    } else if (!ack.overtaken) {
      ack.hold = Hold.BEHIND_REPLY;
    }
    ack.overtaken = false;
  }

  /** The reply has left: the hold begins. */
  void replied(HeldAck ack, long nowNs) {
    ack.repliedNs = nowNs;
    if (ack.hold == Hold.FOR_REQUEST) {
      queue(ack, nowNs + patienceNs(), line);
    } else if (ack.hold == Hold.BEHIND_REPLY) {
      queue(ack, nowNs, line.after());
      follows = true;
    }
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

  private static void queue(HeldAck ack, long untilNs, HeldAck behind) {
    ack.untilNs = untilNs;
    ack.queue(behind);
  }

  /** A request arrived. If an acknowledgement was held for it, that wait was successful. */
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

  /** Adds a sample; a request that took longer than the longest wait is ignored. */
  private void measure(long tookNs) {
    if (tookNs <= MOST_PATIENCE_NS) {
      gapNs += (tookNs - gapNs) / SMOOTHING;
    }
  }

  /** Ends the hold of an acknowledgement, because it leaves or is no longer due. */
  void forget(HeldAck ack) {
    if (ack.isHeld()) {
      ack.hold = Hold.NONE;
      ack.leaveLine();
    }
  }

  /** Whether an acknowledgement waits only for the turn after that of its reply. */
  public boolean follows() {
    return follows;
  }

  /** The time of the next {@link #releaseDue}, or {@link Deadlines#NEVER}. */
  public long deadlineNs() {
    HeldAck first = line.after();
    return first == line ? Deadlines.NEVER : first.untilNs;
  }

  /** Releases the acknowledgements whose deadline has passed. */
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

  /** Releases all acknowledgements, because the caller does not poll again. */
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
