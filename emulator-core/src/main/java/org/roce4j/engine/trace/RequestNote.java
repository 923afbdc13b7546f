package org.roce4j.engine.trace;

/**
 * A request that a program has posted, or a completion that it has polled.
 *
 * @param operation for a request the name of a {@link org.roce4j.verbs.WrOpcode} or RECV, for a
 *     completion that of a {@link org.roce4j.verbs.WcOpcode}
 * @param status the name of a {@link org.roce4j.verbs.WcStatus}; empty for a request
 * @param bytes length of the data; 0 if a completion does not contain it
 * @param sinceEpochNs time in nanoseconds since 1970, which is 0 of virtual time
 */
public record RequestNote(
    int qpNum, long wrId, String operation, String status, long bytes, long sinceEpochNs) {}
