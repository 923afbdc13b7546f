package org.roce4j.engine.qp;

import org.roce4j.engine.path.Waiter;

/**
 * A queue pair's acknowledgement that {@link AckHolding} may hold back: why it is held, how earlier
 * holds ended, and its place in the line of held acknowledgements. Confined to the engine's owner.
 */
class HeldAck {
  /** Why an acknowledgement is held back. */
  enum Hold {
    /** It is not held. */
    NONE,
    /** The reply leaves first, in a train of its own. */
    BEHIND_REPLY,
    /** The peer's next request may come at once, and one acknowledgement serve both. */
    FOR_REQUEST
  }

  /** Of {@link #repliedNs}: every request since was counted. */
  static final long NEVER = Long.MIN_VALUE;

  /** The queue pair, which sends the acknowledgement when it is held no longer. */
  final Waiter sender;

  Hold hold = Hold.NONE;

  /** When it leaves at the latest; while it is held. */
  long untilNs;

  /** When the last reply was sent, until the next request comes; or {@link #NEVER}. */
  long repliedNs = NEVER;

  /** Whether a request came before the last acknowledgement could leave after its reply. */
  boolean overtaken;

  /** Replies without a wait after the next wait in vain; each wait in vain doubles it. */
  int pause = AckHolding.LEAST_PAUSE;

  /** How many of these replies are left. */
  int pauseLeft;

  /** Waits that have paid since the last wait in vain. */
  int paid;

  private HeldAck before = this;
  private HeldAck after = this;

  HeldAck(Waiter sender) {
    this.sender = sender;
  }

  final boolean isHeld() {
    return hold != Hold.NONE;
  }

  /** The next in the line; itself if it stands in none. */
  final HeldAck after() {
    return after;
  }

  /** Goes before another into its line; to the end, before the one that heads it. */
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
