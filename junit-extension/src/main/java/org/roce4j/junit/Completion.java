package org.roce4j.junit;

import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/**
 * A completion as a value, to keep and to compare. Unless the status is {@code SUCCESS}, only
 * {@code wrId}, {@code status} and {@code qpNum} mean anything.
 *
 * @param wrId the identifier that the request was posted with
 * @param bytes transferred; a datagram's include the 40 of the network header
 * @param flags of {@link WcFlags}
 * @param immediate meaningful with {@link WcFlags#WITH_IMM}
 * @param qpNum number of the local queue pair
 * @param sourceQp number of the sending queue pair (UD)
 */
public record Completion(
    long wrId,
    WcStatus status,
    WcOpcode opcode,
    int bytes,
    int flags,
    int immediate,
    int qpNum,
    int sourceQp) {
  /** The entry of an array that a poll has filled. */
  public static Completion of(WorkCompletions from, int index) {
    return new Completion(
        from.wrId(index),
        from.status(index),
        from.opcode(index),
        from.byteLength(index),
        from.flags(index),
        from.immediate(index),
        from.qpNum(index),
        from.sourceQp(index));
  }
}
