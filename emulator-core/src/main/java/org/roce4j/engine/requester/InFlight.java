package org.roce4j.engine.requester;

import org.roce4j.engine.time.Deadlines;

/**
 * A snapshot of what a requester has sent and not seen acknowledged, for messages and tools.
 * Approximate when read by a thread that does not own the engine.
 *
 * @param oldestPsn the oldest unacknowledged PSN
 * @param sendPsn the PSN of the next packet; below {@code nextPsn} during a retransmission
 * @param nextPsn the first PSN that was never sent
 * @param retriesLeft retries left of {@code retry_cnt}
 * @param rnrRetriesLeft retries left of {@code rnr_retry}; 7 means without limit
 * @param ackDueNs deadline of the ACK timeout, ns of the port's clock; {@link Deadlines#NEVER} if
 *     it does not run
 * @param rnrDueNs deadline of the RNR timer, ns of the port's clock; {@link Deadlines#NEVER} if it
 *     does not run
 * @param rnrNaks RNR NAKs received since the last progress
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

  /** The value of an unreliable requester, which waits for nothing. */
  static InFlight nothing(int nextPsn) {
    return new InFlight(nextPsn, nextPsn, nextPsn, 0, 0, Deadlines.NEVER, Deadlines.NEVER, 0);
  }
}
