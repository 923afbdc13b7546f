package org.roce4j.emulator.statistics;

/**
 * The PSNs of a queue pair and its running timers. PSNs have 24 bits.
 *
 * @param number of the queue pair
 * @param oldestUnacknowledged the oldest PSN that the peer has not acknowledged
 * @param nextToSend PSN of the next request packet; below {@code neverSent} while it sends again
 * @param neverSent the first PSN that was never sent
 * @param expected the PSN of the peer's next new request
 * @param retriesLeft of {@code retry_cnt}
 * @param rnrRetriesLeft of {@code rnr_retry}; 7: no limit
 * @param ackTimerNs when the ACK timeout is over, in ns of the device's clock; {@link #STOPPED}: it
 *     does not run
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
  /** Instead of a time: the timer does not run. */
  public static final long STOPPED = Long.MAX_VALUE;
}
