package org.roce4j.engine.cm;

import org.roce4j.wire.Bytes;

/**
 * What an end brings into a connection.
 *
 * @param qpn number of its queue pair
 * @param responderResources READs and atomics that it accepts at a time
 * @param initiatorDepth READs and atomics that it will have outstanding
 * @param retryCount 0 to 7; told by the active end alone
 * @param rnrRetryCount 0 to 7: how often the peer may repeat what it cannot receive
 * @param privateData no longer than REQ or REP has room for
 */
public record Offer(
    int qpn,
    int responderResources,
    int initiatorDepth,
    boolean flowControl,
    int retryCount,
    int rnrRetryCount,
    boolean srq,
    Bytes privateData) {}
