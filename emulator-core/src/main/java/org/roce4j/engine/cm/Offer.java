package org.roce4j.engine.cm;

import org.roce4j.wire.Bytes;

/**
 * The parameters of one end of a connection.
 *
 * @param qpn number of its queue pair
 * @param responderResources number of READs and atomics that it accepts at a time
 * @param initiatorDepth number of READs and atomics that it will have outstanding
 * @param retryCount 0 to 7; only the active end sends it
 * @param rnrRetryCount 0 to 7: number of retries after an RNR NAK of this end
 * @param privateData private data that fits REQ or REP
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
