package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlushRuleTest {
  @ParameterizedTest
  @CsvSource({
    "0, 1, 0, true",
    "0, 2, 1, true",
    "0x80000000, 3, 0, true",
    "0x80000001, 3, 0, false",
    "-1, 3, 0, false",
    "0, 0, 0, false",
    "0, 4, 0, false",
    "0, 1, -1, false",
    "0, 1, 2, false"
  })
  void namesARangeOfAMessagesLengthAndWhatIsKnown(
      String length, int placement, int selectivity, boolean fine) {
    String broken = FlushRule.broken(Long.decode(length), placement, selectivity);
    assertEquals(fine, broken == null, broken);
  }
}
