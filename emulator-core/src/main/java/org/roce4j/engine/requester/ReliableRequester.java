package org.roce4j.engine.requester;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.PathShare;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.Psn;

/**
 * The requester of a reliable connection, plain or extended (rc-transport 3, 9). It pipelines
 * requests within the path's window, in post order. {@link ResponseHandler} interprets the peer's
 * answers, {@link LossRecovery} recovers from loss.
 */
public final class ReliableRequester extends Requester {
  private static final long NONE = -1;

  /**
   * A READ that found no room may exceed the path's window after this number of windows of other
   * queue pairs' packets.
   */
  private static final int PATIENT_WINDOWS = 2;

  private final UnackedWindow window;
  private final CompletionOrder order;
  private final RdAtomicCredits credits = new RdAtomicCredits();
  private final AckRequests ackRequests = new AckRequests();
  private final LossRecovery recovery;
  private final ResponseHandler responses;

  /** What this requester has in flight on its path. */
  private final PathShare share;

  /** SQD: requests without PSNs are not started. */
  private boolean held;

  /** The first PSN that was not sent when the peer's last request arrived. */
  private long rowFrom;

  /** Index of the request whose local buffers {@link #gather} is open on, or {@link #NONE}. */
  private long gatheredIndex = NONE;

  /**
   * Bytes that the path had delivered when a READ first found no room; {@link #NONE} if no READ
   * waits.
   */
  private long readWaitsSince = NONE;

  /**
   * @param probesForLoss whether to probe before the ACK timeout when {@link #deadlineNs} allows
   * @param leastProbed least number of packets in flight for a probe, SENDs and WRITEs only; 0:
   *     always, and READs too
   */
  public ReliableRequester(SendSide side, boolean probesForLoss, int leastProbed) {
    super(side);
    share = peer.share();
    window = new UnackedWindow(queue);
    order = new CompletionOrder(window, completions);
    recovery = new LossRecovery(side, window, order, credits, probesForLoss, leastProbed);
    responses = new ResponseHandler(side, window, order, recovery);
  }

  @Override
  public void configure(QpAttr attr, int mask) {
    recovery.configure(attr, mask);
    if ((mask & QpAttrMask.MAX_QP_RD_ATOMIC) != 0) {
      credits.limit(attr.maxRdAtomic());
    }
  }

  @Override
  public void reserve(QpAttr attr, int mask) {
    if ((mask & QpAttrMask.MAX_QP_RD_ATOMIC) != 0) {
      credits.reserve(attr.maxRdAtomic());
    }
  }

  @Override
  public void start(int firstPsn) {
    window.restart(Psn.MASK + 1L + firstPsn);
    rowFrom = 0;
    ackRequests.clear();
  }

  @Override
  public void hold(boolean hold) {
    held = hold;
  }

  @Override
  public boolean drained() {
    return queue.head() == window.started();
  }

  /** Packets that were sent and not acknowledged. The packets of a READ are its responses. */
  public long unackedPackets() {
    return window.highest() - window.oldest();
  }

  /**
   * The unacknowledged packets that were sent since the peer's last request. A large number means a
   * burst, a small one a ping-pong.
   */
  public long unackedInRow() {
    return window.highest() - Math.max(window.oldest(), rowFrom);
  }

  /** The peer has sent a request. */
  public void requestCame() {
    rowFrom = window.highest();
  }

  /**
   * Packets of the request that was started last; defined only while a packet of it is
   * unacknowledged.
   */
  public int packetsOfLastRequest() {
    return window.packets(queue.slot(window.started() - 1));
  }

  /** Index of the first request in the send queue that was not started. */
  public long startedRequests() {
    return window.started();
  }

  @Override
  public int nextPsn() {
    return (int) window.highest() & Psn.MASK;
  }

  @Override
  void abandon() {
    recovery.abandon();
    order.forget();
    gatheredIndex = NONE;
    readWaitsSince = NONE;
    responses.forget();
  }

  @Override
  public long touch(int step) {
    return super.touch(step)
        + switch (step) {
          case ITSELF -> held ? 1 : 0;
          case PARTS ->
              window.highest()
                  + recovery.touch()
                  + (ackRequests.unasked() ? 1 : 0)
                  + (order.stopsAt(0) ? 1 : 0)
                  + (responses.scattering() ? 1 : 0);
          case ANSWER -> touchAnswer();
          default -> 0;
        };
  }

  private long touchAnswer() {
    if (queue.head() == window.sending()
        ? queue.isEmpty() || !kind(queue.slot(queue.head())).needsResponse()
        : window.dataOperations() == 0) {
      return 0;
    }
    return credits.touch() + responses.touch();
  }

  private RequestKind kind(int slot) {
    return RequestKind.of(queue.opcode(slot));
  }

  // ---- sending

