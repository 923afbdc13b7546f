package org.roce4j.benchmarks;

import java.nio.ByteBuffer;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.AtomicAckEth;
import org.roce4j.wire.AtomicEth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.Ieth;
import org.roce4j.wire.ImmDt;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.Reth;

/** Writes whole packets for a peer that is played. */
final class PacketWriter {
  private static final int PATH_MTU = 4096;
  private static final int SMALL = 64;

  private PacketWriter() {}

  /** Bytes of payload that suit an opcode: a full path MTU, 64, or none. */
  static int payloadOf(Opcode opcode) {
    if (!opcode.carriesPayload()) {
      return 0;
    }
    return opcode.payloadLegal(SMALL, PATH_MTU) ? SMALL : PATH_MTU;
  }

  /** Writes every header that the opcode has; the packet's size with its ICRC. */
  static int put(ByteBuffer b, int at, Opcode opcode, int destQp, int psn, int payload) {
    Bth.put(b, at, opcode.code(), false, OutboundPacket.pad(payload), 0xffff, destQp, true, psn);
    if (opcode.hasReth()) {
      Reth.put(b, at + opcode.rethAt(), 0x1000, 0x77, payload);
    }
    if (opcode.hasAeth()) {
      Aeth.put(b, at + opcode.aethAt(), Aeth.ACK, psn);
    }
    if (opcode.hasImmediate()) {
      ImmDt.put(b, at + opcode.immediateAt(), psn);
    }
    if (opcode.hasInvalidate()) {
      Ieth.put(b, at + opcode.iethAt(), 0x77);
    }
    if (opcode.hasDeth()) {
      Deth.put(b, at + opcode.dethAt(), LoneDevice.QKEY, 17);
    }
    if (opcode.hasAtomicEth()) {
      AtomicEth.put(b, at + opcode.atomicEthAt(), 0x1000, 0x77, 1, 0);
    }
    if (opcode.hasAtomicAckEth()) {
      AtomicAckEth.put(b, at + opcode.atomicAckEthAt(), psn);
    }
    OutboundPacket.zeroPad(b, at, opcode, payload);
    return OutboundPacket.size(opcode, payload);
  }
}
