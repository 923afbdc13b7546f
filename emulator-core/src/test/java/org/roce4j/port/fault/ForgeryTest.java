package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/** Forged packets take their fields from the chosen datagram, and no byte from beyond its end. */
class ForgeryTest {
  private static final int LONGEST = 40;
  private static final int MSN = 0x123456;

  private final ByteBuffer forged = ByteBuffer.allocateDirect(Forgery.MOST_BYTES);

  /** The datagram ends with its buffer: a read beyond it throws. */
  private static ByteBuffer datagram(Opcode opcode, int length) {
    ByteBuffer whole = ByteBuffer.allocate(LONGEST);
    Bth.put(whole, 0, opcode.code(), false, 0, 0xffff, 77, false, 5);
    Aeth.put(whole, Bth.SIZE, Aeth.ACK, MSN);
    ByteBuffer cut = ByteBuffer.allocateDirect(length);
    return cut.put(0, whole, 0, length);
  }

  /** It is written at the index that was asked for, and no byte around it changes. */
  @ParameterizedTest
  @CsvSource({
    "forge-ack, 0x04, RC_ACKNOWLEDGE, 20",
    "forge-ack, 0x24, RC_ACKNOWLEDGE, 20",
    "forge-ack, 0x64, RC_ACKNOWLEDGE, 20",
    "forge-ack, 0xa4, XRC_ACKNOWLEDGE, 20",
    "forge-nak=2, 0xb1, XRC_ACKNOWLEDGE, 20",
    "forge-rnr=3, 0xfe, RC_ACKNOWLEDGE, 20",
    "forge-cnp, 0xfe, CNP, 32",
  })
  void aForgedPacketIsWhole(String rule, String chosen, Opcode opcode, int length) {
    FaultAction action = FaultPlan.parse(rule).rules().getFirst().action();
    int at = 5;
    ByteBuffer from = ByteBuffer.allocate(at + 16);
    Bth.put(from, at, Integer.decode(chosen), false, 0, 0xabcd, 77, false, 5);
    ByteBuffer to = ByteBuffer.allocate(64);
    for (int i = 0; i < to.capacity(); i++) {
      to.put(i, (byte) 0x5a);
    }
    int toAt = 8;
    assertEquals(length, Forgery.write(action, from, at, 16, to, toAt));
    assertEquals(opcode.code(), Bth.opcode(to, toAt));
    assertEquals(77, Bth.destQp(to, toAt));
    assertEquals(0xabcd, Bth.pkey(to, toAt));
    assertEquals(0x40, to.get(toAt + 1) & 0x40, "MigReq, as in every packet");
    assertEquals(opcode == Opcode.CNP ? 0x40 : 0, to.get(toAt + 4) & 0x40, "BECN");
    for (int i = 0; i < to.capacity(); i++) {
      boolean zero = i >= toAt + (opcode == Opcode.CNP ? 12 : 16) && i < toAt + length;
      boolean untouched = i < toAt || i >= toAt + length;
      assertTrue(!zero || to.get(i) == 0, "byte " + i);
      assertTrue(!untouched || to.get(i) == 0x5a, "byte " + i);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "forge-ack=2, RC_ACKNOWLEDGE, 7",
    "forge-nak, RC_ACKNOWLEDGE, 5",
    "forge-rnr, RC_ACKNOWLEDGE, 5",
    "forge-cnp, CNP, 0",
    "forge-ack=2, RC_SEND_ONLY, 7",
    "forge-ack=2, XRC_ACKNOWLEDGE, 7",
    "forge-ack=2, UD_SEND_ONLY, 7"
  })
  void aDatagramOfAnyLengthIsForgedAfter(String rule, Opcode chosen, int psn) {
    FaultAction action = FaultPlan.parse(rule).rules().getFirst().action();
    for (int length = 0; length <= LONGEST; length++) {
      ByteBuffer from = datagram(chosen, length);
      int bytes = Forgery.write(action, from, 0, length, forged, 0);
      assertEquals(length >= Bth.SIZE, bytes > 0, "of " + length);
      assertTrue(bytes <= Forgery.MOST_BYTES);
      if (bytes > 0) {
        assertEquals(77, Bth.destQp(forged, 0));
        assertEquals(psn, Bth.psn(forged, 0));
        boolean told = Bth.opcode(forged, 0) == chosen.code() && length >= Bth.SIZE + 4;
        if (Bth.opcode(forged, 0) != Opcode.CNP.code()) {
          assertEquals(told ? MSN : 0, Aeth.msn(forged, Bth.SIZE));
        }
      }
    }
  }
}