  @Override
  public TransmitOutcome transmit(Transmit out) {
    if (recovery.rnrWaiting()) {
      return TransmitOutcome.IDLE;
    }
    if (recovery.probeDue() && !sendProbe(out)) {
      return TransmitOutcome.FULL;
    }
    while (true) {
      if (window.sending() == window.started() && !startNext()) {
        return TransmitOutcome.IDLE;
      }
      if (window.sending() == window.started()) {
        continue; // a local operation was executed; nothing to send for it
      }
      TransmitOutcome outcome = sendNext(out);
      if (outcome != TransmitOutcome.SENT) {
        return outcome;
      }
    }
  }

  /** The packets of {@link #transmit} have left: their timers start. */
  public void sent(long nowNs) {
    recovery.left(nowNs);
  }

  /** Gives the next posted request its PSNs if it may start now. */
  private boolean startNext() {
    long index = window.started();
    if (held || order.stopsAt(index) || index == queue.end()) {
      return false;
    }
    int slot = queue.slot(index);
    if (queue.flag(slot, SendFlags.FENCE) && window.dataOperations() > 0) {
      return false;
    }
    RequestKind kind = kind(slot);
    if (kind == RequestKind.LOCAL) {
      boolean inTurn = queue.opcode(slot) != WrOpcode.LOCAL_INV || index == queue.head();
      return inTurn && runLocal(index);
    }
    if (queue.length(slot) > Opcode.MOST_MESSAGE_BYTES) {
      order.failLocally(index, WcStatus.LOC_LEN_ERR, Segmentation.TOO_LONG);
      return false;
    }
    if (kind.needsResponse() && !credits.granted()) {
      order.failLocally( // R26
          index, WcStatus.LOC_QP_OP_ERR, "maxRdAtomic became 0 after it was posted");
      return false;
    }
    int pathMtu = peer.pathMtu();
    int packets = kind.packets(queue.length(slot), pathMtu);
    window.begin(
        slot,
        packets,
        kind == RequestKind.READ ? packetsPerRead(pathMtu) : packets,
        kind.needsResponse());
    return true;
  }

  /**
   * Packets per READ request: a long READ is split into requests that each fit the path's window.
   */
  private int packetsPerRead(int pathMtu) {
    long limit = peer.window().limitBytes();
    return (int) Math.max(1, limit / (pathMtu + PathWindow.PACKET_CHARGE));
  }

  private boolean runLocal(long index) {
    int slot = queue.slot(index);
    window.begin(slot, 0, 1, false);
    WcStatus status = LocalOperation.run(side, slot);
    if (status != WcStatus.SUCCESS) {
      order.failLocally(index, status, LocalOperation.why(side, slot));
      return false;
    }
    order.retireAcknowledged();
    return true;
  }

  /**
   * Sends the next packet of any kind. The packet needs room on the path, then a credit if data
   * answers it, then room in the train.
   */
  private TransmitOutcome sendNext(Transmit out) {
    long index = window.sending();
    if (order.stopsAt(index)) {
      return TransmitOutcome.IDLE;
    }
    int slot = queue.slot(index);
    RequestKind kind = kind(slot);
    long psn = window.next();
    int number = window.nextIndex();
    int psns = kind == RequestKind.READ ? (int) (window.readEnd(slot, psn) - psn) : 1;
    long bytes = bytes(slot, number, psns);
    long charge = PathWindow.charge(psns, bytes);
    TransmitOutcome admission = admission(kind, psns, charge);
    if (admission != TransmitOutcome.SENT) {
      return admission;
    }
    if (kind.needsResponse() && !credits.available()) {
      return TransmitOutcome.IDLE;
    }
    boolean last = number + psns == window.packets(slot);
    boolean ackReq = last || kind.needsResponse() || asksEarly(charge);
    TransmitOutcome written = write(out, kind, index, number, bytes, psn, ackReq);
    if (written != TransmitOutcome.SENT) {
      return written;
    }
    if (kind == RequestKind.READ) {
      readRequested(slot, psn);
    }
    if (kind.needsResponse()) {
      credits.taken(psn + psns - 1);
    } else {
      ackRequests.sent(charge, ackReq);
    }
    recovery.sent(psns, charge, ackReq);
    return TransmitOutcome.SENT;
  }

  /**
   * Sends the oldest unacknowledged packet again, out of turn; false if it does not fit the train.
   */
  private boolean sendProbe(Transmit out) {
    long index = queue.head();
    int slot = queue.slot(index);
    int number = (int) (window.oldest() - window.firstPsn(slot));
    long bytes = bytes(slot, number, 1);
    TransmitOutcome written = write(out, kind(slot), index, number, bytes, window.oldest(), true);
    if (written == TransmitOutcome.SENT) {
      ackRequests.clear();
      recovery.probed();
    }
    return written != TransmitOutcome.FULL;
  }

  /** Bytes of the message that a request packet carries or asks for. */
  private long bytes(int slot, int number, int psns) {
    return Segmentation.payloadBetween(
        queue.length(slot), peer.pathMtu(), number, (long) number + psns);
  }

