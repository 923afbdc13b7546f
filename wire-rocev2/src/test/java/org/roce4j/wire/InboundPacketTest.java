package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.wire.InboundPacket.Verdict;

class InboundPacketTest {
  private static final List<byte[]> VALID =
      Golden.packets()
          .map(
              v -> {
                ByteBuffer b = v.bytes("udp_payload");
                byte[] bytes = new byte[b.capacity()];
                b.get(0, bytes);
                return bytes;
              })
          .toList();

  private final InboundPacket packet = new InboundPacket();

  private static ByteBuffer packetOf(Opcode op, int payload) {
    ByteBuffer b = ByteBuffer.allocateDirect(OutboundPacket.size(op, payload));
    Bth.put(b, 0, op.code(), false, OutboundPacket.pad(payload), 0xFFFF, 17, false, 0);
    return b;
  }

  @ParameterizedTest
  @EnumSource
  void shouldRefuseEveryLengthBelowHeadersAndIcrc(Opcode op) {
    ByteBuffer b = packetOf(op, 0);
    for (int length = 0; length < b.capacity(); length++) {
      assertEquals(Verdict.TOO_SHORT, packet.decode(b, 0, length));
    }
    assertEquals(Verdict.OK, packet.decode(b, 0, b.capacity()));
    assertEquals(0, packet.payloadLength());
  }

  @Test
  void shouldRefuseWhatIsShorterThanItsOwnPad() {
    ByteBuffer b = packetOf(Opcode.RC_SEND_ONLY, 0);
    Bth.put(b, 0, Opcode.RC_SEND_ONLY.code(), false, 3, 0xFFFF, 17, false, 0);
    assertEquals(Verdict.TOO_SHORT, packet.decode(b, 0, b.capacity()));
  }

  @Test
  void shouldRefuseUnknownOpcodesBeforeLookingAtTheLengthOfTheirHeaders() {
    ByteBuffer b = packetOf(Opcode.RC_SEND_ONLY, 0);
    for (int code = 0; code < 256; code++) {
      b.put(0, (byte) code);
      if (Opcode.of(code) == null) {
        assertEquals(Verdict.UNKNOWN_OPCODE, packet.decode(b, 0, b.capacity()));
      }
    }
  }

  @Test
  void shouldRefuseEveryTransportVersionButZero() {
    ByteBuffer b = packetOf(Opcode.RC_SEND_ONLY, 4);
    for (int version = 1; version < 16; version++) {
      b.put(1, (byte) version);
      assertEquals(Verdict.BAD_VERSION, packet.decode(b, 0, b.capacity()));
    }
  }

  @Test
  void shouldRefuseWhatLiesOutsideTheBuffer() {
    ByteBuffer b = packetOf(Opcode.RC_SEND_ONLY, 4);
    assertEquals(Verdict.TOO_SHORT, packet.decode(b, 4, b.capacity()));
    assertEquals(Verdict.TOO_SHORT, packet.decode(b, 0, b.capacity() + 1));
    assertEquals(Verdict.TOO_SHORT, packet.decode(b, 0, Integer.MAX_VALUE));
    assertEquals(Verdict.TOO_SHORT, packet.decode(b, Integer.MAX_VALUE, 16));
    assertEquals(Verdict.TOO_SHORT, packet.decode(b, -1, 16));
    assertEquals(Verdict.TOO_SHORT, packet.decode(b, 0, -1));
  }

  @Test
  void anIllegalPadIsLeftToTheTransport() {
    ByteBuffer b = packetOf(Opcode.RC_SEND_ONLY, 8);
    Bth.put(b, 0, Opcode.RC_SEND_ONLY.code(), false, 1, 0xFFFF, 17, false, 0);
    assertEquals(Verdict.OK, packet.decode(b, 0, b.capacity()));
    assertEquals(7, packet.payloadLength());
    assertTrue(packet.padLegal());
    assertEquals(Verdict.OK, packet.decode(b, 0, b.capacity() - 1));
    assertEquals(6, packet.payloadLength());
    assertFalse(packet.padLegal());
  }

