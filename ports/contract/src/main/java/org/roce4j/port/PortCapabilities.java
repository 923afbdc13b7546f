package org.roce4j.port;

/**
 * The abilities of a port.
 *
 * @param name name in messages, such as {@code linux} or {@code netty-epoll}
 * @param anyThread whether any thread may drive it; if false, only the thread that adopted it
 * @param maxTrain greatest number of datagrams in a train; 1 without segmentation offload
 * @param identification identifications of the datagrams that it sends over IPv4
 * @param trafficClassOut whether it sends {@code Path.trafficClass}
 * @param trafficClassIn whether it reports the received TOS or traffic class
 * @param hopLimitIn whether it reports the received TTL or hop limit
 * @param multicast whether it can join groups
 */
public record PortCapabilities(
    String name,
    boolean anyThread,
    int maxTrain,
    IdentificationRule identification,
    boolean trafficClassOut,
    boolean trafficClassIn,
    boolean hopLimitIn,
    boolean multicast) {}