  /**
   * Writes a request packet into the train.
   *
   * @param number the packet's number within its request
   * @return FULL if it does not fit; IDLE if its payload cannot be read and the request fails
   */
  private TransmitOutcome write(
      Transmit out,
      RequestKind kind,
      long index,
      int number,
      long bytes,
      long psn,
      boolean ackReq) {
    int slot = queue.slot(index);
    boolean last = number == window.packets(slot) - 1;
    Opcode opcode = kind.opcode(side.transport(), queue.opcode(slot), number == 0, last);
    int payload = kind.carriesPayload() ? (int) bytes : 0;
    int size = OutboundPacket.size(opcode, payload);
    int at = out.claim(peer.path(), peer.sourcePortHint(), size);
    if (at < 0) {
      return TransmitOutcome.FULL;
    }
    long offset = (long) number * peer.pathMtu();
    if (payload > 0 && !gather(index, offset, out, OutboundPacket.payloadAt(opcode, at), payload)) {
      return TransmitOutcome.IDLE;
    }
    int wirePsn = (int) psn & Psn.MASK;
    RequestPacket.putHeaders(out.buffer(), at, opcode, peer, queue, slot, payload, ackReq, wirePsn);
    if (kind == RequestKind.READ) {
      RequestPacket.narrowRead(out.buffer(), at + opcode.rethAt(), queue, slot, offset, bytes);
    }
    out.commit(size);
    return TransmitOutcome.SENT;
  }

  private boolean gather(long index, long offset, Transmit out, int at, int bytes) {
    int slot = queue.slot(index);
    if (gatheredIndex != index) {
      queue.open(slot, gather);
      gatheredIndex = index;
    }
    if (!gatherPayload(slot, offset, out, at, bytes)) {
      order.failLocally(index, WcStatus.LOC_PROT_ERR, gather.why(false));
      return false;
    }
    return true;
  }

  private void readRequested(int slot, long psn) {
    if (!window.readStart(slot, psn)) {
      counters.increment(Counter.PARTIAL_READ_REPLAY);
    }
    readWaitsSince = NONE;
    responses.readRequestedFrom(psn);
  }

  /** Whether a packet before its message's last one must ask for an acknowledgement. */
  private boolean asksEarly(long charge) {
    return ackRequests.isDue(charge, peer.window().limitBytes())
        || !share.hasRoom(charge + PathWindow.charge(1, peer.pathMtu()));
  }

  /**
   * SENT if the path's window and the peer's PSN window admit the packet; otherwise why they do
   * not.
   */
  private TransmitOutcome admission(RequestKind kind, int psns, long charge) {
    if (window.tooFarAhead(psns)) {
      return TransmitOutcome.IDLE;
    }
    if (share.admits(charge)) {
      return TransmitOutcome.SENT;
    }
    TransmitOutcome refusal =
        share.exceeds(charge) ? TransmitOutcome.IDLE : TransmitOutcome.BLOCKED;
    boolean excepted =
        switch (kind) {
          case MESSAGE -> unasked();
          case READ -> refusal == TransmitOutcome.BLOCKED && waitedLong();
          default -> false;
        };
    return excepted ? TransmitOutcome.SENT : refusal;
  }

  /**
   * Whether a READ has waited long enough to exceed the window once. A READ may need the whole
   * window, and queue pairs that send one packet at a time never leave it free; so the READ waits
   * for {@link #PATIENT_WINDOWS} windows of their packets.
   */
  private boolean waitedLong() {
    PathWindow path = peer.window();
    if (readWaitsSince == NONE) {
      readWaitsSince = path.deliveredBytes();
    }
    return path.deliveredBytes() - readWaitsSince >= PATIENT_WINDOWS * path.limitBytes()
        && path.inFlightBytes() <= path.limitBytes();
  }

  /**
   * Whether no packet in flight asks for an acknowledgement because other queue pairs took the rest
   * of the path's window. One more packet, which asks, may then exceed the window. Otherwise the
   * window could stay closed for longer than the ACK timeout, and a retry would be spent without a
   * loss.
   */
  private boolean unasked() {
    return ackRequests.unasked() && window.next() > window.oldest();
  }

  // ---- responses and time

  @Override
  public InFlight inFlight() {
    return recovery.inFlight();
  }

  /** Takes an ACK, NAK, READ response or atomic response. */
  public void handleResponse(long nowNs, InboundPacket packet, Inbound inbound) {
    responses.handle(nowNs, packet, inbound);
  }

  /**
   * When {@link #handleTimeout} must be called, or {@link Deadlines#NEVER}.
   *
   * @param probing whether to detect losses before the ACK timeout
   */
  public long deadlineNs(boolean probing) {
    return recovery.deadlineNs(probing);
  }

  public void handleTimeout(long nowNs) {
    recovery.handleTimeout(nowNs);
  }
}