  @Test
  void fieldsOfAnEarlierPacketAreGone() {
    for (byte[] bytes : VALID) {
      packet.decode(ByteBuffer.wrap(bytes), 0, bytes.length);
    }
    ByteBuffer b = packetOf(Opcode.RC_SEND_MIDDLE, 256);
    for (int i = Bth.CONGESTION; i < b.capacity(); i++) {
      b.put(i, (byte) -1);
    }
    assertEquals(Verdict.OK, packet.decode(b, 0, b.capacity()));
    long sum =
        packet.rethVa()
            | packet.rethRkey()
            | packet.rethLength()
            | packet.syndrome()
            | packet.msn()
            | packet.qkey()
            | packet.sourceQp()
            | packet.atomicVa()
            | packet.atomicRkey()
            | packet.swapOrAdd()
            | packet.compare()
            | packet.originalData()
            | packet.immediate()
            | packet.invalidateRkey()
            | packet.xrcSrqn()
            | packet.flushPlacement()
            | packet.flushSelectivity();
    assertEquals(0, sum);
  }

  @Test
  void everyPacketHasItsOwnFieldsAndBuffer() {
    for (int value = 1; value <= 2; value++) {
      ByteBuffer b = packetOf(Opcode.RC_FLUSH, 0);
      Feth.put(b, Opcode.RC_FLUSH.fethAt(), value, value - 1);
      Reth.put(b, Opcode.RC_FLUSH.rethAt(), 77 + value, 88 + value, 99 + value);
      assertEquals(Verdict.OK, packet.decode(b, 0, b.capacity()));
      assertSame(b, packet.buffer());
      assertEquals(b.capacity(), packet.length());
      assertEquals(value, packet.flushPlacement());
      assertEquals(value - 1, packet.flushSelectivity());
      assertEquals(77 + value, packet.rethVa());
      assertEquals(88 + value, packet.rethRkey());
      assertEquals(99 + value, packet.rethLength());
      b = packetOf(Opcode.RC_SEND_ONLY, 4 * value);
      packet.decode(b, 0, b.capacity());
      assertEquals(b.capacity(), packet.length());
      assertSame(b, packet.buffer());
    }
  }

  @Test
  void whatWasCheckedDoesNotChangeWithTheBytes() {
    byte[] bytes = VALID.get(0).clone();
    ByteBuffer b = ByteBuffer.wrap(bytes);
    packet.decode(b, 0, bytes.length);
    int psn = packet.psn();
    int payload = packet.payloadLength();
    b.putLong(0, -1).putInt(8, -1);
    assertEquals(psn, packet.psn());
    assertEquals(payload, packet.payloadLength());
    assertEquals(Opcode.RC_SEND_FIRST, packet.opcode());
  }

  @Provide
  Arbitrary<byte[]> valid() {
    return Arbitraries.of(VALID);
  }

  @Property(tries = 2000)
  void mutatedPacketsNeverThrowAndStayInTheirBounds(
      @ForAll("valid") byte[] valid,
      @ForAll @Size(max = 6) List<Integer> places,
      @ForAll @IntRange(max = 255) int value,
      @ForAll @IntRange(max = 4200) int cut) {
    byte[] bytes = valid.clone();
    for (int place : places) {
      bytes[Math.floorMod(place, Math.min(bytes.length, 48))] = (byte) value;
    }
    check(ByteBuffer.wrap(bytes), 0, Math.min(cut, bytes.length));
    check(ByteBuffer.wrap(bytes), 0, bytes.length);
  }

  @Property(tries = 2000)
  void randomBytesNeverThrowAndStayInTheirBounds(
      @ForAll @Size(max = 80) byte[] bytes, @ForAll @IntRange(max = 20) int at) {
    check(ByteBuffer.wrap(bytes), at, Math.max(0, bytes.length - at));
    check(ByteBuffer.wrap(bytes), at, bytes.length);
  }

  private void check(ByteBuffer b, int at, int length) {
    if (packet.decode(b, at, length) != Verdict.OK) {
      return;
    }
    assertTrue(packet.payloadLength() >= 0);
    assertTrue(packet.payloadAt() >= at + Bth.SIZE);
    assertEquals(
        at + length, packet.payloadAt() + packet.payloadLength() + packet.padCount() + Icrc.SIZE);
    assertEquals((length & 3) == 0, packet.padLegal());
    assertTrue(packet.psn() >= 0 && packet.psn() <= Psn.MASK);
    assertTrue(packet.destQp() >= 0 && packet.destQp() <= 0xFF_FFFF);
    assertTrue(packet.rethLength() >= 0);
  }
}
