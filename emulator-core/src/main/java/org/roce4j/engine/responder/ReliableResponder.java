package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.memory.RemoteRange;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Feth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Psn;

/**
 * The responder of a reliable connection (rc-transport 4). A request passes the checks in the
 * specification's order: PSN, opcode sequence, rights of the queue pair, resources, length, key;
 * then it is executed, completed and acknowledged. The first failing check decides.
 *
 * <p>A fatal request is answered after everything before it; only then does the queue pair fail, so
 * that earlier READs keep their answers.
 */
public final class ReliableResponder extends Responder {
  private enum Message {
    NONE,
    SEND,
    WRITE
  }

  private final RemoteRange writeRange;
  private final AnswerRing answers;
  private final Acknowledger acknowledger;
  private int accessFlags;
  private long expected;
  private int msn;
  private Message message = Message.NONE;
  private long written;

  // A fatal request, waiting for its NAK to leave, or for what comes before it.
  private boolean failing;
  private boolean silently;
  private WcStatus failedReceive;
  private EventType failureEvent;

  public ReliableResponder(ReceiveSide side, int maxSge) {
    super(side, maxSge);
    writeRange = new RemoteRange(side.keys(), side.accessor());
    answers = new AnswerRing(side);
    acknowledger = new Acknowledger(side);
  }

  /** Remote rights of the queue pair, of {@link AccessFlags}. */
  public void accessFlags(int flags) {
    accessFlags = flags;
  }

  /** READ and atomic requests that are kept for duplicates, 0: none are accepted. */
  public void maxDestRdAtomic(int requests) {
    answers.resize(requests);
  }

  /** RNR timer code told to the peer, 0..31. */
  public void minRnrTimer(int code) {
    acknowledger.minRnrTimer(code);
  }

  @Override
  public void start(int expectedPsn) {
    expected = Psn.MASK + 1L + expectedPsn;
    msn = 0;
    message = Message.NONE;
    failing = false;
    silently = false;
    answers.clear();
    acknowledger.clear();
  }

  @Override
  public int expectedPsn() {
    return (int) expected & Psn.MASK;
  }

  @Override
  public long readAhead() {
    return super.readAhead() + expected + accessFlags + (failing ? 1 : 0);
  }

  @Override
  public long readAheadParts() {
    return super.readAheadParts()
        + writeRange.length()
        + (answers.anyPending() ? 1 : 0)
        + acknowledger.readAhead();
  }

  @Override
  public long readAheadAnswer() {
    return answers.readAhead();
  }

  // ---- requests

  @Override
  public boolean handleRequest(long nowNs, InboundPacket packet, Inbound inbound) {
    if (failing) {
      drop(Counter.REQUEST_DROPPED, packet);
      return false;
    }
    long before = expected;
    long psn = Psn.extend(expected, packet.psn());
    if (psn > expected) {
      counters.increment(Counter.OUT_OF_SEQUENCE_REQUEST);
      acknowledger.outOfSequence(psn, expected);
    } else if (psn < expected) {
      counters.increment(Counter.DUPLICATE_REQUEST);
      duplicate(psn, packet);
    } else {
      accept(packet, inbound);
    }
    return expected != before;
  }

  private void accept(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    if (!inSequence(opcode)) {
      invalidRequest();
    } else if (!permitted(packet)) {
      accessError();
    } else {
      switch (opcode.operation()) {
        case SEND -> send(packet, inbound);
        case RDMA_WRITE -> write(packet, inbound);
        case READ_REQUEST -> read(packet);
        case COMPARE_SWAP, FETCH_ADD -> atomic(packet);
        case ATOMIC_WRITE -> atomicWrite(packet, inbound);
        case FLUSH -> flushRequest(packet);
        default -> drop(Counter.REQUEST_DROPPED, packet);
      }
    }
  }

  /** A message is SEND FIRST, MIDDLE*, LAST or WRITE likewise, uninterrupted; all else is whole. */
  private boolean inSequence(Opcode opcode) {
    return switch (message) {
      case NONE -> opcode.starts();
      case SEND -> opcode.operation() == Operation.SEND && !opcode.starts();
      case WRITE -> opcode.operation() == Operation.RDMA_WRITE && !opcode.starts();
    };
  }

  private boolean permitted(InboundPacket packet) {
    int needed =
        switch (packet.opcode().operation()) {
          case RDMA_WRITE, ATOMIC_WRITE -> AccessFlags.REMOTE_WRITE;
          case READ_REQUEST -> AccessFlags.REMOTE_READ;
          case COMPARE_SWAP, FETCH_ADD -> AccessFlags.REMOTE_ATOMIC;
          case FLUSH -> placementRights(packet.flushPlacement());
          default -> 0;
        };
    return (accessFlags & needed) == needed;
  }

