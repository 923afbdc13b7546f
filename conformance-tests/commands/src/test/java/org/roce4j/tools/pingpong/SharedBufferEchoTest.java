package org.roce4j.tools.pingpong;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.roce4j.tools.side.Role;

class SharedBufferEchoTest {
  private static final int SIZE = 9000;

  private final PayloadPattern ours = new PayloadPattern(Role.SERVER, 100, true);
  private final SharedBufferEcho echo = new SharedBufferEcho(ours, (byte) 0, 2);

  @Test
  void theFreshBufferShowsUntilAQueuePairHasHeardSomething() {
    assertEquals(-1, echo.mismatch(1, message(new long[] {}, new int[] {})));
    echo.posted(1);
    assertEquals(0, firstNonZero(echo.mismatch(3, message(new long[] {}, new int[] {}))));
  }

  @Test
  void aMessageMayBeWovenOfAllThatIsUnderWay() {
    echo.posted(0);
    echo.posted(1);
    assertEquals(-1, echo.mismatch(2, message(new long[] {0, 1, 0}, new int[] {0, 700, 5000})));
  }

  @Test
  void whatWasOverwrittenForCertainIsWrong() {
    echo.posted(0);
    echo.posted(1);
    echo.acknowledged(0);
    echo.posted(2);
    assertEquals(-1, echo.mismatch(4, message(new long[] {2, 1}, new int[] {0, 4000})));
    assertEquals(4000, echo.mismatch(4, message(new long[] {2, 0}, new int[] {0, 4000})));
    assertEquals(-1, echo.mismatch(3, message(new long[] {0, 1}, new int[] {0, 4000})));
    assertEquals(ours.at(2, 4000), echo.due(4, 4000));
  }

  /** A run of any length. */
  @Test
  void whatWasOverwrittenIsForgotten() throws ReflectiveOperationException {
    for (long number = 0; number < 1000; number++) {
      echo.posted(number);
      echo.acknowledged(number);
    }
    Field log = SharedBufferEcho.class.getDeclaredField("log");
    log.setAccessible(true);
    int remembered = ((Collection<?>) log.get(echo)).size();
    assertTrue(remembered <= 4, () -> remembered + " messages");
  }

  /** The noise may have a zero at the start. */
  private long firstNonZero(long wrong) {
    long first = 0;
    while (ours.at(1, first) == 0) {
      first++;
    }
    return wrong - first;
  }

  /** The numbers of messages, each with its first offset. */
  private MemorySegment message(long[] numbers, int[] from) {
    MemorySegment message = MemorySegment.ofArray(new byte[SIZE]);
    for (int i = 0; i < numbers.length; i++) {
      for (int at = from[i]; at < SIZE; at++) {
        message.set(JAVA_BYTE, at, ours.at(numbers[i], at));
      }
    }
    return message;
  }
}
