package org.roce4j.engine.requester;

import java.nio.ByteBuffer;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.PathShare;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.AtomicEth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.Psn;
import org.roce4j.wire.Reth;
import org.roce4j.wire.Transport;

/**
 * The requester of a reliable connection (rc-transport 3). Requests are pipelined within the path's
 * window; what is not answered is sent again from the oldest unacknowledged PSN on (go-back-N).
 *
 * <p>A retry starts on a timeout, a sequence NAK, or a gap in the responses; while one is under way
 * and has not progressed, only a timeout starts another.
 */
public final class ReliableRequester extends Requester {
  /**
   * Ask for an acknowledgement at least this often within a message, and twice in a path's window:
   * then one that is lost leaves another, and the window does not run empty meanwhile.
   */
  private static final int PACKETS_PER_ACK_REQUEST = 16;

  /** Windows of others' packets that pass a READ by before it goes all the same. */
  private static final int PATIENT_WINDOWS = 2;

  private final UnackedWindow window;
  private final RdAtomicCredits credits = new RdAtomicCredits();
  private final RetryBudget budget = new RetryBudget();
  private final ResponseHandler responses;
  private final LossProbe probe;
  private final PathShare share;
  private final int leastProbed;
  private boolean probeDue;
  private long ackTimeoutNs;
  private boolean held;
  private boolean retrying;
  private boolean rnrWaiting;
  private long rnrUntilNs;
  private boolean ackTimerRuns;
  private long ackDeadlineNs;
  private int sinceAckRequest;
  private long chargedSinceAckRequest;
  private WcStatus localFailure;
  private long localFailureIndex;
  private long gatheredIndex = -1;

  /** What the path had delivered when a READ first found no room; -1: none waits for room. */
  private long readWaitsSince = -1;

  /**
   * @param probesForLoss whether it may ask before the ACK timeout, as {@link #deadlineNs} allows
   * @param leastProbed with so many packets of SENDs and WRITEs in flight; 0: always, READs too
   */
  public ReliableRequester(SendSide side, boolean probesForLoss, int leastProbed) {
    super(side);
    this.leastProbed = leastProbed;
    probe = new LossProbe(probesForLoss);
    share = peer.share();
    window = new UnackedWindow(queue);
    responses = new ResponseHandler(this, window);
  }

  /** Local ACK timeout code, 0..31; 0: wait for ever. */
  public void ackTimeout(int code) {
    ackTimeoutNs = AckTimeout.ns(code);
  }

  public void retryCount(int retries) {
    budget.retryCount(retries);
  }

  public void rnrRetry(int retries) {
    budget.rnrRetry(retries);
  }

  /** READ and atomic requests that may be outstanding. */
  public void maxRdAtomic(int requests) {
    credits.limit(requests);
  }

  @Override
  public void start(int firstPsn) {
    abandon();
    window.restart(Psn.MASK + 1L + firstPsn);
    held = false;
    sinceAckRequest = 0;
    chargedSinceAckRequest = 0;
  }

  @Override
  public void hold(boolean hold) {
    held = hold;
  }

  @Override
  public boolean drained() {
    return queue.head() == window.started();
  }

  @Override
  public int nextPsn() {
    return (int) window.highest() & Psn.MASK;
  }

  @Override
  void abandon() {
    window.goBack();
    share.withdrawn();
    window.restart(window.highest());
    credits.clear();
    retrying = false;
    rnrWaiting = false;
    stopTimers();
    probe.forget();
    localFailure = null;
    gatheredIndex = -1;
    readWaitsSince = -1;
    responses.forget();
  }

  @Override
  public long readAhead() {
    return super.readAhead() + ackTimeoutNs + (held ? 1 : 0);
  }

  @Override
  public long readAheadParts() {
    return super.readAheadParts()
        + window.highest()
        + share.inFlightBytes()
        + probe.dueNs()
        + budget.retriesLeft()
        + (responses.scattering() ? 1 : 0);
  }

  @Override
  public long readAheadAnswer() {
    if (queue.head() == window.sending()
        ? queue.isEmpty() || !Segmentation.needsResponse(queue.opcode(queue.slot(queue.head())))
        : window.dataOperations() == 0) {
      return 0;
    }
    return credits.readAhead() + responses.readAhead();
  }

  // ---- sending

