package org.roce4j.engine.datagram;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PathTest {
  /** Two prefixes may have the same interface identifier, and one prefix has many. */
  @ParameterizedTest
  @CsvSource({"1, 2, true", "3, 2, false", "1, 3, false", "3, 4, false", "2, 1, false"})
  void aRemoteAddressIsTheSameInBothHalves(long high, long low, boolean same) {
    Path path = new Path(0, 5, 6, 1, 2, 7, 8);
    assertEquals(same, path.hasRemoteOf(new Path(1, 9, 10, high, low, 11, 12)));
  }
}
