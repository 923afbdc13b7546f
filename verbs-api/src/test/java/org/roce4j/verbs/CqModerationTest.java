package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.verbs.Refusals.refused;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When the events of a completion queue are held back. */
class CqModerationTest {
  @ParameterizedTest
  @CsvSource({"0, 0, false", "1, 1, false", "2, 0, false", "2, 1, true", "65535, 65535, true"})
  void moderationHoldsEventsIfBothSaySo(int count, int periodUs, boolean on) {
    assertEquals(on, new CqModeration(count, periodUs).on());
  }

  @ParameterizedTest
  @CsvSource({"-1, 0", "0, -1", "65536, 0", "0, 65536"})
  void moderationHasSixteenBits(int count, int periodUs) {
    refused(Errno.EINVAL, () -> new CqModeration(count, periodUs));
  }
}