  /** The rights that a FLUSH needs, one for each placement that it asks for. */
  private static int placementRights(int placement) {
    return ((placement & Feth.PLACEMENT_GLOBAL) != 0 ? AccessFlags.FLUSH_GLOBAL : 0)
        | ((placement & Feth.PLACEMENT_PERSISTENT) != 0 ? AccessFlags.FLUSH_PERSISTENT : 0);
  }

  private boolean lengthLegal(InboundPacket packet) {
    return packet.opcode().payloadLegal(packet.payloadLength(), peer.pathMtu())
        && packet.padLegal();
  }

  private void send(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    if (opcode.starts() && !receive.isHeld() && !receive.take()) {
      acknowledger.receiverNotReady(expected, msn);
      return;
    }
    if (!lengthLegal(packet)) {
      invalidRequest();
      return;
    }
    int bytes = packet.payloadLength();
    if (!receive.fits(bytes)) {
      counters.increment(Counter.RESPONDER_LENGTH_ERROR); // R5
      fail(Aeth.NAK_INVALID_REQUEST, WcStatus.LOC_LEN_ERR, EventType.QP_REQ_ERR);
      return;
    }
    if (!receive.scatter(inbound.memory(), packet.payloadAt(), bytes)) {
      counters.increment(Counter.RESPONDER_PROTECTION_ERROR);
      fail(Aeth.NAK_REMOTE_OPERATIONAL, WcStatus.LOC_PROT_ERR, null);
      return;
    }
    message = opcode.ends() ? Message.NONE : Message.SEND;
    if (!opcode.ends()) {
      accepted(packet);
      return;
    }
    if (opcode.hasInvalidate()
        && !side.keys().invalidate(packet.invalidateRkey(), side.accessor())) {
      // No answer is defined for this: the queue pair fails silently, after what came before.
      counters.increment(Counter.RESPONDER_ACCESS_ERROR);
      failing = true;
      silently = true;
      failedReceive = WcStatus.REM_INV_REQ_ERR;
      failureEvent = EventType.QP_ACCESS_ERR;
      return;
    }
    long total = receive.filled();
    msn++;
    accepted(packet);
    completeMessage(packet, total);
  }

  private void write(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    if (opcode.hasImmediate() && !receive.isHeld() && !receive.take()) {
      acknowledger.receiverNotReady(expected, msn);
      return;
    }
    long total = opcode.starts() ? packet.rethLength() : writeRange.length();
    long before = opcode.starts() ? 0 : written;
    int bytes = packet.payloadLength();
    boolean fits = opcode.ends() ? before + bytes == total : before + bytes < total;
    if (total > Opcode.MOST_MESSAGE_BYTES || !lengthLegal(packet) || !fits) {
      invalidRequest();
      return;
    }
    if (opcode.starts()
        && !writeRange.set(packet.rethRkey(), packet.rethVa(), total, AccessFlags.REMOTE_WRITE)) {
      accessError();
      return;
    }
    if (!writeRange.write(before, inbound.memory(), packet.payloadAt(), bytes)) {
      accessError();
      return;
    }
    written = before + bytes;
    message = opcode.ends() ? Message.NONE : Message.WRITE;
    if (opcode.ends()) {
      msn++;
    }
    accepted(packet);
    if (opcode.hasImmediate()) {
      completeMessage(packet, total);
    }
  }

  private void read(InboundPacket packet) {
    Answer answer = claimAnswer();
    if (answer == null) {
      return;
    }
    if (!lengthLegal(packet) || packet.rethLength() > Opcode.MOST_MESSAGE_BYTES) {
      invalidRequest();
      return;
    }
    if (!answer.range.set(
        packet.rethRkey(), packet.rethVa(), packet.rethLength(), AccessFlags.REMOTE_READ)) {
      accessError();
      return;
    }
    int packets = packetsOf(packet.rethLength());
    msn++;
    answer.begin(Answer.Kind.READ, expected, packets, msn & Psn.MASK, packet.rethLength());
    answers.begun();
    passed(packets);
  }

  private void atomic(InboundPacket packet) {
    Answer answer = claimAnswer();
    if (answer == null) {
      return;
    }
    if (!lengthLegal(packet) || (packet.atomicVa() & 7) != 0) {
      invalidRequest();
      return;
    }
    boolean done =
        answer.range.set(packet.atomicRkey(), packet.atomicVa(), 8, AccessFlags.REMOTE_ATOMIC)
            && (packet.opcode().operation() == Operation.COMPARE_SWAP
                ? answer.range.compareSwap(packet.compare(), packet.swapOrAdd())
                : answer.range.fetchAdd(packet.swapOrAdd()));
    if (!done) {
      accessError();
      return;
    }
    answer.original = answer.range.original();
    begin(answer, Answer.Kind.ATOMIC);
  }

