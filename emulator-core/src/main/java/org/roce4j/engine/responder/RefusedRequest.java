package org.roce4j.engine.responder;

import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;

/** Describes a refused request in words. Used once for each queue pair that fails. */
final class RefusedRequest {
  private RefusedRequest() {}

  /** The request, such as {@code RC_RDMA_WRITE_ONLY of 8 bytes at 0x7f00 (rkey 0x1234)}. */
  static String describe(InboundPacket packet) {
    Opcode opcode = packet.opcode();
    return switch (opcode.operation()) {
      case RDMA_WRITE, READ_REQUEST, ATOMIC_WRITE, FLUSH ->
          opcode.starts()
              ? Wording.of(
                  "%s of %d bytes at 0x%x (rkey 0x%x)",
                  opcode, packet.rethLength(), packet.rethVa(), packet.rethRkey())
              : Wording.of("%s with %d bytes", opcode, packet.payloadLength());
      case COMPARE_SWAP, FETCH_ADD ->
          Wording.of(
              "%s of 8 bytes at 0x%x (rkey 0x%x)", opcode, packet.atomicVa(), packet.atomicRkey());
      default -> Wording.of("%s with %d bytes", opcode, packet.payloadLength());
    };
  }

  static String missingRight(int granted, int needed) {
    return Wording.of(
        "the queue pair grants %s, not %s: set it by qpAccessFlags",
        granted == 0 ? "nothing" : AccessFlags.toString(granted),
        AccessFlags.toString(needed & ~granted));
  }

  static String tooLong(HeldReceive receive, int payload) {
    return Wording.of(
        "the message is longer than the %d bytes of the receive it came to (wr_id %d): at least %d",
        receive.capacity(), receive.wrId(), receive.filled() + payload);
  }
}
