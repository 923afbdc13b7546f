package org.roce4j.broken;

import static org.roce4j.broken.Catcher.dialogues;
import static org.roce4j.broken.Catcher.rows;
import static org.roce4j.broken.Catcher.simulation;
import static org.roce4j.broken.Mistake.in;
import static org.roce4j.conformance.Rule.ACKNOWLEDGING;
import static org.roce4j.conformance.Rule.ACK_TIMEOUT;
import static org.roce4j.conformance.Rule.ATOMICS;
import static org.roce4j.conformance.Rule.ATOMIC_REPLAY;
import static org.roce4j.conformance.Rule.COMPLETION_ORDER;
import static org.roce4j.conformance.Rule.DUPLICATES;
import static org.roce4j.conformance.Rule.FENCE;
import static org.roce4j.conformance.Rule.FLUSH;
import static org.roce4j.conformance.Rule.HELD_REQUESTS;
import static org.roce4j.conformance.Rule.LENGTHS;
import static org.roce4j.conformance.Rule.OPCODE_SEQUENCE;
import static org.roce4j.conformance.Rule.PATH_WINDOW;
import static org.roce4j.conformance.Rule.PSN_ORDER;
import static org.roce4j.conformance.Rule.R1;
import static org.roce4j.conformance.Rule.R11;
import static org.roce4j.conformance.Rule.R12;
import static org.roce4j.conformance.Rule.R14;
import static org.roce4j.conformance.Rule.R17_ONCE;
import static org.roce4j.conformance.Rule.R17_RANGE;
import static org.roce4j.conformance.Rule.R2;
import static org.roce4j.conformance.Rule.R3;
import static org.roce4j.conformance.Rule.R4;
import static org.roce4j.conformance.Rule.R5;
import static org.roce4j.conformance.Rule.R7;
import static org.roce4j.conformance.Rule.R8;
import static org.roce4j.conformance.Rule.R9;
import static org.roce4j.conformance.Rule.READ_CREDITS;
import static org.roce4j.conformance.Rule.READ_REPLAY;
import static org.roce4j.conformance.Rule.REMOTE_KEY;
import static org.roce4j.conformance.Rule.RESET;
import static org.roce4j.conformance.Rule.RETRY_COUNT;
import static org.roce4j.conformance.Rule.SEGMENTATION;
import static org.roce4j.conformance.Rule.SOLICITED;
import static org.roce4j.conformance.Rule.SQD;
import static org.roce4j.conformance.Rule.SRQ_LIMIT;
import static org.roce4j.conformance.Rule.UC;
import static org.roce4j.conformance.Rule.UD;
import static org.roce4j.simulation.Rule.ATOMIC_ONCE;
import static org.roce4j.simulation.Rule.BUDGET_SPENT;
import static org.roce4j.simulation.Rule.BYTES_WHOLE;
import static org.roce4j.simulation.Rule.COMPLETED_ONCE_IN_ORDER;
import static org.roce4j.simulation.Rule.DRAINED_IS_SILENT;
import static org.roce4j.simulation.Rule.EVENTS_EXPECTED;
import static org.roce4j.simulation.Rule.FLUSHED_IN_ORDER;
import static org.roce4j.simulation.Rule.LIMIT_ONCE;
import static org.roce4j.simulation.Rule.MEMORY_UNTOUCHED;
import static org.roce4j.simulation.Rule.NOTHING_LEFT;
import static org.roce4j.simulation.Rule.NO_EXCEPTION;
import static org.roce4j.simulation.Rule.PROGRESS;
import static org.roce4j.simulation.Rule.RECEIVED_BEFORE_SENT;
import static org.roce4j.simulation.Rule.RECEIVED_IN_ORDER;
import static org.roce4j.simulation.Rule.RETRY_FOR_CAUSE;
import static org.roce4j.simulation.Rule.RIGHT_COMPLETION;
import static org.roce4j.simulation.Rule.RIGHT_STATUS;
import static org.roce4j.simulation.Rule.RNR_WAIT_KEPT;
import static org.roce4j.simulation.Rule.SAME_OPCODE_AGAIN;
import static org.roce4j.simulation.Rule.TIMEOUT_NOT_EARLY;
import static org.roce4j.simulation.Rule.WHOLE_OR_NOT_AT_ALL;

