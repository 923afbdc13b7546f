package org.roce4j.engine.requester;

import java.nio.ByteBuffer;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Ieth;
import org.roce4j.wire.ImmDt;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.Reth;

/** Writes the headers of SEND and RDMA WRITE packets, RC and UC alike. */
final class MessagePacket {
  private MessagePacket() {}

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
        opcode.ends() && queue.flag(slot, SendFlags.SOLICITED) && !plainWrite(queue, slot);
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
    if (opcode.hasReth()) {
      Reth.put(
          b, at + opcode.rethAt(), queue.remoteAddress(slot), queue.rkey(slot), queue.length(slot));
    }
    if (opcode.hasImmediate()) {
      ImmDt.put(b, at + opcode.immediateAt(), queue.immediate(slot));
    }
    if (opcode.hasInvalidate()) {
      Ieth.put(b, at + opcode.iethAt(), queue.immediate(slot));
    }
    OutboundPacket.zeroPad(b, at, opcode, payload);
  }

  private static boolean plainWrite(SendQueue queue, int slot) {
    return queue.opcode(slot) == WrOpcode.RDMA_WRITE;
  }
}