  @Override
  public TransmitOutcome transmit(long nowNs, Transmit out) {
    if (rnrWaiting) {
      return TransmitOutcome.IDLE;
    }
    if (probeDue && !sendProbe(nowNs, out)) {
      return TransmitOutcome.FULL;
    }
    if (!ackTimerRuns && window.next() > window.oldest()) {
      startAckTimer(nowNs); // there was no timeout when that was sent
    }
    while (true) {
      if (window.sending() == window.started() && !startNext()) {
        return TransmitOutcome.IDLE;
      }
      if (window.sending() == window.started()) {
        continue; // a local operation was executed; nothing to send for it
      }
      TransmitOutcome outcome = sendNext(nowNs, out);
      if (outcome != null) {
        return outcome;
      }
    }
  }

  /** Gives the next posted request its PSNs if it may start now. */
  private boolean startNext() {
    long index = window.started();
    if (held || localFailure != null || index == queue.end()) {
      return false;
    }
    int slot = queue.slot(index);
    WrOpcode opcode = queue.opcode(slot);
    if (queue.flag(slot, SendFlags.FENCE) && window.dataOperations() > 0) {
      return false;
    }
    if (Segmentation.local(opcode)) {
      return (opcode != WrOpcode.LOCAL_INV || index == queue.head()) && startLocal(slot);
    }
    int pathMtu = peer.pathMtu();
    if (queue.length(slot) > Opcode.MOST_MESSAGE_BYTES) {
      failLocally(index, WcStatus.LOC_LEN_ERR);
      return false;
    }
    boolean needsResponse = Segmentation.needsResponse(opcode);
    if (needsResponse && !credits.granted()) {
      failLocally(index, WcStatus.LOC_QP_OP_ERR); // R26
      return false;
    }
    int packets = Segmentation.packets(queue.length(slot), pathMtu);
    boolean read = opcode == WrOpcode.RDMA_READ;
    window.begin(
        slot,
        singlePacket(opcode) ? 1 : packets,
        read ? packetsPerRead(pathMtu) : packets,
        needsResponse);
    return true;
  }

  private static boolean singlePacket(WrOpcode opcode) {
    return switch (opcode) {
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, FLUSH, ATOMIC_WRITE -> true;
      default -> false;
    };
  }

  /** A long READ is asked for in parts, each no more than the path's window holds. */
  private int packetsPerRead(int pathMtu) {
    long limit = peer.window().limitBytes();
    return (int) Math.max(1, limit / (pathMtu + PathWindow.PACKET_CHARGE));
  }

  private boolean startLocal(int slot) {
    window.begin(slot, 0, 1, false);
    WcStatus status = LocalOperation.run(side, slot);
    if (status != WcStatus.SUCCESS) {
      failLocally(window.started() - 1, status);
      return false;
    }
    retireAcknowledged();
    return true;
  }

  /** Null: sent, go on; otherwise why not. */
  private TransmitOutcome sendNext(long nowNs, Transmit out) {
    long index = window.sending();
    if (localFailure != null && index >= localFailureIndex) {
      return TransmitOutcome.IDLE;
    }
    int slot = queue.slot(index);
    return switch (queue.opcode(slot)) {
      case RDMA_READ -> sendRead(nowNs, out, slot);
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> sendAtomic(nowNs, out, slot);
      case ATOMIC_WRITE -> sendAtomicWrite(nowNs, out, index, slot);
      default -> sendMessagePacket(nowNs, out, index, slot);
    };
  }

  private TransmitOutcome sendMessagePacket(long nowNs, Transmit out, long index, int slot) {
    Path path = peer.path();
    int pathMtu = peer.pathMtu();
    int number = window.nextIndex();
    boolean last = number == window.packets(slot) - 1;
    int payload = Segmentation.payload(queue.length(slot), pathMtu, number);
    long charge = PathWindow.charge(1, payload);
    TransmitOutcome refusal = probeDue ? null : refusal(1, charge);
    if (refusal != null && (tooFarAhead(1) || !unasked())) {
      return refusal;
    }
    Opcode opcode = Segmentation.opcode(Transport.RC, queue.opcode(slot), number == 0, last);
    int size = OutboundPacket.size(opcode, payload);
    int at = out.claim(path, peer.sourcePortHint(), size);
    if (at < 0) {
      return TransmitOutcome.FULL;
    }
    if (gatheredIndex != index) {
      queue.open(slot, gather);
      gatheredIndex = index;
    }
    int payloadAt = OutboundPacket.payloadAt(opcode, at);
    if (!gatherPayload(slot, (long) number * pathMtu, out, payloadAt, payload)) {
      gatheredIndex = -1;
      failLocally(index, WcStatus.LOC_PROT_ERR);
      return TransmitOutcome.IDLE;
    }
    sinceAckRequest++;
    chargedSinceAckRequest += charge;
    boolean ackReq =
        last
            || probeDue
            || sinceAckRequest >= PACKETS_PER_ACK_REQUEST
            || 2 * chargedSinceAckRequest >= peer.window().limitBytes()
            || !share.hasRoom(charge + PathWindow.charge(1, pathMtu));
    if (ackReq) {
      sinceAckRequest = 0;
      chargedSinceAckRequest = 0;
    }
    MessagePacket.putHeaders(
        out.buffer(), at, opcode, peer, queue, slot, payload, ackReq, wirePsn());
    commit(nowNs, out, size, 1, probeDue ? 0 : charge, ackReq);
    return null;
  }

