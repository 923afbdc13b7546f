package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WarmthTest {
  private final AtomicLong compiledMs = new AtomicLong(700);
  private final Warmth warmth = new Warmth(compiledMs::get);

  /**
   * The compile time and the rate of each part, and the part after which the process is warm, or 0.
   */
  @ParameterizedTest
  @CsvSource({
    "0 0 0, 0 0 0, 3",
    "5 5 5, 0 0 0, 3",
    "90 40 6 5 5 5, 0 0 0 0 0 0, 6",
    "90 0 0 30 0 0 0, 0 0 0 0 0 0 0, 7",
    "0 0 0 0, 10 10 10 10, 4",
    "0 0 0 0 0 0, 10 12 20 22 21 19, 6",
    "0 0 0 0 0 0, 10 12 20 23 30 40, 0",
    "6 6 6 6, 9 9 9 9, 0",
  })
  void aProcessIsWarmAfterThreeCalmParts(String compiled, String rates, int warmAfter) {
    String[] ms = compiled.split(" ");
    String[] rate = rates.split(" ");
    int after = 0;
    for (int i = 0; i < ms.length; i++) {
      compiledMs.addAndGet(Long.parseLong(ms[i]));
      if (warmth.after(Double.parseDouble(rate[i])) && after == 0) {
        after = i + 1;
      }
    }
    assertEquals(warmAfter, after);
  }

  @Test
  void aProcessThatCompilesAgainIsColdAgain() {
    for (int i = 0; i < 3; i++) {
      assertEquals(i == 2, warmth.after(0));
    }
    compiledMs.addAndGet(50);
    assertFalse(warmth.after(0));
    assertFalse(warmth.after(0));
    assertFalse(warmth.after(0));
    assertTrue(warmth.after(0));
  }
}
