package org.roce4j.engine.requester;

import org.roce4j.engine.path.RoundTrip;
import org.roce4j.engine.time.Deadlines;

/**
 * Detects the loss of the last packets in flight, or of the only NAK of a gap, before the ACK
 * timeout. Nothing else tells of either loss, and the timeout is milliseconds where a round trip is
 * microseconds.
 *
 * <p>When an acknowledgement is overdue by the measured round trip, the oldest packet is sent again
 * and asks for one. A duplicate is legal at any time and costs no retry, and the answer says what
 * has arrived. Each probe without an answer doubles the wait; when the wait reaches the ACK
 * timeout, no probe is sent.
 *
 * <p>The answer to one probe is no proof of a loss: it may be the answer to the oldest packet as
 * first sent, from a peer that paused in the middle of its batch. So the packet that is then the
 * oldest is probed, too. That second probe arrives behind every packet in doubt.
 */
final class LossProbe {
  private static final long NONE = -1;
  private static final int MOST_DOUBLINGS = 16;

  /** Whether round trips are measured and probes sent. */
  private final boolean enabled;

  /** Whether the oldest packet is to be sent again in the next train. */
  private boolean due;

  /** Probes since the last measured round trip. Each doubles the wait for an acknowledgement. */
  private int doublings;

  /** The PSN whose round trip is being measured; {@link #NONE} until a packet asks for an ACK. */
  private long timedPsn = NONE;

  /** When the packet of {@link #timedPsn} left; {@link Deadlines#NEVER} while it is in a train. */
  private long timedNs;

  /** The PSN of a probe that was not answered yet, or {@link #NONE}. */
  private long probedPsn = NONE;

  /** The first PSN that was not sent before the probe. */
  private long sentBefore;

  /** Whether the probe confirms a doubt: the answer to the probe before it passed over a packet. */
  private boolean confirms;

  /** What an ACK says about the packets that were sent before a probe. */
  enum Verdict {
    /** The ACK answers no probe, or all these packets have arrived. */
    NONE,
    /** A packet may be lost. */
    DOUBT,
    /** A packet is lost. */
    LOST
  }

  /**
   * @param enabled false if no round trip is measured and no probe is sent
   */
  LossProbe(boolean enabled) {
    this.enabled = enabled;
  }

  /** A packet that asks for an acknowledgement is about to be sent for the first time. */
  void sent(long psn) {
    if (enabled && timedPsn == NONE) {
      timedPsn = psn;
      timedNs = Deadlines.NEVER;
    }
  }

  /** The packets about to be sent have left. */
  void left(long nowNs) {
    if (!Deadlines.isSet(timedNs)) {
      timedNs = nowNs;
    }
  }

  /** All PSNs before {@code psn} are acknowledged. */
  void acknowledged(long nowNs, long psn, RoundTrip roundTrip) {
    due = false;
    if (timedPsn != NONE && timedPsn < psn) {
      roundTrip.sample(nowNs - timedNs);
      timedPsn = NONE;
      doublings = 0;
    }
  }

  /**
   * The packets in flight are sent again. An ACK could then belong to either copy, so it gives no
   * round trip (Karn's rule).
   */
  void sentAgain() {
    due = false;
    timedPsn = NONE;
    probedPsn = NONE;
  }

  /** Forgets the connection; the next packets belong to another one. */
  void forget() {
    sentAgain();
    doublings = 0;
  }

  /**
   * Computes the deadline of a probe when the ACK timeout starts.
   *
   * @return when an acknowledgement is overdue; {@link Deadlines#NEVER} if not before the ACK
   *     timeout
   */
  long dueNs(long nowNs, long ackTimeoutNs, RoundTrip roundTrip) {
    if (enabled && roundTrip.known() && doublings < MOST_DOUBLINGS) {
      long patienceNs = roundTrip.patienceNs() << doublings;
      return patienceNs < ackTimeoutNs ? nowNs + patienceNs : Deadlines.NEVER;
    }
    return Deadlines.NEVER;
  }

  /** The acknowledgement is overdue, so the next wait is twice as long. */
  void overdue() {
    doublings++;
    timedPsn = NONE;
  }

  /** Asks for the oldest packet to be sent again, because its acknowledgement is overdue. */
  void due() {
    due = true;
    confirms = false;
  }

  /** Asks for the oldest packet to be sent again, to confirm a doubt. */
  void confirm() {
    due = true;
    confirms = true;
  }

  boolean isDue() {
    return due;
  }

  /**
   * A probe was sent.
   *
   * @param oldest its PSN
   * @param next the first PSN that was not sent yet
   */
  void probed(long oldest, long next) {
    due = false;
    probedPsn = oldest;
    sentBefore = next;
  }

  /**
   * Judges an ACK. It answers the probe if it acknowledges exactly the probe's packet; a peer that
   * is still working through packets sent before the probe acknowledges more. By the time of the
   * answer, every packet sent before the probe has arrived or is lost.
   *
   * @param psn the acknowledged PSN
   * @param oldest the oldest PSN that is still unacknowledged
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