  private void atomicWrite(InboundPacket packet, Inbound inbound) {
    Answer answer = claimAnswer();
    if (answer == null) {
      return;
    }
    if (!lengthLegal(packet) || packet.rethLength() != 8 || (packet.rethVa() & 7) != 0) {
      invalidRequest();
      return;
    }
    if (!answer.range.set(packet.rethRkey(), packet.rethVa(), 8, AccessFlags.REMOTE_WRITE)
        || !answer.range.storeFrom(inbound.memory(), packet.payloadAt())) {
      accessError();
      return;
    }
    begin(answer, Answer.Kind.EMPTY);
  }

  private void flushRequest(InboundPacket packet) {
    Answer answer = claimAnswer();
    if (answer == null) {
      return;
    }
    if (!lengthLegal(packet)) {
      invalidRequest();
      return;
    }
    boolean wholeRegion = packet.flushSelectivity() == Feth.SELECT_MR;
    int rights = placementRights(packet.flushPlacement());
    if (!answer.range.setFlush(
        packet.rethRkey(), packet.rethVa(), packet.rethLength(), rights, wholeRegion)) {
      accessError();
      return;
    }
    begin(answer, Answer.Kind.EMPTY);
  }

  private void begin(Answer answer, Answer.Kind kind) {
    msn++;
    answer.begin(kind, expected, 1, msn & Psn.MASK, 0);
    answers.begun();
    passed(1);
  }

  /** Null: refused, because none are allowed or all are still to be answered (R10). */
  private Answer claimAnswer() {
    Answer answer = answers.size() == 0 ? null : answers.claim();
    if (answer == null) {
      invalidRequest();
    }
    return answer;
  }

  private int packetsOf(long bytes) {
    int pathMtu = peer.pathMtu();
    return bytes == 0 ? 1 : (int) ((bytes + pathMtu - 1) / pathMtu);
  }

  /** A SEND or WRITE packet was executed. */
  private void accepted(InboundPacket packet) {
    if (packet.ackReq()) {
      acknowledger.acknowledge(expected, msn & Psn.MASK);
    }
    passed(1);
  }

  /** The next {@code psns} PSNs are spoken for. */
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

  private void invalidRequest() {
    counters.increment(Counter.RESPONDER_INVALID_REQUEST);
    fail(Aeth.NAK_INVALID_REQUEST, WcStatus.REM_INV_REQ_ERR, EventType.QP_REQ_ERR);
  }

  private void accessError() {
    counters.increment(Counter.RESPONDER_ACCESS_ERROR);
    fail(Aeth.NAK_REMOTE_ACCESS, WcStatus.REM_ACCESS_ERR, EventType.QP_ACCESS_ERR);
  }

  private void fail(int syndrome, WcStatus receiveStatus, EventType event) {
    failing = true;
    failedReceive = receiveStatus;
    failureEvent = event;
    acknowledger.fatal(expected, syndrome, msn & Psn.MASK);
  }

  // ---- answers

  @Override
  public boolean hasAnswers() {
    return answers.anyPending() || acknowledger.pending() || silently;
  }

  /** Whether there is an acknowledgement to send, and nothing that hurries it. */
  public boolean onlyAcknowledges() {
    return acknowledger.onlyAcknowledges() && !answers.anyPending() && !silently;
  }

  /** Whether that acknowledgement may stand for the next request as well. */
  public boolean acknowledgementCanWait() {
    return acknowledger.canWait();
  }

  @Override
  public boolean transmit(Transmit out) {
    while (answers.anyPending()) {
      Answer answer = answers.firstPending();
      AnswerWriter.Result result = acknowledger.write(answer, out);
      if (result == AnswerWriter.Result.FULL) {
        return false;
      }
      if (result == AnswerWriter.Result.ACCESS_ERROR && answer.answered) {
        // A duplicate of what was answered in full: its key may have died since, harmlessly.
        counters.increment(Counter.REQUEST_DROPPED);
        answers.sent(answer);
        continue;
      }
      if (result == AnswerWriter.Result.ACCESS_ERROR) {
        long psn = answer.firstPsn + answer.next;
        answers.abandonPending();
        counters.increment(Counter.RESPONDER_ACCESS_ERROR);
        failing = true;
        failedReceive = WcStatus.REM_ACCESS_ERR;
        failureEvent = EventType.QP_ACCESS_ERR;
        acknowledger.fatal(psn, Aeth.NAK_REMOTE_ACCESS, answer.msn);
        break;
      }
      answers.sent(answer);
      acknowledger.answered(answer.firstPsn + answer.packets - 1);
    }
    boolean fatal = acknowledger.fatalPending() || silently;
    if (!acknowledger.transmit(out, expected, msn & Psn.MASK)) {
      return false;
    }
    if (fatal) {
      silently = false;
      failQueue(failedReceive, failureEvent);
    }
    return true;
  }
}
