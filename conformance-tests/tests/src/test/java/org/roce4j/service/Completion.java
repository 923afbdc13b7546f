package org.roce4j.service;

import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/** A completion, to compare. */
record Completion(
    long wrId,
    WcStatus status,
    WcOpcode opcode,
    int bytes,
    int flags,
    int immediate,
    int qpNum,
    int sourceQp) {
  static Completion of(WorkCompletions from, int index) {
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
