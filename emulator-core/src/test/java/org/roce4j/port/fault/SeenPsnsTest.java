package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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

  /** A packet of a queue pair, a direction and a kind. */
  private record Kind(FaultDirection direction, Opcode opcode, int destQp) {
    PacketState see(SeenPsns seen, int psn) {
      ByteBuffer packet = ByteBuffer.allocate(Bth.SIZE);
      Bth.put(packet, 0, opcode.code(), false, 0, 0xffff, destQp, false, psn);
      return seen.see(direction, packet, 0, Bth.SIZE);
    }
  }

  @Test
  void everyQueuePairHasPsnsOfItsOwnForEachDirectionAndKind() {
    List<Kind> all = new ArrayList<>();
    for (FaultDirection direction : FaultDirection.values()) {
      for (Opcode opcode : List.of(Opcode.RC_SEND_ONLY, Opcode.RC_ACKNOWLEDGE)) {
        all.add(new Kind(direction, opcode, 0));
        for (int bit = 0; bit < 24; bit++) {
          all.add(new Kind(direction, opcode, 1 << bit));
        }
      }
    }
    for (Kind one : all) {
      for (Kind other : all) {
        SeenPsns of = new SeenPsns();
        one.see(of, 5);
        PacketState expected = one.equals(other) ? PacketState.REPEATED : PacketState.NEW;
        assertEquals(expected, other.see(of, 4), () -> other + " after " + one);
      }
    }
  }
}
