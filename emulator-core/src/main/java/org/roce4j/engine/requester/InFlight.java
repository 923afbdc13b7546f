package org.roce4j.engine.requester;

import org.roce4j.engine.time.Deadlines;

/**
 * What a requester has sent and waits for, at one moment. For people; approximate on threads that
 * do not own the engine.
 *
 * @param oldestPsn the oldest that is not acknowledged
 * @param sendPsn of the next packet; below {@code nextPsn} while it goes back
 * @param nextPsn the first that was never sent
 * @param retriesLeft of {@code retry_cnt}
 * @param rnrRetriesLeft of {@code rnr_retry}; 7: without end
 * @param ackDueNs when the ACK timeout is over, ns of the port's clock; {@link Deadlines#NEVER}
 * @param rnrDueNs when the responder's RNR timer is over; {@link Deadlines#NEVER}: it does not run
 * @param rnrNaks since anything was acknowledged
 */
public record InFlight(
    int oldestPsn,
    int sendPsn,
    int nextPsn,
    int retriesLeft,
    int rnrRetriesLeft,
    long ackDueNs,
    long rnrDueNs,
    long rnrNaks) {

  /** Nothing is waited for: an unreliable requester. */
  static InFlight nothing(int nextPsn) {
    return new InFlight(nextPsn, nextPsn, nextPsn, 0, 0, Deadlines.NEVER, Deadlines.NEVER, 0);
  }
}
