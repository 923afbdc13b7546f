package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Psn;
import org.roce4j.wire.Transport;

/**
 * The responder of a reliable connection, plain or extended (rc-transport 4, 9). A request passes
 * the specification's ladder: its PSN decides whether it is new, a duplicate or too early; {@link
 * RequestChecks} decide whether a new one is refused; then it is executed, completed and
 * acknowledged.
 *
 * <p>A fatal request is answered after all requests before it, and the queue pair fails only then,
 * so that earlier READs keep their answers.
 */
public final class ReliableResponder extends Responder {
  private final RequestChecks checks;
  private final AnswerRing answers;
  private final AnswerWriter writer;
  private final Acknowledger acknowledger;

  /**
   * XRC: the domain of the shared receive queues that messages name; null for a plain connection.
   */
  private final XrcScope scope;

  /** XRC: the shared receive queue that the last message named, or null. */
  private XrcReceiver receiver;

  /** ePSN: the PSN of the next new request, as a number that never wraps. */
  private long expected;

  /** Messages completed since the queue pair became RTR, as sent in AETHs. */
  private int msn;

  /**
   * How a fatal request was refused; its NAK waits for the answers before it. NONE: requests are
   * accepted.
   */
  private RequestRefusal failure = RequestRefusal.NONE;

  /** The refused request and the reason, for messages. */
  private String why;

  public ReliableResponder(ReceiveSide side, int maxSge) {
    super(side, maxSge);
    answers = new AnswerRing(side);
    checks = new RequestChecks(side, receive, answers);
    scope = side.xrc();
    writer = new AnswerWriter(peer, scope == null ? Transport.RC : Transport.XRC);
    acknowledger = new Acknowledger(side, writer);
  }

  @Override
  public void configure(QpAttr attr, int mask) {
    checks.accessFlags(attr.qpAccessFlags());
    acknowledger.minRnrTimer(attr.minRnrTimer());
    if ((mask & QpAttrMask.MAX_DEST_RD_ATOMIC) != 0) {
      answers.resize(attr.maxDestRdAtomic());
    }
  }

  @Override
  public void reserve(QpAttr attr, int mask) {
    if ((mask & QpAttrMask.MAX_DEST_RD_ATOMIC) != 0) {
      answers.reserve(attr.maxDestRdAtomic());
    }
  }

  @Override
  public void start(int expectedPsn) {
    expected = Psn.MASK + 1L + expectedPsn;
    msn = 0;
    failure = RequestRefusal.NONE;
    checks.start();
    answers.clear();
    acknowledger.clear();
  }

  @Override
  public int expectedPsn() {
    return (int) expected & Psn.MASK;
  }

  @Override
  public long touch(int step) {
    return super.touch(step)
        + switch (step) {
          case ITSELF -> expected + (failing() ? 1 : 0);
          case PARTS -> checks.touch() + (answers.anyPending() ? 1 : 0) + acknowledger.touch();
          case ANSWER -> answers.touch();
          default -> 0;
        };
  }

  // ---- requests

  @Override
  public boolean handleRequest(InboundPacket packet, Inbound inbound) {
    if (failing()) {
      drop(Counter.REQUEST_DROPPED, packet);
      return false;
    }
    long before = expected;
    long psn = Psn.extend(expected, packet.psn());
    if (psn > expected) {
      counters.increment(Counter.OUT_OF_SEQUENCE_REQUEST);
      acknowledger.outOfSequence(psn);
    } else if (psn < expected) {
      counters.increment(Counter.DUPLICATE_REQUEST);
      duplicate(psn, packet);
    } else {
      accept(packet, inbound);
    }
    return expected != before;
  }

  private void accept(InboundPacket packet, Inbound inbound) {
    RequestRefusal refusal = scope == null ? RequestRefusal.NONE : resolve(packet);
    if (refusal == RequestRefusal.NONE) {
      refusal = checks.refusal(packet);
    }
    if (refusal == RequestRefusal.NONE) {
      refusal = execute(packet, inbound);
    }
    switch (refusal) {
      case NONE -> {}
      case UNKNOWN -> drop(Counter.REQUEST_DROPPED, packet);
      case NOT_READY -> acknowledger.receiverNotReady(expected, msn);
      default -> {
        why = RefusedRequest.describe(packet) + ": " + why(refusal, packet);
        fail(refusal, expected, msn & Psn.MASK);
      }
    }
  }

