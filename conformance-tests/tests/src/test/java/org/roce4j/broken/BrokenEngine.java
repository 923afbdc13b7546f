package org.roce4j.broken;

import static org.roce4j.broken.Catcher.dialogues;
import static org.roce4j.broken.Catcher.rows;
import static org.roce4j.broken.Catcher.simulation;
import static org.roce4j.broken.Mistake.in;
import static org.roce4j.conformance.Rule.ACK_TIMEOUT;
import static org.roce4j.conformance.Rule.ATOMICS;
import static org.roce4j.conformance.Rule.ATOMIC_REPLAY;
import static org.roce4j.conformance.Rule.DUPLICATES;
import static org.roce4j.conformance.Rule.FLUSH;
import static org.roce4j.conformance.Rule.HELD_REQUESTS;
import static org.roce4j.conformance.Rule.OPCODE_SEQUENCE;
import static org.roce4j.conformance.Rule.R11;
import static org.roce4j.conformance.Rule.R14;
import static org.roce4j.conformance.Rule.R17_ONCE;
import static org.roce4j.conformance.Rule.R2;
import static org.roce4j.conformance.Rule.R3;
import static org.roce4j.conformance.Rule.R7;
import static org.roce4j.conformance.Rule.READ_REPLAY;
import static org.roce4j.conformance.Rule.REMOTE_KEY;
import static org.roce4j.conformance.Rule.RETRY_COUNT;
import static org.roce4j.conformance.Rule.SQD;
import static org.roce4j.conformance.Rule.SRQ_LIMIT;
import static org.roce4j.conformance.Rule.UC;
import static org.roce4j.conformance.Rule.UD;
import static org.roce4j.simulation.OracleRule.ATOMIC_ONCE;
import static org.roce4j.simulation.OracleRule.BUDGET_SPENT;
import static org.roce4j.simulation.OracleRule.BYTES_WHOLE;
import static org.roce4j.simulation.OracleRule.COMPLETED_ONCE_IN_ORDER;
import static org.roce4j.simulation.OracleRule.DRAINED_IS_SILENT;
import static org.roce4j.simulation.OracleRule.EVENTS_EXPECTED;
import static org.roce4j.simulation.OracleRule.FLUSHED_IN_ORDER;
import static org.roce4j.simulation.OracleRule.LIMIT_ONCE;
import static org.roce4j.simulation.OracleRule.MEMORY_UNTOUCHED;
import static org.roce4j.simulation.OracleRule.NOTHING_LEFT;
import static org.roce4j.simulation.OracleRule.NO_EXCEPTION;
import static org.roce4j.simulation.OracleRule.PROGRESS;
import static org.roce4j.simulation.OracleRule.RECEIVED_BEFORE_SENT;
import static org.roce4j.simulation.OracleRule.RECEIVED_IN_ORDER;
import static org.roce4j.simulation.OracleRule.RETRY_FOR_CAUSE;
import static org.roce4j.simulation.OracleRule.RIGHT_COMPLETION;
import static org.roce4j.simulation.OracleRule.RIGHT_STATUS;
import static org.roce4j.simulation.OracleRule.RNR_WAIT_KEPT;
import static org.roce4j.simulation.OracleRule.SAME_OPCODE_AGAIN;
import static org.roce4j.simulation.OracleRule.TIMEOUT_NOT_EARLY;
import static org.roce4j.simulation.OracleRule.WHOLE_OR_NOT_AT_ALL;

import java.util.List;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Psn;

/**
 * The engine with one mistake: a sentence about it, its place, and the tests that must notice it.
 *
 * <p>There is one for each rule of the simulation and each family of dialogues, and for mistakes
 * that only two threads or a long run shows. Other mistakes are for unit tests and mutation
 * testing.
 */
enum BrokenEngine {
  // ---- several engines
  GROUP_ON_ONE_ENGINE(
      "what is sent to a group reaches the queue pairs of one engine alone",
      in("Handover", "members").result(Long::highestOneBit),
      simulation(WHOLE_OR_NOT_AT_ALL)),
  ONE_HANDED_OVER_A_TURN(
      "of several datagrams handed over, an engine takes in one and leaves the others",
      in("HandoverRing", "size").result(size -> Math.min(1, size)),
      simulation(TIMEOUT_NOT_EARLY)),
  HANDED_OVER_WITHOUT_A_TURN(
      "nobody runs the engine that was handed something",
      in("Engine", "takeRecipients").doesNothing(),
      simulation(RETRY_FOR_CAUSE)),

