package org.roce4j.engine.trace;

/**
 * A request that a program has posted, or a completion that it has polled.
 *
 * @param operation the name of a {@link org.roce4j.verbs.WrOpcode}, or RECV; of a completion that
 *     of a {@link org.roce4j.verbs.WcOpcode}
 * @param status the name of a {@link org.roce4j.verbs.WcStatus}; empty: it is a request
 * @param bytes of data; 0 where a completion does not tell
 * @param sinceEpochNs when, in nanoseconds since 1970; virtual time begins there
 */
public record RequestNote(
    int qpNum, long wrId, String operation, String status, long bytes, long sinceEpochNs) {}
