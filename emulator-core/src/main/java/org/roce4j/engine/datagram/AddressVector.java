package org.roce4j.engine.datagram;

/**
 * Where a datagram or a connection goes, as an address handle or {@code ah_attr} says it.
 * Immutable, so that keeping a reference is the copy which posting must make.
 *
 * @param hopLimit 1..255
 */
public record AddressVector(
    int sgidIndex,
    long remoteHigh,
    long remoteLow,
    int flowLabel,
    int hopLimit,
    int trafficClass) {}
