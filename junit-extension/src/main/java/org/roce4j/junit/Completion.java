package org.roce4j.junit;

import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/**
 * A completion as a value. Its text explains an error. If the status is not {@code SUCCESS}, only
 * {@code wrId}, {@code status} and {@code qpNum} are meaningful.
 *
 * @param wrId identifier of the request
 * @param bytes number of bytes transferred, for a datagram including the 40 of the network header
 * @param flags flags of {@link WcFlags}
 * @param immediate immediate data, meaningful with {@link WcFlags#WITH_IMM}
 * @param qpNum number of the local queue pair
 * @param sourceQp number of the sending queue pair (UD)
 * @param text description of the completion: {@link CompletionQueue#whyFailed}
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
  /** The completion at an index of an array that a poll of the queue has filled. */
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
   * @throws AssertionError with the reason if it failed
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
