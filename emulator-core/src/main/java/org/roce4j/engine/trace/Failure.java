package org.roce4j.engine.trace;

import org.roce4j.verbs.WcStatus;

/**
 * A request that failed, for people. Made where it fails, which no request does that succeeds.
 *
 * @param wrId of the request
 * @param status with which it completes
 * @param request what it asked for, such as {@code RDMA_WRITE of 8 bytes to 0x7f00 (rkey 0x1234)}
 * @param why what was found wrong, a clause without a full stop
 */
public record Failure(long wrId, WcStatus status, String request, String why) {}