  private TransmitOutcome sendRead(long nowNs, Transmit out, int slot) {
    int pathMtu = peer.pathMtu();
    long psn = window.next();
    long from = psn - window.firstPsn(slot);
    long to = window.readEnd(slot, psn) - window.firstPsn(slot);
    long offset = from * pathMtu;
    long bytes = Segmentation.payloadBetween(queue.length(slot), pathMtu, from, to);
    long charge = PathWindow.charge(to - from, bytes);
    TransmitOutcome refusal = refusal(to - from, charge);
    if (refusal != null && !(refusal == TransmitOutcome.BLOCKED && passedByForLong())) {
      return refusal;
    }
    if (!credits.available()) {
      return TransmitOutcome.IDLE;
    }
    int at = claimRequest(out, Opcode.RC_RDMA_READ_REQUEST, 0);
    if (at < 0) {
      return TransmitOutcome.FULL;
    }
    ByteBuffer b = out.buffer();
    Reth.put(
        b,
        at + Opcode.RC_RDMA_READ_REQUEST.rethAt(),
        queue.remoteAddress(slot) + offset,
        queue.rkey(slot),
        bytes);
    if (!window.readStart(slot, psn)) {
      counters.increment(Counter.PARTIAL_READ_REPLAY);
    }
    readWaitsSince = -1;
    responses.readRequestedFrom(psn);
    credits.taken(psn + to - from - 1);
    commit(
        nowNs, out, OutboundPacket.size(Opcode.RC_RDMA_READ_REQUEST, 0), to - from, charge, true);
    return null;
  }

  private TransmitOutcome sendAtomic(long nowNs, Transmit out, int slot) {
    long charge = PathWindow.charge(1, 8);
    TransmitOutcome refusal = refusal(1, charge);
    if (refusal != null) {
      return refusal;
    }
    if (!credits.available()) {
      return TransmitOutcome.IDLE;
    }
    boolean swap = queue.opcode(slot) == WrOpcode.ATOMIC_CMP_AND_SWP;
    Opcode opcode = swap ? Opcode.RC_COMPARE_SWAP : Opcode.RC_FETCH_ADD;
    int at = claimRequest(out, opcode, 0);
    if (at < 0) {
      return TransmitOutcome.FULL;
    }
    AtomicEth.put(
        out.buffer(),
        at + opcode.atomicEthAt(),
        queue.remoteAddress(slot),
        queue.rkey(slot),
        swap ? queue.swap(slot) : queue.compareAdd(slot),
        swap ? queue.compareAdd(slot) : 0);
    credits.taken(window.next());
    commit(nowNs, out, OutboundPacket.size(opcode, 0), 1, charge, true);
    return null;
  }

  private TransmitOutcome sendAtomicWrite(long nowNs, Transmit out, long index, int slot) {
    long charge = PathWindow.charge(1, 8);
    TransmitOutcome refusal = refusal(1, charge);
    if (refusal != null) {
      return refusal;
    }
    if (!credits.available()) {
      return TransmitOutcome.IDLE;
    }
    Opcode opcode = Opcode.RC_ATOMIC_WRITE;
    int at = claimRequest(out, opcode, 8);
    if (at < 0) {
      return TransmitOutcome.FULL;
    }
    queue.open(slot, gather);
    gatheredIndex = -1;
    if (!gatherPayload(slot, 0, out, OutboundPacket.payloadAt(opcode, at), 8)) {
      failLocally(index, WcStatus.LOC_PROT_ERR);
      return TransmitOutcome.IDLE;
    }
    Reth.put(out.buffer(), at + opcode.rethAt(), queue.remoteAddress(slot), queue.rkey(slot), 8);
    credits.taken(window.next());
    commit(nowNs, out, OutboundPacket.size(opcode, 8), 1, charge, true);
    return null;
  }

  /** Writes BTH of a request of one packet, or returns -1 if it does not fit the train. */
  private int claimRequest(Transmit out, Opcode opcode, int payload) {
    int at = out.claim(peer.path(), peer.sourcePortHint(), OutboundPacket.size(opcode, payload));
    if (at >= 0) {
      Bth.put(
          out.buffer(), at, opcode.code(), false, 0, peer.pkey(), peer.destQp(), true, wirePsn());
    }
    return at;
  }

