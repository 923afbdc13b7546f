package org.roce4j.port;

/**
 * What a port can do.
 *
 * @param name for people, such as {@code linux} or {@code netty-epoll}
 * @param anyThread whether any thread may drive it; if not, the one that adopted it
 * @param maxTrain datagrams per train, 1 where there is no segmentation offload
 * @param identification of the datagrams it sends over IPv4
 * @param trafficClassOut whether it sends {@code Path.trafficClass}
 * @param trafficClassIn whether it tells the received TOS or traffic class
 * @param hopLimitIn whether it tells the received TTL or hop limit
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
