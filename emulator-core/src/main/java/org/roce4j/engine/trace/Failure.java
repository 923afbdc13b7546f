package org.roce4j.engine.trace;

import org.roce4j.verbs.WcStatus;

/**
 * Describes a failed request. Created only when a request fails, so successful ones allocate
 * nothing.
 *
 * @param wrId identifier of the request
 * @param status status of its completion
 * @param request description of the request, such as {@code RDMA_WRITE of 8 bytes to 0x7f00 (rkey
 *     0x1234)}
 * @param why the cause, a clause without a full stop
 */
public record Failure(long wrId, WcStatus status, String request, String why) {}
