package org.roce4j.engine.requester;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.memory.LocalCursor;
import org.roce4j.engine.path.PathShare;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Psn;

/**
 * Interprets responses to outstanding requests (rc-transport 3.1). An acknowledgement covers all
 * PSNs before it, up to the first operation that only its own data answers and whose data has not
 * come (R2, R3).
 */
final class ResponseHandler {
  private static final long NONE = -1;

  private final Counters counters;
  private final Peer peer;
  private final PathShare share;
  private final SendQueue queue;
  private final UnackedWindow window;
  private final CompletionOrder order;
  private final LossRecovery recovery;

  /** Writes response payload: a cursor over the local buffers of the oldest request. */
  private final LocalCursor scatter;

  /** The value that an atomic returned, before it is copied to the local buffer. */
  private final ByteBuffer original = ByteBuffer.allocate(8).order(ByteOrder.nativeOrder());

  private final MemorySegment originalBytes = MemorySegment.ofBuffer(original);

  /** Index of the READ whose buffers {@link #scatter} is open on, or {@link #NONE}. */
  private long scatteredIndex = NONE;

  /** First PSN of the last READ request packet, or {@link #NONE}. */
  private long readRestart = NONE;

  ResponseHandler(
      SendSide side, UnackedWindow window, CompletionOrder order, LossRecovery recovery) {
    counters = side.counters();
    peer = side.peer();
    share = peer.share();
    queue = side.queue();
    this.window = window;
    this.order = order;
    this.recovery = recovery;
    scatter = new LocalCursor(side.keys(), side.accessor());
  }

  /** A READ request packet with this PSN was sent: its first response may be a FIRST or ONLY. */
  void readRequestedFrom(long psn) {
    readRestart = psn;
  }

  void handle(long nowNs, InboundPacket packet, Inbound inbound) {
    long psn = Psn.extend(window.oldest(), packet.psn());
    if (psn < window.oldest() || psn >= window.highest()) {
      drop(); // stale, or of a PSN that was never sent
      return;
    }
    switch (packet.opcode().operation()) {
      case ACKNOWLEDGE -> acknowledge(nowNs, psn, packet.syndrome());
      case READ_RESPONSE -> response(nowNs, psn, packet, inbound);
      case ATOMIC_ACKNOWLEDGE -> response(nowNs, psn, packet, inbound);
      default -> drop();
    }
  }

  private void acknowledge(long nowNs, long psn, int syndrome) {
    counters.increment(Counter.RECEIVED_ACKS);
    if (Aeth.isAck(syndrome)) {
      if (!coverBefore(nowNs, psn + 1)) {
        answerMissing(psn);
      } else {
        recovery.acknowledgedUpTo(psn);
      }
    } else if (Aeth.isRnrNak(syndrome)) {
      counters.increment(Counter.RECEIVED_RNR);
      boolean answerMissing = !coverBefore(nowNs, psn);
      if (!recovery.rnrWaiting() && window.outstanding()) {
        recovery.waitForReceiver(nowNs, Aeth.value(syndrome), answerMissing);
      }
    } else if (syndrome == Aeth.NAK_SEQUENCE) {
      counters.increment(Counter.RECEIVED_SEQUENCE_NAK);
      coverBefore(nowNs, psn);
      if (window.outstanding()) {
        recovery.retryOnce(Counter.RECEIVED_SEQUENCE_NAK);
      }
    } else {
      fatalNak(nowNs, psn, syndrome);
    }
  }

  private void fatalNak(long nowNs, long psn, int syndrome) {
    if (!coverBefore(nowNs, psn) && psn > window.lastPsn(queue.slot(queue.head()))) {
      // An earlier READ or atomic lacks its data: request that first (R3).
      recovery.retryOnce(Counter.RESPONSE_GAP);
      return;
    }
    if (window.outstanding()) {
      switch (syndrome) {
        case Aeth.NAK_INVALID_REQUEST ->
            refused(Counter.REMOTE_INVALID_REQUEST, WcStatus.REM_INV_REQ_ERR);
        case Aeth.NAK_REMOTE_ACCESS ->
            refused(Counter.REMOTE_ACCESS_ERROR, WcStatus.REM_ACCESS_ERR);
        default -> refused(Counter.REMOTE_OPERATION_ERROR, WcStatus.REM_OP_ERR);
      }
    }
  }

  private void refused(Counter reason, WcStatus status) {
    counters.increment(reason);
    order.failHead(status, "the peer refused it by a NAK");
  }

  /** An ACK passed over an operation without its data: the response was lost. */
  private void answerMissing(long psn) {
    if (psn > window.lastPsn(queue.slot(queue.head()))) {
      responseGap();
    }
  }

  private void responseGap() {
    if (!recovery.rnrWaiting()) {
      counters.increment(Counter.RESPONSE_GAP);
      recovery.retryOnce(Counter.RESPONSE_GAP);
    }
  }

