package org.roce4j.emulator.statistics;

/**
 * The state of a queue pair at one moment. It is read without stopping the device, so the
 * components may be of different moments.
 *
 * @param number 24 bits
 * @param service such as {@code RC}
 * @param state such as {@code RTS}
 * @param peer such as {@code 0x11 at 10.0.0.2}; empty: none
 * @param sends send requests completed since its creation
 * @param sendsOutstanding send requests posted and not completed
 * @param receives receive requests taken since the creation of the receive queue
 * @param receivesPosted receive requests that are posted
 * @param sharedReceives whether both numbers of receives are those of a shared receive queue
 * @param rnrNaks RNR NAKs since the peer last acknowledged anything: the peer has no receive posted
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