  // ---- several ports
  DATAGRAM_AT_ANOTHER_PORT(
      "a datagram reaches a queue pair by way of a port that it is not bound to",
      in("PacketChecks", "atItsPort").result(_ -> 1),
      simulation(WHOLE_OR_NOT_AT_ALL)),

  // ---- memory
  RKEY_WITHOUT_PD(
      "a remote key is taken whatever its protection domain",
      in("Region", "locate").comparesNothingWith("domain"),
      dialogues(REMOTE_KEY),
      rows("FLT-PEER-[A-Z_]+-RKEY_OTHER_PD")),

  // ---- completions
  SENDS_NOT_FLUSHED(
      "send requests are not flushed",
      in("Requester", "flush").doesNothing(),
      dialogues(FLUSH),
      simulation(FLUSHED_IN_ORDER).saying("send requests never completed")),
  RECEIVES_NOT_FLUSHED(
      "receive requests are not flushed",
      in("Responder", "flush").doesNothing(),
      dialogues(FLUSH),
      simulation(FLUSHED_IN_ORDER).saying("receive requests never completed")),
  COMPLETED_TWICE(
      "a send request completes twice",
      in("SendCompletions", "completeHead").call("push").isDoneTwice(),
      dialogues(R17_ONCE),
      simulation(COMPLETED_ONCE_IN_ORDER)),
  SRQ_LIMIT_TWICE(
      "the limit event of a shared receive queue comes with every receive below the limit",
      in("ReceiveQueue", "fellBelowWatched").call("compareAndSet").becomes(n -> 1),
      dialogues(SRQ_LIMIT),
      simulation(LIMIT_ONCE)),

  // ---- requester
  ACK_COMPLETES_READ(
      "an ACK or NAK completes READs without their data",
      in("ResponseHandler", "coverBefore").call("needsResponse").isLeftOut(),
      dialogues(R2, R3)),
  RNR_WAIT_TOO_SHORT(
      "the RNR wait is a microsecond, whatever the timer says",
      in("LossRecovery", "waitForReceiver").call("rnrDelayNs").becomes(n -> 1000),
      dialogues(R14),
      simulation(RNR_WAIT_KEPT)),
  ACK_TIMEOUT_TOO_SHORT(
      "the ACK timeout is half of what its code says",
      in("LossRecovery", "configure")
          .call("ns")
          .becomes(n -> AckTimeout.ns(Math.max(0, (int) n[0] - 1))),
      dialogues(ACK_TIMEOUT),
      simulation(TIMEOUT_NOT_EARLY)),
  HELD_PAST_A_POLL(
      "requests wait on though a thread polls, or something arrives",
      in("DutyCycle", "turn").call("isRung").isLeftOut(),
      dialogues(HELD_REQUESTS)),
  HELD_PAST_THE_DEADLINE(
      "requests wait for one another without a deadline",
      in("RequestHolding", "deadlineNs").returns(n -> Deadlines.NEVER),
      dialogues(HELD_REQUESTS)),

  // ---- responder
  ATOMIC_TWICE(
      "an atomic is executed twice",
      in("ReliableResponder", "atomic").call("fetchAdd").isDoneTwice(),
      dialogues(ATOMICS),
      simulation(ATOMIC_ONCE).saying("returned -?\\d+ instead of")),
  DUPLICATE_EXECUTED(
      "a duplicate is taken for the next request",
      in("ReliableResponder", "handleRequest")
          .call("extend")
          .becomes(n -> Math.max(n[0], Psn.extend(n[0], (int) n[1]))),
      dialogues(DUPLICATES, ATOMIC_REPLAY)),
  ANSWERS_FORGOTTEN(
      "no answer is kept for duplicates",
      in("AnswerRing", "find").doesNothing(),
      dialogues(READ_REPLAY, ATOMIC_REPLAY, R7)),
  OPCODES_NOT_IN_SEQUENCE(
      "any opcode may follow any other",
      in("OpenMessage", "accepts").returns(n -> 1),
      dialogues(OPCODE_SEQUENCE)),

