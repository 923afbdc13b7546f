package org.roce4j.engine.requester;

import java.nio.ByteBuffer;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.AtomicEth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Feth;
import org.roce4j.wire.Ieth;
import org.roce4j.wire.ImmDt;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.Reth;
import org.roce4j.wire.XrcEth;

/** Writes the headers of request packets for both kinds of connection, reliable and unreliable. */
final class RequestPacket {
  private RequestPacket() {}

  static void putHeaders(
      ByteBuffer b,
      int at,
      Opcode opcode,
      Peer peer,
      SendQueue queue,
      int slot,
      int payload,
      boolean ackReq,
      int psn) {
    boolean solicited =
        opcode.ends() && queue.flag(slot, SendFlags.SOLICITED) && takesReceive(queue.opcode(slot));
    Bth.put(
        b,
        at,
        opcode.code(),
        solicited,
        OutboundPacket.pad(payload),
        peer.pkey(),
        peer.destQp(),
        ackReq,
        psn);
    if (opcode.hasXrcEth()) {
      XrcEth.put(b, at + opcode.xrcEthAt(), queue.remoteSrq(slot));
    }
    if (opcode.hasFeth()) {
      Feth.put(b, at + opcode.fethAt(), queue.flushPlacement(slot), queue.flushSelectivity(slot));
    }
    if (opcode.hasReth()) {
      long length = opcode.hasFeth() ? queue.flushLength(slot) : queue.length(slot);
      Reth.put(b, at + opcode.rethAt(), queue.remoteAddress(slot), queue.rkey(slot), length);
    }
    if (opcode.hasImmediate()) {
      ImmDt.put(b, at + opcode.immediateAt(), queue.immediate(slot));
    }
    if (opcode.hasInvalidate()) {
      Ieth.put(b, at + opcode.iethAt(), queue.immediate(slot));
    }
    if (opcode.hasAtomicEth()) {
      putOperands(b, at + opcode.atomicEthAt(), queue, slot);
    }
    OutboundPacket.zeroPad(b, at, opcode, payload);
  }

  /** Narrows the RETH at {@code at} to one part of a posted READ. */
  static void narrowRead(ByteBuffer b, int at, SendQueue queue, int slot, long offset, long bytes) {
    Reth.put(b, at, queue.remoteAddress(slot) + offset, queue.rkey(slot), bytes);
  }

  private static void putOperands(ByteBuffer b, int at, SendQueue queue, int slot) {
    boolean swap = queue.opcode(slot) == WrOpcode.ATOMIC_CMP_AND_SWP;
    AtomicEth.put(
        b,
        at,
        queue.remoteAddress(slot),
        queue.rkey(slot),
        swap ? queue.swap(slot) : queue.compareAdd(slot),
        swap ? queue.compareAdd(slot) : 0);
  }

  /**
   * Whether the request completes a receive request of the peer: only that completion can be
   * solicited.
   */
  private static boolean takesReceive(WrOpcode request) {
    return switch (request) {
      case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE_WITH_IMM -> true;
      default -> false;
    };
  }
}
