package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class AethTest {
  static IntStream syndromes() {
    return IntStream.range(0, 256);
  }

  @ParameterizedTest
  @MethodSource("syndromes")
  void everySyndromeHasExactlyOneKind(int syndrome) {
    boolean[] kinds = {
      Aeth.isAck(syndrome), Aeth.isRnrNak(syndrome), Aeth.isNak(syndrome), Aeth.isReserved(syndrome)
    };
    assertEquals(1, Stream.of(kinds[0], kinds[1], kinds[2], kinds[3]).filter(k -> k).count());
    assertEquals(syndrome <= 0x1F, kinds[0]);
    assertEquals(syndrome >= 0x20 && syndrome <= 0x3F, kinds[1]);
    assertEquals(syndrome >= 0x60 && syndrome <= 0x7F, kinds[2]);
    assertEquals(syndrome & 0x1F, Aeth.value(syndrome));
  }

  @Test
  void buildersMakeSyndromesOfTheirKind() {
    assertTrue(Aeth.isAck(Aeth.ACK));
    assertEquals(Aeth.ACK, Aeth.ack(31));
    for (int code = 0; code < 32; code++) {
      assertEquals(code, Aeth.ack(code));
      assertEquals(0x20 | code, Aeth.rnrNak(code));
    }
    assertTrue(Aeth.isNak(Aeth.NAK_SEQUENCE));
    assertEquals(4, Aeth.value(Aeth.NAK_INVALID_RD_REQUEST));
    assertFalse(Aeth.isReserved(Aeth.NAK_REMOTE_OPERATIONAL));
  }

  @ParameterizedTest
  @CsvSource({
    "0, 655.36",
    "1, 0.01",
    "2, 0.02",
    "3, 0.03",
    "4, 0.04",
    "5, 0.06",
    "6, 0.08",
    "7, 0.12",
    "8, 0.16",
    "9, 0.24",
    "10, 0.32",
    "11, 0.48",
    "12, 0.64",
    "13, 0.96",
    "14, 1.28",
    "15, 1.92",
    "16, 2.56",
    "17, 3.84",
    "18, 5.12",
    "19, 7.68",
    "20, 10.24",
    "21, 15.36",
    "22, 20.48",
    "23, 30.72",
    "24, 40.96",
    "25, 61.44",
    "26, 81.92",
    "27, 122.88",
    "28, 163.84",
    "29, 245.76",
    "30, 327.68",
    "31, 491.52"
  })
  void rnrTimerFollowsTheKernelsTable(int code, double milliseconds) {
    assertEquals(Math.round(milliseconds * 1e6), Aeth.rnrDelayNs(code));
  }

  @Test
  void creditsFollowTheTable() {
    int[] expected = {
      0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536,
      2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768
    };
    for (int code = 0; code < expected.length; code++) {
      assertEquals(expected[code], Aeth.credits(code));
      assertEquals(code, Aeth.creditCode(expected[code]));
    }
    assertEquals(Aeth.UNLIMITED, Aeth.credits(31));
    assertEquals(4, Aeth.creditCode(5));
    assertEquals(30, Aeth.creditCode(Integer.MAX_VALUE));
  }
}
