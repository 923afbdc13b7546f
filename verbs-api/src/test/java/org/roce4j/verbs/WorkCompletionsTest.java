package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.layout.WcLayout;

class WorkCompletionsTest {
  @AutoClose private final WorkCompletions completions = new WorkCompletions(4);

  @Property
  void accessorsReadTheEntryTheyAreAskedFor(
      @ForAll long wrId, @ForAll WcStatus status, @ForAll WcOpcode opcode, @ForAll int word) {
    try (Arena arena = Arena.ofShared()) {
      WorkCompletions entries = new WorkCompletions(arena, 3);
      long entry = 2L * WcLayout.SIZE;
      WcLayout.wrId(entries.memory(), entry, wrId);
      WcLayout.status(entries.memory(), entry, status.value());
      WcLayout.opcode(entries.memory(), entry, opcode.value());
      WcLayout.vendorErr(entries.memory(), entry, word);
      WcLayout.byteLen(entries.memory(), entry, ~word);
      WcLayout.qpNum(entries.memory(), entry, word + 1);
      WcLayout.srcQp(entries.memory(), entry, word + 2);
      WcLayout.wcFlags(entries.memory(), entry, word + 3);
      WcLayout.pkeyIndex(entries.memory(), entry, word + 4);
      WcLayout.slid(entries.memory(), entry, word + 5);
      WcLayout.sl(entries.memory(), entry, word + 6);
      WcLayout.dlidPathBits(entries.memory(), entry, word + 7);
      WcLayout.immData(entries.memory(), entry, word + 8);

      assertEquals(wrId, entries.wrId(2));
      assertSame(status, entries.status(2));
      assertEquals(status.value(), entries.statusValue(2));
      assertSame(opcode, entries.opcode(2));
      assertEquals(opcode.value(), entries.opcodeValue(2));
      assertEquals(word, entries.vendorErr(2));
      assertEquals(~word, entries.byteLength(2));
      assertEquals(word + 1, entries.qpNum(2));
      assertEquals(word + 2, entries.sourceQp(2));
      assertEquals(word + 3, entries.flags(2));
      assertEquals(word + 4 & 0xffff, entries.pkeyIndex(2));
      assertEquals(word + 5 & 0xffff, entries.slid(2));
      assertEquals(word + 6 & 0xff, entries.serviceLevel(2));
      assertEquals(word + 7 & 0xff, entries.dlidPathBits(2));
      assertEquals(word + 8, entries.immediate(2));
      WcLayout.invalidatedRkey(entries.memory(), entry, word);
      assertEquals(word, entries.invalidatedRkey(2));
      assertEquals(0, entries.wrId(1));
      entries.close();
      assertTrue(entries.memory().scope().isAlive());
    }
  }

  @Test
  void unknownNumbersHaveNoConstant() {
    WcLayout.status(completions.memory(), 0, 99);
    WcLayout.opcode(completions.memory(), 0, 99);
    assertNull(completions.status(0));
    assertNull(completions.opcode(0));
    assertEquals("wr_id=0 status 99 (unknown) qp=0x0 vendor_err=0x0", completions.toString(0));
    WcLayout.status(completions.memory(), 0, 0);
    assertEquals("wr_id=0 SUCCESS opcode 99 qp=0x0 0 bytes", completions.toString(0));
  }

  @Test
  void successPrintsWhatCame() {
    fill(WcStatus.SUCCESS, WcFlags.WITH_IMM | WcFlags.GRH);
    WcLayout.immData(completions.memory(), 0, 0x2a);
    assertEquals(
        "wr_id=7 SUCCESS RECV qp=0x11 64 bytes imm=0x2a from=0x12", completions.toString(0));
    fill(WcStatus.SUCCESS, WcFlags.WITH_INV);
    WcLayout.invalidatedRkey(completions.memory(), 0, 0x2b);
    assertEquals("wr_id=7 SUCCESS RECV qp=0x11 64 bytes invalidated=0x2b", completions.toString(0));
  }

  @Test
  void failurePrintsWhyAndNothingMeaningless() {
    fill(WcStatus.RETRY_EXC_ERR, WcFlags.WITH_IMM);
    assertEquals(
        "wr_id=7 RETRY_EXC_ERR (transport retry counter exceeded) qp=0x11 vendor_err=0x0",
        completions.toString(0));
  }

  @Test
  void eachEntryIsToldAsIfItWereAlone() {
    for (int i = 0; i < 4; i++) {
      WcLayout.wrId(completions.memory(), (long) i * WcLayout.SIZE, 70 + i);
      WcLayout.status(completions.memory(), (long) i * WcLayout.SIZE, i);
      WcLayout.qpNum(completions.memory(), (long) i * WcLayout.SIZE, 0x10 + i);
      WcLayout.byteLen(completions.memory(), (long) i * WcLayout.SIZE, 90 + i);
    }
    for (int i = 0; i < 4; i++) {
      try (WorkCompletions alone = new WorkCompletions(1)) {
        MemorySegment.copy(
            completions.memory(), (long) i * WcLayout.SIZE, alone.memory(), 0, WcLayout.SIZE);
        assertEquals(alone.toString(0), completions.toString(i));
        assertTrue(completions.toString(i).startsWith("wr_id=7" + i), completions.toString(i));
      }
    }
  }

  @Test
  void entriesLieBackToBack() {
    assertEquals(4, completions.capacity());
    assertEquals(completions.memory().address(), completions.address());
    assertEquals(4 * 48, completions.memory().byteSize());
  }

  @Test
  void shouldRefuseIndicesAndSizesOutOfRange() {
    assertThrows(IndexOutOfBoundsException.class, () -> completions.wrId(4));
    assertThrows(IndexOutOfBoundsException.class, () -> completions.wrId(-1));
    refused(Errno.EINVAL, () -> new WorkCompletions(0));
  }

  @Test
  void closingFreesOwnMemoryOnce() {
    completions.close();
    completions.close();
    assertFalse(completions.memory().scope().isAlive());
  }

  private void fill(WcStatus status, int flags) {
    WcLayout.wrId(completions.memory(), 0, 7);
    WcLayout.status(completions.memory(), 0, status.value());
    WcLayout.opcode(completions.memory(), 0, WcOpcode.RECV.value());
    WcLayout.byteLen(completions.memory(), 0, 64);
    WcLayout.qpNum(completions.memory(), 0, 0x11);
    WcLayout.srcQp(completions.memory(), 0, 0x12);
    WcLayout.wcFlags(completions.memory(), 0, flags);
  }
}
