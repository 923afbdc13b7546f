package org.roce4j.engine.datagram;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The two low bits of a TOS; those above them are the DSCP. */
class EcnTest {
  @ParameterizedTest
  @CsvSource({
    "0, false, false, 3",
    "1, true, false, 3",
    "2, true, false, 3",
    "3, true, true, 3",
    "0x68, false, false, 0x6b",
    "0x6b, true, true, 0x6b",
    Inbound.UNKNOWN + ", false, false, 3"
  })
  void theTwoLowBitsOfAKnownValueDecide(
      String value, boolean used, boolean marked, String withMark) {
    int trafficClass = Integer.decode(value);
    assertEquals(used, Ecn.isUsed(trafficClass));
    assertEquals(marked, Ecn.isMarked(trafficClass));
    assertEquals(Integer.decode(withMark), Ecn.marked(trafficClass));
  }
}