  // ---- services
  UC_ONE_AHEAD(
      "UC expects the PSN after the next",
      in("UnreliableResponder", "handleRequest").call("add").becomes(n -> n[0] + 2 & Psn.MASK),
      dialogues(R11, UC)),
  NOT_HELD_IN_SQD(
      "a drained queue starts what is posted",
      in("ReliableRequester", "hold").doesNothing(),
      dialogues(SQD),
      simulation(DRAINED_IS_SILENT)),
  QKEY_NOT_CHECKED(
      "a datagram may bear any Q_Key",
      in("DatagramResponder", "handleRequest").call("qkey").becomes(n -> 0x11111111),
      dialogues(UD)),

  // ---- mistakes that only an oracle beside a long run notices
  READ_WITHOUT_ITS_LENGTH(
      "a completion tells another number of bytes than were read",
      in("SendCompletions", "completeHead").call("length").becomes(n -> 3),
      simulation(RIGHT_COMPLETION)),
  ANOTHER_IMMEDIATE(
      "a completion bears another immediate value",
      in("CompletionRing", "immediate").argument(1, number -> number ^ 1),
      simulation(RECEIVED_IN_ORDER)),
  WRITE_WITHOUT_BYTES(
      "an RDMA WRITE is acknowledged and its bytes are thrown away",
      in("RemoteRange", "write").returns(n -> 1),
      simulation(BYTES_WHOLE)),
  WRITE_BESIDE_ITS_PLACE(
      "an RDMA WRITE lands eight bytes behind its place",
      in("RemoteRange", "write").argument(0, offset -> offset + 8),
      simulation(MEMORY_UNTOUCHED)),
  GIVES_UP_EARLY(
      "a request fails before its retries are spent",
      in("RetryBudget", "retryCount").argument(0, count -> 0),
      dialogues(RETRY_COUNT),
      simulation(BUDGET_SPENT)),
  EVENT_TWICE(
      "a drained send queue says so twice",
      in("Drain", "look").call("event").isDoneTwice(),
      simulation(EVENTS_EXPECTED).saying("SQ_DRAINED without a cause")),
  NEVER_TIMES_OUT(
      "the ACK timer is never started",
      in("LossRecovery", "startAckTimer").doesNothing(),
      simulation(PROGRESS)),
  ACKNOWLEDGED_AND_NOT_COMPLETED(
      "a message is acknowledged, and the receiver is not told",
      in("Responder", "completeMessage").doesNothing(),
      simulation(RECEIVED_BEFORE_SENT)),
  PROBED_WITH_ANOTHER_PACKET(
      "a probe for loss is the middle of a message, whatever the oldest packet was",
      in("ReliableRequester", "sendProbe").call("firstPsn").becomes(n -> 0),
      simulation(SAME_OPCODE_AGAIN)),
  WATCHED_WITHOUT_END(
      "a path's window is watched although nobody waits for it",
      in("PathWindow", "watched").call("isWaiting").becomes(n -> 1),
      simulation(NOTHING_LEFT)),
  FAILED_AND_READY(
      "a request fails, and the queue pair stays as it was",
      in("QpFailure", "sendQueueFails").call("publish").isLeftOut(),
      simulation(RIGHT_STATUS).saying("in RTS: .* completed with LOC_LEN_ERR")),
  PORT_NOT_TOLD(
      "nobody is told that a port went down",
      in("Device", "tell").doesNothing(),
      simulation(EVENTS_EXPECTED).saying("never told of .*PORT_ERR")),
  LAST_REQUEST_NOT_TOLD(
      "a queue pair that has failed never is done with its shared receive queue",
      in("QpFailure", "tell").call("sharesReceives").becomes(n -> 0),
      simulation(EVENTS_EXPECTED).saying("never said that it is done")),
  THROWS(
      "a duplicate request makes the engine throw",
      in("AnswerRing", "find").returns(BrokenEngine::thrown),
      simulation(NO_EXCEPTION));

  private final String mistakeSaid;
  private final Mistake mistake;
  private final List<Catcher> catchers;

  /**
   * @param mistakeSaid the mistake in words
   * @param catchers the tests that must notice it
   */
  BrokenEngine(String mistakeSaid, Mistake mistake, Catcher... catchers) {
    this.mistakeSaid = mistakeSaid;
    this.mistake = mistake;
    this.catchers = List.of(catchers);
  }

  private static long thrown(long... n) {
    throw new IllegalStateException("seen by " + n.length);
  }

  String mistakeSaid() {
    return mistakeSaid;
  }

  Mistake mistake() {
    return mistake;
  }

  List<Catcher> catchers() {
    return catchers;
  }
}
