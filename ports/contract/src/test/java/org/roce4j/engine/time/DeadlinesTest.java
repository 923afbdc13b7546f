package org.roce4j.engine.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.engine.time.Deadlines.NEVER;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Around any time, including one where the clock wraps, and for deadlines that never come. */
class DeadlinesTest {
  @ParameterizedTest
  @ValueSource(longs = {0, -5, 1L << 50, Long.MAX_VALUE - 7, Long.MIN_VALUE})
  void aDeadlineIsDueFromItsMomentOn(long now) {
    assertFalse(Deadlines.isDue(now + 10, now));
    assertTrue(Deadlines.isDue(now, now));
    assertTrue(Deadlines.isDue(now - 10, now));
    assertFalse(Deadlines.isDue(NEVER, now));
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -5, 1L << 50, Long.MAX_VALUE - 7, Long.MIN_VALUE})
  void theEarlierOfTwoComesFirstAlsoAcrossTheWrap(long first) {
    long second = first + 10;
    assertEquals(first, Deadlines.earlier(first, second));
    assertEquals(first, Deadlines.earlier(second, first));
    assertTrue(Deadlines.isBefore(first, second));
    assertFalse(Deadlines.isBefore(second, first));
    assertFalse(Deadlines.isBefore(first, first));
  }

  @Test
  void neverComesAfterEveryMoment() {
    for (long moment : new long[] {0, Long.MIN_VALUE, NEVER - 1}) {
      assertEquals(moment, Deadlines.earlier(moment, NEVER));
      assertEquals(moment, Deadlines.earlier(NEVER, moment));
      assertTrue(Deadlines.isBefore(moment, NEVER));
      assertFalse(Deadlines.isBefore(NEVER, moment));
    }
    assertEquals(NEVER, Deadlines.earlier(NEVER, NEVER));
    assertFalse(Deadlines.isBefore(NEVER, NEVER));
  }

  @Test
  void whatIsLeftIsADifferenceOrWithoutLimit() {
    assertEquals(10, Deadlines.left(Long.MIN_VALUE + 2, NEVER - 7));
    assertEquals(-10, Deadlines.left(5, 15));
    assertEquals(NEVER, Deadlines.left(NEVER, -15));
  }

  @Test
  void aTimeoutWithoutLimitMakesADeadlineThatNeverComes() {
    assertEquals(25, Deadlines.after(15, 10));
    assertEquals(Long.MIN_VALUE + 2, Deadlines.after(NEVER - 7, 10));
    assertEquals(NEVER, Deadlines.after(15, NEVER));
    assertEquals(NEVER, Deadlines.after(NEVER, 10));
  }
}