  /**
   * XRC: resolves the shared receive queue that a packet names. That queue receives the message,
   * with its memory and completion queue. All packets of a message name the same queue.
   */
  private RequestRefusal resolve(InboundPacket packet) {
    XrcReceiver named = scope.find(packet.xrcSrqn());
    if (named == null) {
      return RequestRefusal.NO_RECEIVER;
    }
    if (named.failed()) {
      return RequestRefusal.RECEIVER_FAILED;
    }
    if (named != receiver) {
      if (checks.underWay()) {
        return RequestRefusal.INVALID_REQUEST;
      }
      receiver = named;
      receive.from(named);
      completions = named.completions();
      checks.accessor(named.accessor());
    }
    return RequestRefusal.NONE;
  }

  /** XRC: a shared receive queue is destroyed. A message that it was receiving ends. */
  @Override
  public void receiverGone(XrcReceiver gone) {
    if (receiver == gone) {
      receive.forget();
      receiver = null;
    }
  }

  private String why(RequestRefusal refusal, InboundPacket packet) {
    if (refusal == RequestRefusal.NO_RECEIVER) {
      return scope.whyNone(packet.xrcSrqn());
    }
    if (refusal == RequestRefusal.RECEIVER_FAILED) {
      return Wording.of("the shared receive queue 0x%x has failed", packet.xrcSrqn());
    }
    if (checks.underWay() && receiver != null && packet.xrcSrqn() != receiver.srqNumber()) {
      return Wording.of(
          "it names the shared receive queue 0x%x, but its message began with 0x%x",
          packet.xrcSrqn(), receiver.srqNumber());
    }
    return checks.why(refusal, packet);
  }

  /**
   * Executes, completes and acknowledges a request. Returns a refusal if the memory became invalid
   * after the checks.
   */
  private RequestRefusal execute(InboundPacket packet, Inbound inbound) {
    return switch (packet.opcode().operation()) {
      case SEND -> send(packet, inbound);
      case RDMA_WRITE -> write(packet, inbound);
      case READ_REQUEST ->
          begin(Answer.Kind.READ, packetsOf(packet.rethLength()), packet.rethLength());
      case COMPARE_SWAP, FETCH_ADD -> atomic(packet);
      case ATOMIC_WRITE ->
          checks.answer().range.storeFrom(inbound.memory(), packet.payloadAt())
              ? begin(Answer.Kind.EMPTY, 1, 0)
              : RequestRefusal.ACCESS_ERROR;
      case FLUSH ->
          checks.answer().range.flush()
              ? begin(Answer.Kind.EMPTY, 1, 0)
              : RequestRefusal.ACCESS_ERROR;
      default -> RequestRefusal.UNKNOWN;
    };
  }

  private RequestRefusal send(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    if (!receive.scatter(inbound.memory(), packet.payloadAt(), packet.payloadLength())) {
      return RequestRefusal.LOCAL_PROTECTION;
    }
    checks.sendTaken(opcode);
    if (!opcode.ends()) {
      accepted(packet);
      return RequestRefusal.NONE;
    }
    if (opcode.hasInvalidate()
        && !side.keys().invalidate(packet.invalidateRkey(), checks.accessor())) {
      return RequestRefusal.NOT_INVALIDATED;
    }
    long total = receive.filled();
    msn++;
    accepted(packet);
    completeMessage(packet, total);
    return RequestRefusal.NONE;
  }

  private RequestRefusal write(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    long total = checks.writeLength(packet);
    boolean written =
        checks
            .writeRange()
            .write(
                checks.writtenBefore(packet),
                inbound.memory(),
                packet.payloadAt(),
                packet.payloadLength());
    if (!written) {
      return RequestRefusal.ACCESS_ERROR;
    }
    checks.writeTaken(packet);
    if (opcode.ends()) {
      msn++;
    }
    accepted(packet);
    if (opcode.hasImmediate()) {
      completeMessage(packet, total);
    }
    return RequestRefusal.NONE;
  }

  private RequestRefusal atomic(InboundPacket packet) {
    Answer answer = checks.answer();
    boolean done =
        packet.opcode().operation() == Operation.COMPARE_SWAP
            ? answer.range.compareSwap(packet.compare(), packet.swapOrAdd())
            : answer.range.fetchAdd(packet.swapOrAdd());
    if (!done) {
      return RequestRefusal.ACCESS_ERROR;
    }
    answer.original = answer.range.original();
    return begin(Answer.Kind.ATOMIC, 1, 0);
  }

  /** Keeps the answer of the checked request, for sending and for duplicates. */
  private RequestRefusal begin(Answer.Kind kind, int packets, long bytes) {
    msn++;
    checks.answer().begin(kind, expected, packets, msn & Psn.MASK, bytes);
    answers.begun();
    passed(packets);
    return RequestRefusal.NONE;
  }

