package org.roce4j.tools.perf.traffic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.tools.console.ToolFailure;

class MessageBytesTest {
  @ParameterizedTest
  @CsvSource({"8, 0", "100, 99", "65521, 65520", "200000, 131042", "200000, 199999"})
  void oneWrongByteIsFoundWhereverItIs(int size, int wrongAt) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(size);
      MessageBytes bytes = new MessageBytes(false);
      bytes.fill(3, 70_000, message);
      bytes.check(3, 70_000, message);
      assertEquals(size, bytes.verified());

      message.set(JAVA_BYTE, wrongAt, (byte) (message.get(JAVA_BYTE, wrongAt) + 1));
      ToolFailure failure = assertThrows(ToolFailure.class, () -> bytes.check(3, 70_000, message));
      assertTrue(
          failure.getMessage().startsWith("wrong data: byte " + wrongAt + " of message 70000"));
    }
  }

  @ParameterizedTest
  @CsvSource({"4, 70000", "3, 70001"})
  void anotherMessageOrQueuePairHasOtherBytes(int lane, long number) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(64);
      MessageBytes bytes = new MessageBytes(false);
      bytes.fill(3, 70_000, message);
      assertTrue(!bytes.matches(lane, number, message));
    }
  }

  @ParameterizedTest
  @CsvSource({"false, 5", "true, 9"})
  void aMessageThatMayBeLostBearsItsNumber(boolean numbered, long expected) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment message = arena.allocate(64);
      MessageBytes bytes = new MessageBytes(numbered);
      bytes.fill(0, 9, message);
      assertEquals(expected, bytes.number(5, message));
      bytes.check(0, 9, message);
    }
  }
}
