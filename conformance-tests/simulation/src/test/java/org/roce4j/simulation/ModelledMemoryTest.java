package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** An unfinished write leaves old and new bytes in any mixture, and no other bytes. */
class ModelledMemoryTest {
  private static final int LENGTH = 1000;
  private static final int WRITTEN = 700;

  private final ModelledMemory memory =
      new ModelledMemory(Arena.ofAuto(), "test", 4096, 1, new SplittableRandom(1));
  private final Zone zone = memory.zone("zone", 4096);
  private final Extent extent = zone.take(LENGTH, 1, new SplittableRandom(2));
  private final MemorySegment bytes =
      memory.segment(zone).asSlice(extent.at - zone.start(), LENGTH);
  private final MemorySegment message = Arena.ofAuto().allocate(WRITTEN);

  private void settle() {
    memory.settleTorn(extent, message, "test");
  }

  private byte old(int at) {
    return bytes.get(ValueLayout.JAVA_BYTE, at);
  }

  /** Fills the message with bytes that all differ from the memory's. */
  private void writeOther() {
    for (int i = 0; i < WRITTEN; i++) {
      message.set(ValueLayout.JAVA_BYTE, i, (byte) ~old(i));
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "0, 1", "0, 256", "0, 700", "256, 512", "699, 700", "300, 700"})
  void aPartOfTheMessageMayHaveBeenWritten(int from, int to) {
    writeOther();
    MemorySegment.copy(message, from, bytes, from, to - from);
    assertDoesNotThrow(this::settle);
  }

  /** Guards included, from their first byte to their last. */
  @ParameterizedTest
  @ValueSource(ints = {-ModelledMemory.GUARD, -1, 0, 4095, 4096, 4096 + ModelledMemory.GUARD - 1})
  void aByteThatNobodyMayWriteIsFound(int at) {
    assertDoesNotThrow(memory::checkAll);
    MemorySegment there = MemorySegment.ofAddress(memory.segment(zone).address() + at);
    MemorySegment changed = there.reinterpret(1);
    changed.set(ValueLayout.JAVA_BYTE, 0, (byte) ~changed.get(ValueLayout.JAVA_BYTE, 0));
    RuleBroken broken = assertThrows(RuleBroken.class, memory::checkAll);
    assertEquals(OracleRule.MEMORY_UNTOUCHED, broken.rule());
  }

  @Test
  void everySecondByteMayHaveBeenWritten() {
    writeOther();
    for (int i = 0; i < WRITTEN; i += 2) {
      MemorySegment.copy(message, i, bytes, i, 1);
    }
    assertDoesNotThrow(this::settle);
  }

  @ParameterizedTest
  @CsvSource({"0", "1", "350", "699", "700", "999"})
  void aByteThatIsNeitherOldNorNewIsFound(int at) {
    writeOther();
    MemorySegment.copy(message, 0, bytes, 0, WRITTEN / 2);
    bytes.set(ValueLayout.JAVA_BYTE, at, (byte) (old(at) ^ 1));
    RuleBroken broken = assertThrows(RuleBroken.class, this::settle);
    assertEquals(OracleRule.MEMORY_UNTOUCHED, broken.rule());
    assertEquals(
        "test: byte %d of %s is neither the old nor the new one".formatted(at, extent),
        broken.getMessage());
  }
}
