package org.roce4j.simulation;

/** A rule that holds in every run; a violation names the broken rule. */
public enum OracleRule {
  COMPLETED_ONCE_IN_ORDER("every request completes exactly once, in the order of posting"),
  RIGHT_STATUS("a request completes with the status that its fate calls for"),
  RIGHT_COMPLETION("opcode, length, immediate and key of a completion are those of the request"),
  RECEIVED_IN_ORDER("receive requests are matched by messages in the order of sending"),
  RECEIVED_BEFORE_SENT("a reliable send completes only after the peer received it"),
  BYTES_WHOLE("bytes arrive exactly once, whole, and are visible at completion"),
  WHOLE_OR_NOT_AT_ALL(
      "an unreliable message is received whole, in the order of arrival and as often as it arrives,"
          + " or not at all"),
  MEMORY_UNTOUCHED("no byte changes that nobody may write"),
  ATOMIC_ONCE("an atomic executes exactly once, in order, and returns what was there before"),
  FLUSHED_IN_ORDER("after the first error everything outstanding is flushed, in order"),
  BUDGET_SPENT("a request fails for lack of answers only when its retries were really spent"),
  RETRY_FOR_CAUSE("nothing is retried while everything sent arrives in time"),
  TIMEOUT_NOT_EARLY("a retransmission for lack of answers waits the whole ACK timeout"),
  RNR_WAIT_KEPT("after an RNR NAK nothing is sent before the time it asks for"),
  DRAINED_IS_SILENT("a drained send queue sends nothing until it is set to work again"),
  SAME_OPCODE_AGAIN("a retransmitted PSN bears the same opcode"),
  LIMIT_ONCE("an armed limit of a shared receive queue is told once when it is reached"),
  EVENTS_EXPECTED("no asynchronous event is raised without its cause"),
  PROGRESS("when the faults stop, everything outstanding finishes"),
  NOTHING_LEFT("what was destroyed or has failed leaves nothing behind"),
  NO_EXCEPTION("no input makes the engine throw");

  private final String sentence;

  OracleRule(String sentence) {
    this.sentence = sentence;
  }

  /** The rule as a sentence. */
  public String sentence() {
    return sentence;
  }
}