import java.util.List;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Errno;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Psn;

/**
 * The engine with one mistake: a sentence about it, its place, and the tests that must notice it.
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
  ALL_PORTS_DOWN(
      "when one port goes down the others are silent as well",
      in("PortStates", "apply").call("ports").becomes(_ -> 1),
      simulation(WHOLE_OR_NOT_AT_ALL)),

  // ---- memory
  RKEY_WITHOUT_PD(
      "a remote key is taken whatever its protection domain",
      in("Region", "locate").comparesNothingWith("domain"),
      dialogues(REMOTE_KEY),
      rows("FLT-PEER-[A-Z_]+-RKEY_OTHER_PD")),
  RANGE_CHECK_OVERFLOWS(
      "the end of a range is computed by a sum that overflows",
      in("MemoryKey", "within")
          .returns(n -> n[0] - n[2] >= 0 && n[0] + n[1] <= n[2] + n[3] ? 1 : 0),
      dialogues(R17_RANGE)),
  WINDOW_NOT_CHECKED(
      "a window is not checked by its own range",
      in("Window$Binding", "locate").call("within").becomes(n -> 1),
      dialogues(R12)),
  RIGHTS_OF_QUEUE_PAIR_IGNORED(
      "a request needs no right of the queue pair",
      in("RequestChecks", "permitted").returns(n -> 1),
      dialogues(R9)),

  // ---- completions
  SENDS_NOT_FLUSHED(
      "send requests are not flushed", in("Requester", "flush").doesNothing(), dialogues(FLUSH)),
  RECEIVES_NOT_FLUSHED(
      "receive requests are not flushed", in("Responder", "flush").doesNothing(), dialogues(FLUSH)),
  UNSIGNALED_NOT_FLUSHED(
      "unsignaled requests are not completed by the flush",
      in("SendCompletions", "completeHead").comparesNothingWith("SUCCESS"),
      dialogues(FLUSH)),
  COMPLETED_TWICE(
      "a send request completes twice",
      in("SendCompletions", "completeHead").call("push").isDoneTwice(),
      dialogues(R17_ONCE),
      simulation(COMPLETED_ONCE_IN_ORDER)),
  OF_ANOTHER_REQUEST(
      "a completion names the request beside its own",
      in("SendQueue", "wrId").result(id -> id ^ 1),
      dialogues(COMPLETION_ORDER),
      simulation(COMPLETED_ONCE_IN_ORDER)),
  SOLICITED_NEVER(
      "the solicited bit is ignored: nothing is solicited",
      in("Responder", "completeMessage").call("solicited").isLeftOut(),
      dialogues(SOLICITED)),
  SOLICITED_ALWAYS(
      "the solicited bit is ignored: everything is solicited",
      in("Responder", "completeMessage").call("solicited").becomes(n -> 1),
      dialogues(SOLICITED)),
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
  BUDGET_NOT_RELOADED(
      "progress does not reload the retry counters",
      in("RetryBudget", "reload").doesNothing(),
      dialogues(R8)),
  RETRY_CNT_ONE_LESS(
      "one retry less than retry_cnt",
      in("RetryBudget", "retryCount").argument(0, count -> Math.max(0, count - 1)),
      dialogues(RETRY_COUNT)),
  RETRY_CNT_ONE_MORE(
      "one retry more than retry_cnt",
      in("RetryBudget", "retryCount").argument(0, count -> count + 1),
      dialogues(RETRY_COUNT)),
  SEQUENCE_NAK_IN_RNR_WAIT(
      "a sequence NAK during an RNR wait consumes a retry",
      in("LossRecovery", "retryOnce").comparesNothingWith("NONE"),
      dialogues(R4)),
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
  FENCE_IGNORED(
      "a fenced request does not wait for the READs before it",
      in("ReliableRequester", "startNext").call("flag").isLeftOut(),
      dialogues(FENCE)),
  READ_CREDITS_IGNORED(
      "more READs and atomics are outstanding than max_rd_atomic",
      in("RdAtomicCredits", "available").returns(n -> 1),
      dialogues(READ_CREDITS)),
  PATH_WINDOW_IGNORED(
      "the path's window admits everything",
      in("PathWindow", "admits").returns(n -> 1),
      dialogues(PATH_WINDOW)),
  PROBE_BELIEVED_AT_ONCE(
      "the first answer to a probe that passes over something starts a retry",
      in("LossRecovery", "acknowledgedUpTo").call("oldestNeedsResponse").becomes(n -> 1),
      dialogues(ACK_TIMEOUT)),
  HELD_PAST_A_FULL_TRAIN(
      "requests wait for one another though they fill a train",
      in("PublishedState", "publishMayWait").argument(0, end -> end == 0 ? 0 : Long.MAX_VALUE),
      dialogues(HELD_REQUESTS)),
  HELD_PAST_A_POLL(
      "requests wait on though a thread polls, or something arrives",
      in("DutyCycle", "turn").call("isRung").isLeftOut(),
      dialogues(HELD_REQUESTS)),
  HELD_PAST_THE_DEADLINE(
      "requests wait for one another without a deadline",
      in("RequestHolding", "deadlineNs").returns(n -> Deadlines.NEVER),
      dialogues(HELD_REQUESTS)),
  HELD_WITH_LITTLE_IN_FLIGHT(
      "requests wait though what was in flight is acknowledged",
      in("RequestHolding", "nextTrain").call("unackedPackets").becomes(n -> 1000),
      dialogues(HELD_REQUESTS)),
  HELD_BEYOND_A_TRAIN(
      "more requests wait for one another than a train takes",
      in("RequestHolding", "turnTaken").argument(3, capacity -> 64),
      dialogues(HELD_REQUESTS)),
  HELD_IN_A_PING_PONG(
      "requests wait though the peer has sent one since",
      in("ReliableRequester", "requestCame").doesNothing(),
      dialogues(HELD_REQUESTS)),
  HELD_FENCED(
      "a fenced request waits for others",
      in("SendQueue", "isPatient").returns(n -> 1),
      dialogues(HELD_REQUESTS)),
  HELD_IN_ERROR(
      "what is posted in ERR waits to be flushed",
      in("QpMachine", "publish").call("publishMayWait").isLeftOut(),
      dialogues(HELD_REQUESTS)),
  ALWAYS_MIDDLE(
      "no packet of a message is its last",
      in("Segmentation", "opcode").argument(3, last -> 0),
      dialogues(SEGMENTATION)),
  RESPONSE_PSN_NOT_EXTENDED(
      "responses are compared as 24-bit numbers: none counts after the wrap",
      in("ResponseHandler", "handle").call("extend").becomes(BrokenEngine::notExtended),
      simulation(RETRY_FOR_CAUSE)),

  // ---- responder
  RE_ACK_COVERS_READ(
      "a re-ACK covers a READ that follows the duplicate",
      in("AnswerRing", "firstAfter").returns(n -> n[1]),
      dialogues(R1)),
  ACK_ONE_TOO_MANY(
      "an ACK names one PSN too many",
      in("Acknowledger", "acknowledge").argument(0, psn -> psn + 1),
      dialogues(ACKNOWLEDGING)),
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
  REQUEST_PSN_NOT_EXTENDED(
      "requests are compared as 24-bit numbers: a duplicate from before the wrap is ahead",
      in("ReliableResponder", "handleRequest").call("extend").becomes(BrokenEngine::notExtended),
      dialogues(PSN_ORDER)),
  LENGTHS_NOT_CHECKED(
      "a packet may have any length",
      in("RequestChecks", "lengthLegal").returns(n -> 1),
      dialogues(LENGTHS)),
  OPCODES_NOT_IN_SEQUENCE(
      "any opcode may follow any other",
      in("RequestChecks", "inSequence").returns(n -> 1),
      dialogues(OPCODE_SEQUENCE)),
  RECEIVE_TOO_SMALL(
      "a message may be longer than its receive request",
      in("HeldReceive", "fits").returns(n -> 1),
      dialogues(R5)),

  // ---- services
  PSN_COMPARED_AS_NUMBER(
      "PSNs are compared as plain numbers",
      in("Psn", "distance").returns(n -> n[0] - (n[1] & Psn.MASK)),
      dialogues(PSN_ORDER)),
  UC_ONE_AHEAD(
      "UC expects the PSN after the next",
      in("UnreliableResponder", "handleRequest").call("add").becomes(n -> n[0] + 2 & Psn.MASK),
      dialogues(R11, UC)),
  NOT_HELD_IN_SQD(
      "a drained queue starts what is posted",
      in("ReliableRequester", "hold").doesNothing(),
      dialogues(SQD),
      simulation(DRAINED_IS_SILENT)),
  NOT_DISCARDED_BY_RESET(
      "what was posted survives RESET", in("Requester", "discard").doesNothing(), dialogues(RESET)),
  QKEY_NOT_CHECKED(
      "a datagram may bear any Q_Key",
      in("DatagramResponder", "handleRequest").call("qkey").becomes(n -> 0x11111111),
      dialogues(UD)),

  // ---- what only an oracle sees beside a long run
  SENDS_REFUSED_BY_THEIR_MEMORY(
      "the memory of a request is taken for foreign",
      in("LocalCursor", "gather").returns(n -> 0),
      simulation(RIGHT_STATUS).saying("completed with LOC_PROT_ERR without a failure")),
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
  RECEIVES_LEFT_IN_ERROR(
      "receive requests stay in the queue of a queue pair that has failed",
      in("Responder", "flush").doesNothing(),
      simulation(FLUSHED_IN_ORDER).saying("receive requests never completed")),
  GIVES_UP_EARLY(
      "a request fails before its retries are spent",
      in("RetryBudget", "retryCount").argument(0, count -> 0),
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
  FAILED_AS_A_DATAGRAM_DOES(
      "a connection that fails may be set to work again",
      in("QpFailure", "sendQueueFails").call("reliable").becomes(n -> 0),
      simulation(RIGHT_STATUS).saying("but the queue pair is in SQE")),
  RECEIVES_FLUSHED_IN_SQE(
      "a datagram that fails flushes the receive requests, too",
      in("QpFailure", "sendQueueFailed").call("reliable").becomes(n -> 1),
      simulation(RIGHT_STATUS).saying("receive of up to .* completed with .* WR_FLUSH_ERR")),
  NO_ROOM_FOR_RECEIVES(
      "a receive queue takes nothing",
      in("RequestRing", "claim").returns(n -> -1),
      simulation(RIGHT_STATUS).saying("posting \\d+ receive requests")),
  NO_ROOM_FOR_SENDS(
      "a send queue takes what it refuses",
      in("SendPosting", "post").result(n -> Errno.ENOMEM.number()),
      simulation(RIGHT_STATUS).saying("posting .* returned errno 12")),
  DATAGRAM_WITHOUT_ITS_HEADER(
      "the room of a network header is not counted",
      in("DatagramResponder", "complete").call("payloadLength").becomes(n -> -40),
      simulation(RIGHT_COMPLETION).saying("receive of up to .* completed with 0 bytes")),
  GROUP_NOT_JOINED(
      "a datagram to one group reaches the members of another",
      in("MulticastTable", "members").argument(1, low -> low ^ 1),
      simulation(WHOLE_OR_NOT_AT_ALL).saying("came, but the next message that arrived whole is")),
  ANOTHER_KEY_OF_A_WINDOW(
      "a window is bound with another key than was asked for",
      in("Window", "rename").argument(0, key -> key ^ 1),
      simulation(RIGHT_COMPLETION).saying("a window was bound with key")),
  SENDS_LEFT_IN_ERROR(
      "send requests stay in the queue of a queue pair that has failed",
      in("Requester", "flush").doesNothing(),
      simulation(FLUSHED_IN_ORDER).saying("send requests never completed")),
  OVERFLOW_SAID_OF_ALL(
      "a completion queue takes itself for one that overflowed",
      in("CompletionRing", "overflowed").returns(n -> 1),
      simulation(COMPLETED_ONCE_IN_ORDER).saying("a completion queue overflowed")),
  COMPLETION_OF_ANOTHER(
      "a completion bears the number of another queue pair",
      in("CompletionRing", "claim").argument(4, qpNum -> qpNum ^ 1),
      simulation(COMPLETED_ONCE_IN_ORDER).saying("for a queue pair that is not there")),
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

  private static long notExtended(long... n) {
    return (n[0] & ~(long) Psn.MASK) | n[1];
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
