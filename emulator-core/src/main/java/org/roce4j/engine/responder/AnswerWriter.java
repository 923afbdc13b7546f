package org.roce4j.engine.responder;

import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.Peer;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.AtomicAckEth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.Psn;
import org.roce4j.wire.Transport;

/** Writes READ responses, atomic answers, ACKs and NAKs. */
final class AnswerWriter {
  /** The result of writing an answer. */
  enum Result {
    DONE,
    FULL,
    ACCESS_ERROR
  }

  private final Peer peer;
  private final Transport transport;

  /** The opcode of ACKs and NAKs. */
  private final Opcode acknowledgement;

  /**
   * @param transport the transport of the packets, RC or XRC
   */
  AnswerWriter(Peer peer, Transport transport) {
    this.peer = peer;
    this.transport = transport;
    acknowledgement = whole(Operation.ACKNOWLEDGE);
  }

  private Opcode whole(Operation operation) {
    return Opcode.of(transport, operation, true, true, false, false);
  }

  Result write(Answer answer, Transmit out) {
    return switch (answer.kind) {
      case READ -> read(answer, out);
      case ATOMIC -> atomic(answer, out);
      case EMPTY -> empty(answer, out);
    };
  }

  private Result read(Answer answer, Transmit out) {
    int pathMtu = peer.pathMtu();
    while (answer.next < answer.end) {
      boolean first = answer.next == answer.start;
      boolean last = answer.next == answer.end - 1;
      long offset = (long) answer.next * pathMtu;
      int payload = (int) Math.min(pathMtu, answer.endByte - offset);
      Opcode opcode = Opcode.of(transport, Operation.READ_RESPONSE, first, last, false, false);
      int at = claim(out, OutboundPacket.size(opcode, payload));
      if (at < 0) {
        return Result.FULL;
      }
      if (!answer.range.read(offset, out.memory(), OutboundPacket.payloadAt(opcode, at), payload)) {
        return Result.ACCESS_ERROR;
      }
      headers(out, at, opcode, payload, answer.firstPsn + answer.next);
      if (opcode.hasAeth()) {
        Aeth.put(out.buffer(), at + opcode.aethAt(), Aeth.ACK, answer.msn);
      }
      out.commit(OutboundPacket.size(opcode, payload));
      answer.next++;
    }
    return Result.DONE;
  }

  private Result atomic(Answer answer, Transmit out) {
    Opcode opcode = whole(Operation.ATOMIC_ACKNOWLEDGE);
    int at = claim(out, OutboundPacket.size(opcode, 0));
    if (at < 0) {
      return Result.FULL;
    }
    headers(out, at, opcode, 0, answer.firstPsn);
    Aeth.put(out.buffer(), at + opcode.aethAt(), Aeth.ACK, answer.msn);
    AtomicAckEth.put(out.buffer(), at + opcode.atomicAckEthAt(), answer.original);
    out.commit(OutboundPacket.size(opcode, 0));
    return Result.DONE;
  }

  private Result empty(Answer answer, Transmit out) {
    Opcode opcode = whole(Operation.READ_RESPONSE);
    int at = claim(out, OutboundPacket.size(opcode, 0));
    if (at < 0) {
      return Result.FULL;
    }
    headers(out, at, opcode, 0, answer.firstPsn);
    Aeth.put(out.buffer(), at + opcode.aethAt(), Aeth.ACK, answer.msn);
    out.commit(OutboundPacket.size(opcode, 0));
    return Result.DONE;
  }

  /** Writes an ACK or NAK; false if it does not fit the train. */
  boolean acknowledge(Transmit out, long psn, int syndrome, int msn) {
    Opcode opcode = acknowledgement;
    int at = claim(out, OutboundPacket.size(opcode, 0));
    if (at < 0) {
      return false;
    }
    headers(out, at, opcode, 0, psn);
    Aeth.put(out.buffer(), at + opcode.aethAt(), syndrome, msn);
    out.commit(OutboundPacket.size(opcode, 0));
    return true;
  }

  private int claim(Transmit out, int size) {
    return out.claim(peer.path(), peer.sourcePortHint(), size);
  }

  private void headers(Transmit out, int at, Opcode opcode, int payload, long psn) {
    Bth.put(
        out.buffer(),
        at,
        opcode.code(),
        false,
        OutboundPacket.pad(payload),
        peer.pkey(),
        peer.destQp(),
        false,
        (int) psn & Psn.MASK);
    OutboundPacket.zeroPad(out.buffer(), at, opcode, payload);
  }
}