  private TransmitOutcome refusal(long psns, long charge) {
    if (tooFarAhead(psns)) {
      return TransmitOutcome.IDLE;
    }
    if (share.admits(charge)) {
      return null;
    }
    return share.exceeds(charge) ? TransmitOutcome.IDLE : TransmitOutcome.BLOCKED;
  }

  private boolean tooFarAhead(long psns) {
    return window.next() + psns - window.oldest() > UnackedWindow.MOST_AHEAD
        && window.outstanding();
  }

  /**
   * Whether a READ waits for more room than there ever is. It may need the whole window, of which
   * queue pairs that send a packet at a time leave nothing; after so much of theirs it exceeds the
   * window once.
   */
  private boolean passedByForLong() {
    PathWindow path = peer.window();
    if (readWaitsSince < 0) {
      readWaitsSince = path.deliveredBytes();
    }
    return path.deliveredBytes() - readWaitsSince >= PATIENT_WINDOWS * path.limitBytes()
        && path.inFlightBytes() <= path.limitBytes();
  }

  /**
   * Whether packets are in flight none of which asks for an acknowledgement, because others took
   * what was left of the path's window. One more that asks may pass the window then: it could stay
   * closed for longer than the ACK timeout, which would cost a retry though nothing was lost.
   */
  private boolean unasked() {
    return sinceAckRequest > 0 && window.next() > window.oldest();
  }

  private void commit(
      long nowNs, Transmit out, int size, long psns, long charge, boolean ackRequested) {
    if (window.resending()) {
      counters.increment(Counter.RETRANSMITTED_PACKETS);
    } else if (ackRequested) {
      probe.sent(nowNs, window.next());
    }
    if (((window.next() ^ (window.next() + psns)) >>> Psn.BITS) != 0) {
      counters.increment(Counter.PSN_WRAP);
    }
    share.sent(charge);
    window.sent(psns);
    out.commit(size);
    if (!ackTimerRuns) {
      startAckTimer(nowNs);
    }
  }

  private int wirePsn() {
    return (int) window.next() & Psn.MASK;
  }

  // ---- responses

  /** Takes an ACK, NAK, READ response or atomic response. */
  public void handleResponse(long nowNs, InboundPacket packet, Inbound inbound) {
    responses.handle(nowNs, packet, inbound);
  }

  /** Counts everything before this PSN as acknowledged: progress, which reloads the budget. */
  void progressTo(long nowNs, long psn, long charge) {
    window.acknowledge(psn);
    share.acknowledged(charge);
    probe.acknowledged(nowNs, psn, peer.window().roundTrip());
    if (window.dataOperations() > 0) {
      credits.answered(psn);
    }
    budget.reload();
    retrying = false;
    probeDue = false;
    if (window.next() > window.oldest()) {
      startAckTimer(nowNs);
    } else {
      stopTimers();
    }
  }

  /**
   * An ACK of this PSN was taken in. What a probe tells is a guess, which a reordered packet proves
   * wrong: it ends nothing, with no retry left the ACK timeout decides.
   */
  void acknowledgedUpTo(long psn) {
    if (probe.tellsLoss(psn, window.oldest())
        && window.outstanding()
        && !rnrWaiting
        && budget.retriesLeft() > 0) {
      retryOnce(Counter.LOSS_PROBE);
    }
  }

  /** Completes, in order, what is acknowledged; then a failure that waited for its turn. */
  void retireAcknowledged() {
    while (queue.head() < window.started()) {
      int slot = queue.slot(queue.head());
      if (window.lastPsn(slot) >= window.oldest()
          || (localFailure != null && queue.head() == localFailureIndex)) {
        break;
      }
      boolean neededResponse = Segmentation.needsResponse(queue.opcode(slot));
      completeHead(WcStatus.SUCCESS);
      window.retired(neededResponse);
    }
    if (localFailure != null && queue.head() == localFailureIndex) {
      failHead(localFailure);
    }
  }

  /** The request fails when all before it are done; nothing after it is sent. */
  private void failLocally(long index, WcStatus status) {
    localFailure = status;
    localFailureIndex = index;
    if (queue.head() == index) {
      failHead(status);
    }
  }

  /** Landing a response failed: fatal for the oldest request. */
  void fail(WcStatus status) {
    failHead(status);
  }

  boolean rnrWaiting() {
    return rnrWaiting;
  }

  /** A hint of loss: go back once, unless that is under way already. */
  void retryOnce(Counter reason) {
    if (!retrying) {
      retry(reason);
    }
  }

