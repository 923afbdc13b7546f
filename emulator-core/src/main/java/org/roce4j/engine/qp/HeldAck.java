package org.roce4j.engine.qp;

import org.roce4j.engine.path.Waiter;

/**
 * A queue pair's acknowledgement that {@link AckHolding} may hold: the reason of the hold, the
 * results of earlier holds, and the place in the line of held acknowledgements. Confined to the
 * engine's owner.
 */
class HeldAck {
  /** The reason why an acknowledgement is held. */
  enum Hold {
    /** It is not held. */
    NONE,
    /** The reply leaves first, in a train of its own. */
    BEHIND_REPLY,
    /** The peer's next request may arrive soon, and one acknowledgement would serve both. */
    FOR_REQUEST
  }

  /** The value of {@link #repliedNs} if a request has arrived since the last reply. */
  static final long NEVER = Long.MIN_VALUE;

  /** The queue pair, which sends the acknowledgement after the hold. */
  final Waiter sender;

  /** Why it is held now. */
  Hold hold = Hold.NONE;

  /** The deadline of the hold. */
  long untilNs;

  /** The time of the last reply, or {@link #NEVER} if a request has arrived since. */
  long repliedNs = NEVER;

  /** Whether a request arrived before the last acknowledgement could follow its reply. */
  boolean overtaken;

  /** The number of replies without a wait after the next wait in vain, which doubles it. */
  int pause = AckHolding.LEAST_PAUSE;

  /** The number of these replies that are left. */
  int pauseLeft;

  /** The number of successful waits since the last wait in vain. */
  int paid;

  /** The one before it in the line of held ones; itself: it is not in the line. */
  private HeldAck before = this;

  /** The one after it in the line. */
  private HeldAck after = this;

  HeldAck(Waiter sender) {
    this.sender = sender;
  }

  final boolean isHeld() {
    return hold != Hold.NONE;
  }

  /** The next acknowledgement in the line; this one if it is in no line. */
  final HeldAck after() {
    return after;
  }

  /** Joins the line of another, before it; before the head means at the end. */
  final void queue(HeldAck behind) {
    before = behind.before;
    after = behind;
    before.after = this;
    behind.before = this;
  }

  final void leaveLine() {
    before.after = after;
    after.before = before;
    before = this;
    after = this;
  }
}
