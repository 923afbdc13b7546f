package org.roce4j.junit;

import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/**
 * A completion as a value, to keep and to compare; as text it says why it bears an error. Unless
 * the status is {@code SUCCESS}, only {@code wrId}, {@code status} and {@code qpNum} mean anything.
 *
 * @param wrId the identifier that the request was posted with
 * @param bytes transferred; a datagram's include the 40 of the network header
 * @param flags of {@link WcFlags}
 * @param immediate meaningful with {@link WcFlags#WITH_IMM}
 * @param qpNum number of the local queue pair
 * @param sourceQp number of the sending queue pair (UD)
 * @param text the completion for people: {@link CompletionQueue#whyFailed}
 */
public record Completion(
    long wrId,
    WcStatus status,
    WcOpcode opcode,
    int bytes,
    int flags,
    int immediate,
    int qpNum,
    int sourceQp,
    String text) {
  /** The entry of an array that a poll of this queue has filled. */
  public static Completion of(CompletionQueue cq, WorkCompletions from, int index) {
    return new Completion(
        from.wrId(index),
        from.status(index),
        from.opcode(index),
        from.byteLength(index),
        from.flags(index),
        from.immediate(index),
        from.qpNum(index),
        from.sourceQp(index),
        cq.whyFailed(from, index));
  }

  /**
   * Asserts that the request has succeeded.
   *
   * @return this completion
   * @throws AssertionError that says why it failed
   */
  public Completion succeeded() {
    if (status != WcStatus.SUCCESS) {
      throw new AssertionError(text);
    }
    return this;
  }

  @Override
  public String toString() {
    return text;
  }
}
