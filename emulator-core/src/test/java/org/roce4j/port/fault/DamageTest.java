package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Opcode;

/** Each fault that damages reaches every byte that it names, and no other. */
class DamageTest {
  private static final int ROUNDS = 4000;

  /** Bytes before the datagram in its buffer, which must remain. */
  private static final int AT = 8;

  /** The bits of a datagram of zeros that a damage sets. */
  private static BitSet damaged(FaultInjector injector, int opcode, int length) {
    ByteBuffer packet = ByteBuffer.allocate(AT + length + 8);
    if (length > 0) {
      packet.put(AT, (byte) opcode);
    }
    Fate fate = new Fate();
    fate.begin(0);
    injector.decide(FaultDirection.OUT, packet, AT, length, length + 28, 0, fate);
    int bits = FaultInjector.damage(fate, packet, AT, length);
    if (length > 0) {
      packet.put(AT, (byte) (packet.get(AT) ^ opcode));
    }
    BitSet changed = new BitSet();
    for (int bit = 0; bit < 8 * packet.capacity(); bit++) {
      if ((packet.get(bit / 8) & 0x80 >> bit % 8) != 0) {
        changed.set(bit);
      }
    }
    boolean whole = bits % 8 == 0; // bytes, which count with all their bits
    assertTrue(
        whole ? changed.cardinality() <= bits : changed.cardinality() == bits,
        () -> bits + " said, changed: " + changed);
    return changed;
  }

  private static FaultInjector injector(String rule) {
    return new FaultInjector(FaultPlan.parse("seed=1; " + rule), 0);
  }

  /** The bytes of a datagram that a rule damages in many rounds. */
  private static BitSet reached(String rule, int opcode, int length) {
    FaultInjector injector = injector(rule);
    BitSet reached = new BitSet();
    for (int i = 0; i < ROUNDS; i++) {
      damaged(injector, opcode, length).stream().forEach(bit -> reached.set(bit / 8 - AT));
    }
    return reached;
  }

  /** BECN and FECN are in byte 4, which the ICRC does not cover. */
  @ParameterizedTest
  @CsvSource({
    "corrupt-header, RC_SEND_ONLY, 64, '{0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11}'",
    "corrupt-header=3, RC_SEND_ONLY, 64, '{0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11}'",
    "corrupt-header, RC_ACKNOWLEDGE, 20, '{0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}'",
    "corrupt-header, RC_SEND_ONLY, 12, '{0, 1, 2, 3, 5, 6, 7}'",
    "corrupt-header, RC_SEND_ONLY, 9, '{0, 1, 2, 3}'",
    "corrupt-header, RC_SEND_ONLY, 5, '{0}'",
    "corrupt-header, RC_SEND_ONLY, 4, '{0, 1, 2, 3}'",
    "corrupt-payload, RC_SEND_ONLY, 20, '{12, 13, 14, 15}'",
    "corrupt-payload=3, RC_SEND_ONLY, 20, '{12, 13, 14, 15}'",
    "corrupt-payload=9, RC_SEND_ONLY, 20, '{12, 13, 14, 15}'",
    "corrupt-payload, RC_RDMA_WRITE_ONLY, 36, '{28, 29, 30, 31}'",
    "corrupt-payload, RC_ACKNOWLEDGE, 20, '{16, 17, 18, 19}'",
    "corrupt-payload, RC_SEND_ONLY, 9, '{5, 6, 7, 8}'",
    "corrupt-payload, RC_SEND_ONLY, 2, '{0, 1}'",
    "corrupt-icrc, RC_SEND_ONLY, 20, '{16, 17, 18, 19}'",
    "corrupt-icrc, RC_SEND_ONLY, 4, '{0, 1, 2, 3}'",
    "corrupt-icrc, RC_SEND_ONLY, 3, {}",
    "corrupt=1, RC_SEND_ONLY, 5, '{0, 1, 2, 3, 4}'",
    "corrupt=8, RC_SEND_ONLY, 5, '{0, 1, 2, 3, 4}'",
    "corrupt=32, RC_SEND_ONLY, 1, '{0}'",
  })
  void reachesTheseBytes(String rule, Opcode opcode, int length, String bytes) {
    assertEquals(bytes, reached(rule, opcode.code(), length).toString());
  }

  /** A datagram with an unknown opcode has only the header of every packet. */
  @Test
  void anUnknownOpcodeHasNoFurtherHeader() {
    assertEquals("{12, 13}", reached("corrupt-payload", 0xff, 18).toString());
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "11"})
  void asManyBytesChangeAsTheRuleSays(int count) {
    for (String kind : new String[] {"corrupt-header=", "corrupt-payload="}) {
      FaultInjector injector = injector(kind + count);
      for (int i = 0; i < 200; i++) {
        BitSet changed = damaged(injector, Opcode.RC_SEND_ONLY.code(), 64);
        assertEquals(count, changed.stream().map(bit -> bit / 8).distinct().count());
      }
    }
  }

  /** Each bit of a byte can change. */
  @Test
  void aChangedByteHasAnyOtherValue() {
    FaultInjector injector = injector("corrupt-payload");
    BitSet reached = new BitSet();
    for (int i = 0; i < ROUNDS; i++) {
      reached.or(damaged(injector, Opcode.RC_SEND_ONLY.code(), 20));
    }
    assertEquals(8 * (AT + 12), reached.nextSetBit(0));
    assertEquals(4 * 8, reached.cardinality());
  }

  /** From one to the greatest number of bits; no bit twice, and each bit can be meant. */
  @ParameterizedTest
  @CsvSource({"1", "3", "32"})
  void bitsAreFlippedUpToTheNumberOfTheRule(int most) {
    FaultInjector injector = injector("corrupt=" + most);
    BitSet counts = new BitSet();
    BitSet reached = new BitSet();
    BitSet always = new BitSet();
    always.set(0, 8 * (AT + 16));
    for (int i = 0; i < ROUNDS; i++) {
      BitSet flipped = damaged(injector, Opcode.RC_SEND_ONLY.code(), 16);
      if (flipped.cardinality() > 1 || most == 1) {
        always.and(flipped);
      }
      counts.set(flipped.cardinality());
      reached.or(flipped);
    }
    assertEquals(1, counts.nextSetBit(0));
    assertEquals(most, counts.length() - 1);
    assertEquals(most, counts.cardinality());
    assertEquals(AT * 8, reached.nextSetBit(0));
    assertEquals(16 * 8, reached.cardinality());
    assertTrue(always.isEmpty(), () -> "flipped whenever several are: " + always);
  }
}
