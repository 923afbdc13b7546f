package org.roce4j.engine.requester;

import org.roce4j.engine.path.RoundTrip;
import org.roce4j.engine.time.Deadlines;

/**
 * Finds out early that the end of what was sent is lost, or the only NAK of a gap, which nothing
 * tells but the ACK timeout: milliseconds of silence where a round trip takes microseconds. When an
 * acknowledgement is overdue by the measured round trip the oldest packet is sent once more and
 * asks for one. A duplicate is legal at any time and costs no retry; its answer tells what has
 * arrived. Each probe without an answer doubles the patience, until the ACK timeout is shorter.
 *
 * <p>One answer is not believed that passes over something: it may be that to the oldest packet as
 * it was first sent, of a peer that was away for a moment in the middle of its batch. So the packet
 * which is the oldest then is sent as a probe too. It arrives behind all that it is asked about.
 */
final class LossProbe {
  private static final long NONE = -1;
  private static final int MOST_DOUBLINGS = 16;

  private final boolean enabled;

  /** Whether the oldest packet is to be sent once more with the next train. */
  private boolean due;

  /** Probes since the last measured round trip: each doubles the patience. */
  private int doublings;

  /** PSN whose round trip is measured; {@link #NONE}: the next that asks for an ACK. */
  private long timedPsn = NONE;

  /** When that packet was sent. */
  private long timedNs;

  /** PSN that was sent as a probe and not answered yet, or {@link #NONE}. */
  private long probedPsn = NONE;

  /** The first PSN that was not sent before the probe. */
  private long sentBefore;

  /** Whether the probe is the second in a row, since the answer to the first told a loss. */
  private boolean confirms;

  /** What an ACK tells of what was sent before a probe. */
  enum Verdict {
    /** Nothing, or that it has arrived. */
    NONE,
    /** It may be lost. */
    DOUBT,
    /** It is lost. */
    LOST
  }

  /**
   * @param enabled false: no round trip is measured here, and this probe never runs
   */
  LossProbe(boolean enabled) {
    this.enabled = enabled;
  }

  /** A packet that asks for an acknowledgement was sent for the first time. */
  void sent(long nowNs, long psn) {
    if (enabled && timedPsn == NONE) {
      timedPsn = psn;
      timedNs = nowNs;
    }
  }

  /** Everything before this PSN is acknowledged. */
  void acknowledged(long nowNs, long psn, RoundTrip roundTrip) {
    due = false;
    if (timedPsn != NONE && timedPsn < psn) {
      roundTrip.sample(nowNs - timedNs);
      timedPsn = NONE;
      doublings = 0;
    }
  }

  /** What is in flight is sent again: which of the two will be acknowledged, nobody can tell. */
  void sentAgain() {
    due = false;
    timedPsn = NONE;
    probedPsn = NONE;
  }

  /** It is stopped, and what is sent next is another connection's. */
  void forget() {
    sentAgain();
    doublings = 0;
  }

  /**
   * Something is outstanding from now on, and the ACK timeout begins.
   *
   * @return when an acknowledgement is overdue; {@link Deadlines#NEVER}: not before the timeout
   */
  long dueNs(long nowNs, long ackTimeoutNs, RoundTrip roundTrip) {
    if (enabled && roundTrip.known() && doublings < MOST_DOUBLINGS) {
      long patienceNs = roundTrip.patienceNs() << doublings;
      return patienceNs < ackTimeoutNs ? nowNs + patienceNs : Deadlines.NEVER;
    }
    return Deadlines.NEVER;
  }

  /** The acknowledgement is overdue: the next one may take longer. */
  void overdue() {
    doublings++;
    timedPsn = NONE;
  }

  /** The oldest packet is to be sent once more, since its acknowledgement is overdue. */
  void due() {
    due = true;
    confirms = false;
  }

  /** The packet that is the oldest now is to be sent once more, to confirm a doubt. */
  void confirm() {
    due = true;
    confirms = true;
  }

  boolean isDue() {
    return due;
  }

  /**
   * The oldest packet is sent once more.
   *
   * @param next the first PSN that was not sent yet
   */
  void probed(long oldest, long next) {
    due = false;
    probedPsn = oldest;
    sentBefore = next;
  }

  /**
   * An ACK came. It answers a probe if it acknowledges exactly the probe's packet; a peer that is
   * still taking in what was sent before the probe acknowledges more. What was sent before a probe
   * has arrived before it, or never.
   *
   * @param psn that is acknowledged
   * @param oldest not acknowledged now
   */
  Verdict answered(long psn, long oldest) {
    if (probedPsn == NONE || psn < probedPsn) {
      return Verdict.NONE;
    }
    boolean passesOver = psn == probedPsn && oldest < sentBefore;
    probedPsn = NONE;
    if (!passesOver) {
      return Verdict.NONE;
    }
    return confirms ? Verdict.LOST : Verdict.DOUBT;
  }
}
