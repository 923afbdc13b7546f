package org.roce4j.engine.qp;

import org.roce4j.engine.path.Waiter;

/**
 * A queue pair's acknowledgement that {@link AckHolding} may hold back, what became of those that
 * were, and its place in the line of those that are. Confined to the engine's owner.
 */
class HeldAck {
  /** Why an acknowledgement is held back. */
  enum Hold {
    /** It is not. */
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

  /** Whether a request came before the last one could leave behind its reply. */
  boolean overtaken;

  /** Replies that none waits for after the next wait that is in vain; doubled by each. */
  int pause = AckHolding.LEAST_PAUSE;

  /** How many of them are left. */
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

  /** The one behind it; itself where there is none. */
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
