package org.roce4j.engine.responder;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.memory.RemoteRange;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Psn;

/**
 * The responder of an unreliable connection (rc-transport 7). A message completes whole or not at
 * all. After a gap the next FIRST or ONLY starts a new message, and only the torn message is lost
 * (R11). The next message takes the receive request of the torn one.
 */
public final class UnreliableResponder extends Responder {
  private final RemoteRange writeRange;

  /** Remote rights of the queue pair, of {@link org.roce4j.verbs.AccessFlags}. */
  private int accessFlags;

  /** The PSN of the next packet of the message in progress. */
  private int expected;

  /** The operation of the message in progress. */
  private OpenMessage message = OpenMessage.NONE;

  /** Bytes written of the current RDMA WRITE. */
  private long written;

  public UnreliableResponder(ReceiveSide side, int maxSge) {
    super(side, maxSge);
    writeRange = new RemoteRange(side.keys(), side.accessor());
  }

  @Override
  public void configure(QpAttr attr, int mask) {
    accessFlags = attr.qpAccessFlags();
  }

  @Override
  public void start(int expectedPsn) {
    expected = expectedPsn;
    message = OpenMessage.NONE;
  }

  @Override
  public int expectedPsn() {
    return expected;
  }

  @Override
  public boolean hasAnswers() {
    return false;
  }

  @Override
  public boolean transmit(Transmit out) {
    return true;
  }

  @Override
  public boolean handleRequest(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    if (message != OpenMessage.NONE && (packet.psn() != expected || opcode.starts())) {
      counters.increment(Counter.UC_MESSAGE_ABANDONED);
      giveUp(WcStatus.REM_INV_REQ_ERR);
    }
    expected = Psn.add(packet.psn(), 1);
    boolean wellFormed =
        opcode.payloadLegal(packet.payloadLength(), peer.pathMtu()) && packet.padLegal();
    if (!message.accepts(opcode) || !wellFormed) {
      return abandon(packet, WcStatus.REM_INV_REQ_ERR);
    }
    return opcode.operation() == Operation.SEND ? send(packet, inbound) : write(packet, inbound);
  }

  private boolean send(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    // A request of the own queue that a torn message held is still the oldest: it begins again.
    if (opcode.starts() && !receive.take()) {
      drop(Counter.OUT_OF_BUFFER, packet);
      return false;
    }
    int bytes = packet.payloadLength();
    if (!receive.fits(bytes)) {
      return abandon(packet, WcStatus.REM_INV_REQ_ERR);
    }
    if (!receive.scatter(inbound.memory(), packet.payloadAt(), bytes)) {
      counters.increment(Counter.RESPONDER_PROTECTION_ERROR);
      failQueue(WcStatus.LOC_PROT_ERR, null, receive.why());
      return false;
    }
    message = OpenMessage.after(opcode);
    if (opcode.ends()) {
      completeMessage(packet, receive.filled());
    }
    return true;
  }

  private boolean write(InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    long total = opcode.starts() ? packet.rethLength() : writeRange.length();
    long before = opcode.starts() ? 0 : written;
    int bytes = packet.payloadLength();
    boolean fits = opcode.ends() ? before + bytes == total : before + bytes < total;
    if (total > Opcode.MOST_MESSAGE_BYTES || !fits) {
      return abandon(packet, WcStatus.REM_INV_REQ_ERR);
    }
    if ((accessFlags & AccessFlags.REMOTE_WRITE) == 0
        || (opcode.starts()
            && !writeRange.set(packet.rethRkey(), packet.rethVa(), total, AccessFlags.REMOTE_WRITE))
        || !writeRange.write(before, inbound.memory(), packet.payloadAt(), bytes)) {
      return abandon(packet, WcStatus.REM_ACCESS_ERR);
    }
    written = before + bytes;
    message = OpenMessage.after(opcode);
    if (opcode.hasImmediate()) {
      if (!receive.take()) {
        drop(Counter.OUT_OF_BUFFER, packet);
        return false;
      }
      completeMessage(packet, total);
    }
    return true;
  }

  /**
   * Drops a packet and gives up its message.
   *
   * @return false, as the result of {@link #handleRequest}
   */
  private boolean abandon(InboundPacket packet, WcStatus status) {
    drop(Counter.REQUEST_DROPPED, packet);
    giveUp(status);
    return false;
  }

  /**
   * Gives up the current message. A request taken from a shared queue, which other queue pairs may
   * wait for, completes with the error; a request of the own queue is kept for the next message
   * (R20).
   */
  private void giveUp(WcStatus status) {
    message = OpenMessage.NONE;
    if (receive.isHeld() && side.source().shared()) {
      failReceive(status);
    }
  }
}