  /**
   * Acknowledges every PSN before {@code end}, up to the first operation that needs data.
   *
   * @return false if it stopped at such an operation
   */
  private boolean coverBefore(long nowNs, long end) {
    long covered = window.oldest();
    boolean dataMissing = false;
    for (long index = queue.head(); covered < end && !order.stopsAt(index); index++) {
      int slot = queue.slot(index);
      dataMissing = window.needsResponse(slot);
      if (dataMissing) {
        break;
      }
      covered = deliver(slot, covered, Math.min(end, window.lastPsn(slot) + 1));
    }
    if (covered > window.oldest()) {
      progressTo(nowNs, covered);
    }
    return !dataMissing;
  }

  /**
   * Packets {@code [from, to)} of a request were delivered: the path's window has room again.
   * Returns {@code to}.
   */
  private long deliver(int slot, long from, long to) {
    long first = window.firstPsn(slot);
    share.acknowledged(window.charge(slot, peer.pathMtu(), from - first, to - first));
    return to;
  }

  private void progressTo(long nowNs, long psn) {
    recovery.progressTo(nowNs, psn);
    order.retireAcknowledged();
  }

  private void response(long nowNs, long psn, InboundPacket packet, Inbound inbound) {
    if (!coverBefore(nowNs, psn)) {
      responseGap(); // responses come in order: an earlier one was lost
      return;
    }
    if (queue.head() >= window.started()) {
      drop();
      return;
    }
    int slot = queue.slot(queue.head());
    Opcode opcode = packet.opcode();
    WcStatus verdict =
        opcode.hasAeth() && !Aeth.isAck(packet.syndrome())
            ? WcStatus.BAD_RESP_ERR
            : land(slot, psn, packet, inbound);
    if (verdict == WcStatus.SUCCESS) {
      progressTo(nowNs, deliver(slot, window.oldest(), psn + 1));
    } else {
      order.failHead(
          verdict,
          verdict == WcStatus.LOC_PROT_ERR
              ? "where its answer goes: " + scatter.why(true)
              : Wording.of("the answer %s does not fit the request", opcode));
    }
  }

  private WcStatus land(int slot, long psn, InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    return switch (queue.opcode(slot)) {
      case RDMA_READ -> landRead(slot, psn, packet, inbound);
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
          opcode.operation() == Operation.ATOMIC_ACKNOWLEDGE
              ? landAtomic(slot, packet.originalData())
              : WcStatus.BAD_RESP_ERR;
      case FLUSH, ATOMIC_WRITE ->
          opcode.operation() == Operation.READ_RESPONSE
                  && opcode.only()
                  && packet.payloadLength() == 0
              ? WcStatus.SUCCESS
              : WcStatus.BAD_RESP_ERR;
      default -> WcStatus.BAD_RESP_ERR;
    };
  }

  private WcStatus landRead(int slot, long psn, InboundPacket packet, Inbound inbound) {
    int pathMtu = peer.pathMtu();
    int number = (int) (psn - window.firstPsn(slot));
    int expected = Segmentation.payload(queue.length(slot), pathMtu, number);
    Opcode opcode = packet.opcode();
    boolean last = psn == window.readEnd(slot, psn) - 1;
    boolean wellFormed =
        packet.payloadLength() == expected
            && packet.padLegal()
            && opcode.carriesPayload()
            && opcode.ends() == last
            && startFits(opcode, slot, psn);
    if (!wellFormed) {
      return WcStatus.BAD_RESP_ERR;
    }
    if (scatteredIndex != queue.head()) {
      queue.open(slot, scatter);
      scatteredIndex = queue.head();
    }
    return scatter.scatter(inbound.memory(), packet.payloadAt(), expected)
        ? WcStatus.SUCCESS
        : WcStatus.LOC_PROT_ERR;
  }

  /**
   * Whether a READ response may have this opcode at this PSN. The response to a request packet
   * begins with FIRST or ONLY. When a READ was requested again from its middle, Linux rxe continues
   * with the opcodes of the uninterrupted response; that is accepted, too.
   */
  private boolean startFits(Opcode opcode, int slot, long psn) {
    if (window.readStart(slot, psn)) {
      return opcode.starts();
    }
    return !opcode.starts() || psn <= readRestart;
  }

  /** Copies the result of an atomic to its local buffer, in host byte order. */
  private WcStatus landAtomic(int slot, long value) {
    original.putLong(0, value);
    queue.open(slot, scatter);
    return scatter.scatter(originalBytes, 0, 8) ? WcStatus.SUCCESS : WcStatus.LOC_PROT_ERR;
  }

  /** Prefetches the cursor of a READ's destination; the result has no meaning. */
  long touch() {
    return scatter.position();
  }

  /** Whether a READ's destination is open. */
  boolean scattering() {
    return scatteredIndex != NONE;
  }

  private void drop() {
    counters.increment(Counter.RESPONSE_DROPPED);
  }

  /** Forgets the last READ request packet: PSNs will be those of another connection. */
  void forget() {
    readRestart = NONE;
  }
}
