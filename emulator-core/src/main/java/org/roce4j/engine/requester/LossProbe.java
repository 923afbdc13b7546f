package org.roce4j.engine.requester;

import org.roce4j.engine.path.RoundTrip;
import org.roce4j.engine.time.Deadlines;

/**
 * Finds out early that the end of what was sent is lost, or the only NAK of a gap, which nothing
 * tells but the ACK timeout: milliseconds of silence where a round trip takes microseconds. When an
 * acknowledgement is overdue by the measured round trip the oldest packet is sent once more and
 * asks for one. A duplicate is legal at any time and costs no retry; its answer tells what has
 * arrived. Each probe without an answer doubles the patience, until the ACK timeout is shorter.
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

  /** The oldest packet is to be sent once more. */
  void due() {
    due = true;
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
   * An ACK came: whether it answers a probe and passes over something that was sent before it. What
   * was sent before has arrived before, or never. An ACK of more than the probe may as well answer
   * what was sent before: a peer that was busy takes it in by and by.
   *
   * @param psn that is acknowledged
   * @param oldest not acknowledged now
   */
  boolean tellsLoss(long psn, long oldest) {
    if (probedPsn == NONE || psn < probedPsn) {
      return false;
    }
    boolean answersProbe = psn == probedPsn;
    probedPsn = NONE;
    return answersProbe && oldest < sentBefore;
  }
}
