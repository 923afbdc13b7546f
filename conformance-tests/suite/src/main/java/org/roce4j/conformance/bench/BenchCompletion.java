package org.roce4j.conformance.bench;

import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/**
 * A completion, read from the array it was polled into.
 *
 * @param opcode the number, see {@link org.roce4j.verbs.WcOpcode}
 */
public record BenchCompletion(
    long wrId, WcStatus status, int opcode, int byteLength, int immediate, int qpNum, int flags) {
  static BenchCompletion of(WorkCompletions polled, int index) {
    return new BenchCompletion(
        polled.wrId(index),
        polled.status(index),
        polled.opcodeValue(index),
        polled.byteLength(index),
        polled.immediate(index),
        polled.qpNum(index),
        polled.flags(index));
  }
}
