package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

/** A number with more bits than its field leaves the fields beside it alone. */
class SurplusBitsTest {
  private final ByteBuffer b = ByteBuffer.allocate(16);

  @Test
  void ofABth() {
    Bth.put(b, 0, 4, false, 5, 0xabcd_1234, -1, false, -1);
    assertEquals(4, Bth.opcode(b, 0));
    assertFalse(Bth.solicited(b, 0));
    assertFalse(Bth.migReq(b, 0));
    assertEquals(1, Bth.padCount(b, 0));
    assertEquals(0, Bth.version(b, 0));
    assertEquals(0x1234, Bth.pkey(b, 0));
    assertFalse(Bth.fecn(b, 0));
    assertFalse(Bth.becn(b, 0));
    assertEquals(0, Bth.reserved6(b, 0));
    assertEquals(0xff_ffff, Bth.destQp(b, 0));
    assertFalse(Bth.ackReq(b, 0));
    assertEquals(0, Bth.reserved7(b, 0));
    assertEquals(0xff_ffff, Bth.psn(b, 0));
  }

  @Test
  void ofADeth() {
    Deth.put(b, 0, 5, -1);
    assertEquals(5, Deth.qkey(b, 0));
    assertEquals(0, Deth.reserved(b, 0));
    assertEquals(0xff_ffff, Deth.sourceQp(b, 0));
  }

  @Test
  void ofAnXrcEth() {
    XrcEth.put(b, 0, -1);
    assertEquals(0, XrcEth.reserved(b, 0));
    assertEquals(0xff_ffff, XrcEth.srqn(b, 0));
  }

  @Test
  void ofAnAeth() {
    Aeth.put(b, 0, 0x12, -1);
    assertEquals(0x12, Aeth.syndrome(b, 0));
    assertEquals(0xff_ffff, Aeth.msn(b, 0));
    assertEquals(0x1f, Aeth.ack(0xff));
    assertEquals(0x3f, Aeth.rnrNak(0xff));
    assertEquals(Aeth.rnrDelayNs(1), Aeth.rnrDelayNs(0x21));
    assertEquals(Aeth.credits(1), Aeth.credits(0x21));
  }

  @Test
  void ofAFeth() {
    Feth.put(b, 0, -1, 4);
    assertEquals(15, Feth.placement(b, 0));
    assertEquals(0, Feth.selectivity(b, 0));
    assertEquals(0, Feth.reserved(b, 0));
    Feth.put(b, 0, 1, 2);
    b.put(0, (byte) -1).put(3, (byte) (b.get(3) | 0x40)); // reserved, to be ignored
    assertEquals(1, Feth.placement(b, 0));
    assertEquals(2, Feth.selectivity(b, 0));
  }

  @Test
  void noOrderOfABufferChangesWhatIsRead() {
    b.putLong(0, 0x0102_0304_0506_0708L);
    ByteBuffer little = b.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(0x0304, Bth.pkey(little, 0));
    assertEquals(0x0102_0304_0506_0708L, Reth.va(little, 0));
  }
}