  /**
   * The responder has no receive request: wait, then send again.
   *
   * @param answerMissing an earlier operation lacks its data, so that it is asked for again first:
   *     that is a retry for a lost response, and not the receiver's fault (R3); one that is under
   *     way already is not counted twice, until the wait is over
   */
  void waitForReceiver(long nowNs, int timerCode, boolean answerMissing) {
    if (answerMissing) {
      if (!retrying && !budget.takeRetry()) {
        counters.increment(Counter.RETRY_EXCEEDED);
        failHead(WcStatus.RETRY_EXC_ERR);
        return;
      }
      retrying = true;
    } else if (!budget.takeRnrRetry()) {
      counters.increment(Counter.RNR_RETRY_EXCEEDED);
      failHead(WcStatus.RNR_RETRY_EXC_ERR);
      return;
    }
    goBack(Counter.RECEIVED_RNR);
    rnrWaiting = true;
    rnrUntilNs = nowNs + Aeth.rnrDelayNs(timerCode);
  }

  private void retry(Counter reason) {
    if (!budget.takeRetry()) {
      counters.increment(Counter.RETRY_EXCEEDED);
      failHead(WcStatus.RETRY_EXC_ERR);
      return;
    }
    counters.increment(Counter.COMPLETER_RETRY);
    peer.window().lost();
    goBack(reason);
    retrying = true;
  }

  private void goBack(Counter reason) {
    stopTimers();
    window.goBack();
    share.withdrawn();
    credits.clear();
    probe.sentAgain();
    side.trace().retransmission(qpNum, wirePsn(), reason);
  }

  // ---- time

  private void startAckTimer(long nowNs) {
    if (ackTimeoutNs > 0) {
      ackTimerRuns = true;
      ackDeadlineNs = nowNs + ackTimeoutNs;
      probe.start(nowNs, ackTimeoutNs, peer.window().roundTrip());
    }
  }

  private void stopTimers() {
    ackTimerRuns = false;
    probe.stop();
    probeDue = false;
  }

  /** The acknowledgement is overdue, though its timeout is not over. */
  private void acknowledgementOverdue() {
    probe.overdue();
    counters.increment(Counter.LOSS_PROBE);
    if (Segmentation.needsResponse(queue.opcode(queue.slot(queue.head())))) {
      goBack(Counter.LOSS_PROBE);
    } else {
      probeDue = true;
    }
  }

  /** The oldest unacknowledged packet once more, out of turn; false: it does not fit. */
  private boolean sendProbe(long nowNs, Transmit out) {
    long oldest = window.oldest();
    window.probe();
    TransmitOutcome outcome = sendNext(nowNs, out);
    if (window.outstanding()) {
      window.resume();
    }
    probeDue = outcome == TransmitOutcome.FULL;
    if (outcome == null) {
      probe.probed(oldest, window.next());
      startAckTimer(nowNs); // it runs from when the oldest packet was last sent
      side.trace().retransmission(qpNum, (int) oldest & Psn.MASK, Counter.LOSS_PROBE);
    }
    return !probeDue;
  }

  /**
   * When {@link #handleTimeout} wants to be called, or {@link Deadlines#NEVER}.
   *
   * @param probing whether losses are to be found out before the ACK timeout
   */
  public long deadlineNs(boolean probing) {
    if (rnrWaiting) {
      return rnrUntilNs;
    }
    if (!ackTimerRuns) {
      return Deadlines.NEVER;
    }
    return probing && probe.runs() && worthProbing() ? probe.dueNs() : ackDeadlineNs;
  }

  /**
   * Whether silence costs more than a needless repetition. A stream that waits loses what it could
   * have sent meanwhile; whoever sends little may count on silence until the ACK timeout.
   */
  private boolean worthProbing() {
    return leastProbed == 0
        || (window.next() - window.oldest() >= leastProbed
            && !Segmentation.needsResponse(queue.opcode(queue.slot(queue.head()))));
  }

  public void handleTimeout(long nowNs) {
    if (rnrWaiting) {
      if (rnrUntilNs - nowNs <= 0) {
        rnrWaiting = false;
        retrying = false; // what is sent from now on is an attempt of its own
      }
    } else if (ackTimerRuns && ackDeadlineNs - nowNs <= 0) {
      ackTimerRuns = false;
      counters.increment(Counter.ACK_TIMEOUT);
      retry(Counter.ACK_TIMEOUT);
    } else if (ackTimerRuns && probe.runs() && probe.dueNs() - nowNs <= 0 && worthProbing()) {
      acknowledgementOverdue();
    }
  }
}
