package org.roce4j.emulator.statistics;

/**
 * Where a queue pair stands in the sequence of packets, and what it waits for. PSNs have 24 bits.
 *
 * @param number of the queue pair
 * @param oldestUnacknowledged the oldest PSN that the peer has not acknowledged
 * @param nextToSend PSN of the next request packet; below {@code neverSent} while it sends again
 * @param neverSent the first PSN that was never sent
 * @param expected the PSN that the next new request of the peer bears
 * @param retriesLeft of {@code retry_cnt}
 * @param rnrRetriesLeft of {@code rnr_retry}; 7: without end
 * @param ackTimerNs when the ACK timeout is over, ns of the device's clock; {@link #STOPPED}
 * @param rnrTimerNs when the peer's RNR timer is over; {@link #STOPPED}: it does not run
 */
public record PsnWindow(
    int number,
    int oldestUnacknowledged,
    int nextToSend,
    int neverSent,
    int expected,
    int retriesLeft,
    int rnrRetriesLeft,
    long ackTimerNs,
    long rnrTimerNs) {
  /** In place of a time: the timer does not run. */
  public static final long STOPPED = Long.MAX_VALUE;
}