  private int packetsOf(long bytes) {
    int pathMtu = peer.pathMtu();
    return bytes <= pathMtu ? 1 : (int) ((bytes + pathMtu - 1) / pathMtu);
  }

  /** A SEND or WRITE packet was executed. */
  private void accepted(InboundPacket packet) {
    if (packet.ackReq()) {
      acknowledger.acknowledge(expected, msn & Psn.MASK);
    }
    passed(1);
  }

  /** Advances the expected PSN by {@code psns}. */
  private void passed(int psns) {
    expected += psns;
    acknowledger.inSequence(expected);
  }

  // ---- duplicates

  private void duplicate(long psn, InboundPacket packet) {
    switch (packet.opcode().operation()) {
      case SEND, RDMA_WRITE ->
          acknowledger.acknowledgeAgain(answers.firstAfter(psn, expected) - 1, msn & Psn.MASK);
      case READ_REQUEST -> readAgain(psn, packet);
      case COMPARE_SWAP, FETCH_ADD -> {
        Answer answer = answers.find(psn);
        if (answer != null && answer.kind == Answer.Kind.ATOMIC) {
          counters.increment(Counter.ATOMIC_REPLAY);
          answers.replay(answer, 0, 1, 0);
        } else {
          drop(Counter.REQUEST_DROPPED, packet);
        }
      }
      case ATOMIC_WRITE, FLUSH -> {
        Answer answer = answers.find(psn);
        if (answer != null && answer.kind == Answer.Kind.EMPTY) {
          answers.replay(answer, 0, 1, 0);
        } else {
          drop(Counter.REQUEST_DROPPED, packet);
        }
      }
      default -> drop(Counter.REQUEST_DROPPED, packet);
    }
  }

  private void readAgain(long psn, InboundPacket packet) {
    Answer answer = answers.find(psn);
    if (answer == null || answer.kind != Answer.Kind.READ) {
      drop(Counter.REQUEST_DROPPED, packet);
      return;
    }
    int from = (int) (psn - answer.firstPsn);
    long offset = (long) from * peer.pathMtu();
    long bytes = packet.rethLength();
    boolean inside =
        packet.rethRkey() == answer.range.key()
            && packet.rethVa() == answer.range.va() + offset
            && bytes <= answer.range.length() - offset
            && (bytes > 0 || answer.range.length() == 0);
    if (!inside) {
      drop(Counter.REQUEST_DROPPED, packet);
      return;
    }
    answers.replay(answer, from, from + packetsOf(bytes), offset + bytes);
  }

  // ---- failures

  private void fail(RequestRefusal refusal, long psn, int atMsn) {
    counters.increment(refusal.counter());
    failure = refusal;
    if (!refusal.silent()) {
      acknowledger.fatal(psn, refusal.syndrome(), atMsn);
    }
  }

  private boolean failing() {
    return failure != RequestRefusal.NONE;
  }

  /** Whether the queue pair fails without a NAK once earlier requests are answered. */
  private boolean failsSilently() {
    return failing() && failure.silent();
  }

  // ---- answers

  @Override
  public boolean hasAnswers() {
    return answers.anyPending() || acknowledger.pending() || failsSilently();
  }

  /** Whether there is an acknowledgement to send and nothing else. */
  public boolean onlyAcknowledges() {
    return acknowledger.onlyAcknowledges() && !answers.anyPending() && !failsSilently();
  }

  /** Whether the due acknowledgement may stand for further requests as well. */
  public boolean acknowledgementCanWait() {
    return acknowledger.canWait();
  }

  @Override
  public boolean transmit(Transmit out) {
    while (answers.anyPending()) {
      Answer answer = answers.firstPending();
      switch (writer.write(answer, out)) {
        case FULL -> {
          return false;
        }
        case ACCESS_ERROR -> unreadable(answer);
        case DONE -> {
          answers.sent(answer);
          acknowledger.answered(answer.firstPsn + answer.packets - 1);
        }
      }
    }
    if (!acknowledger.transmit(out, expected, msn & Psn.MASK)) {
      return false;
    }
    if (failing()) {
      failQueue(failure.receiveStatus(), failure.event(), why);
    }
    return true;
  }

  /** The memory of an answer cannot be read any more. */
  private void unreadable(Answer answer) {
    if (answer.answered()) {
      // The duplicate of a request that was answered in full: its key may legally be gone.
      counters.increment(Counter.REQUEST_DROPPED);
      answers.sent(answer);
    } else {
      answers.abandonPending();
      why = "the memory of a READ that was under way: " + answer.range.why();
      fail(RequestRefusal.ACCESS_ERROR, answer.firstPsn + answer.next, answer.msn);
    }
  }
}
