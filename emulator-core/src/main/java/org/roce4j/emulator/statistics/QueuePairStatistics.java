package org.roce4j.emulator.statistics;

/**
 * A queue pair at one moment. It is read without stopping the device, so the numbers may be of
 * different moments.
 *
 * @param number 24 bits
 * @param service such as {@code RC}
 * @param state such as {@code RTS}
 * @param peer such as {@code 0x11 at 10.0.0.2}; empty: it has none
 * @param sends send requests done since it was made
 * @param sendsOutstanding send requests that are posted and not done
 * @param receives receive requests that were taken since the receive queue was made
 * @param receivesPosted receive requests that are posted
 * @param sharedReceives whether both numbers of receives are those of a shared receive queue
 * @param rnrNaks since the peer acknowledged anything: it has no receive posted
 */
public record QueuePairStatistics(
    int number,
    String service,
    String state,
    String peer,
    long sends,
    int sendsOutstanding,
    long receives,
    int receivesPosted,
    boolean sharedReceives,
    long rnrNaks) {}
