package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

class SeenPsnsTest {
  private static final int UNKNOWN_BETWEEN_RESPONSES = 0x71;

  private final SeenPsns seen = new SeenPsns();

  private PacketState see(int opcode, int psn) {
    ByteBuffer packet = ByteBuffer.allocate(Bth.SIZE);
    Bth.put(packet, 0, opcode, false, 0, 0xffff, 17, false, psn);
    return seen.see(FaultDirection.IN, packet, 0, Bth.SIZE);
  }

  @Test
  void requestsAndResponsesOfAQueuePairAreApart() {
    assertEquals(PacketState.NEW, see(Opcode.RC_SEND_ONLY.code(), 5));
    assertEquals(PacketState.NEW, see(Opcode.RC_ACKNOWLEDGE.code(), 5));
    assertEquals(PacketState.REPEATED, see(Opcode.RC_ACKNOWLEDGE.code(), 5));
    assertEquals(PacketState.NEW, see(Opcode.RC_SEND_ONLY.code(), 6));
    assertEquals(PacketState.REPEATED, see(Opcode.RC_SEND_ONLY.code(), 5));
  }

  @Test
  void aPacketOfUnknownOpcodeCountsAsARequest() {
    assertEquals(PacketState.NEW, see(Opcode.RC_SEND_ONLY.code(), 5));
    assertEquals(PacketState.REPEATED, see(UNKNOWN_BETWEEN_RESPONSES, 5));
  }

  @Test
  void aCongestionNotificationIsAlwaysNew() {
    assertEquals(PacketState.NEW, see(Opcode.CNP.code(), 0));
    assertEquals(PacketState.NEW, see(Opcode.CNP.code(), 0));
  }
}
