package org.roce4j.tools.perf.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Which messages count, from which moment on, and which part was the fastest. */
class MeasurementTest {
  private static final int MESSAGES = 6400;
  private static final int PART = MESSAGES / 64;
  private static final int NS = 1_000;

  private final Measurement measured = new Measurement();

  private long steadily(long fromNs, int parts, int nsPerMessage) {
    long nowNs = fromNs;
    for (int i = 0; i < parts; i++) {
      nowNs += (long) PART * nsPerMessage;
      measured.done(PART, nowNs);
    }
    return nowNs;
  }

  @Test
  void theFastestPartIsMeasuredForItself() {
    measured.begin(MESSAGES, 0);
    measured.start(0);
    long nowNs = steadily(0, 31, 2 * NS);
    nowNs = steadily(nowNs, 1, NS);
    nowNs = steadily(nowNs, 32, 4 * NS);
    assertEquals(MESSAGES, measured.messages());
    assertEquals(1e9 / NS, measured.peakRate(), 1);
    assertEquals(nowNs, measured.elapsedNs());
    assertEquals(MESSAGES * 1e9 / nowNs, measured.rate(), 1);
  }

  /** The wait for the peer does not count. */
  @Test
  void itBeginsWithTheFirstMessage() {
    measured.begin(MESSAGES, 0);
    long startNs = 5_000_000_000L;
    measured.start(startNs);
    assertEquals(1, measured.elapsedNs(), "nothing came behind the first yet");
    long endNs = steadily(steadily(startNs, 1, NS), 63, 2 * NS);
    assertEquals(endNs - startNs, measured.elapsedNs());
    assertEquals(1e9 / NS, measured.peakRate(), 1, "of the first part");
    assertEquals(MESSAGES * 1e9 / (endNs - startNs), measured.rate(), 1);
  }

  @Test
  void anotherRoundKnowsNothingOfTheOneBefore() {
    measured.begin(MESSAGES, 0);
    measured.start(0);
    steadily(0, 64, NS);
    measured.begin(MESSAGES, 1_000_000_000L);
    assertEquals(0, measured.messages());
    assertEquals(0, measured.peakRate());
    assertEquals(1, measured.elapsedNs());
    measured.start(1_000_000_000L);
    steadily(1_000_000_000L, 64, 3 * NS);
    assertEquals(1e9 / (3 * NS), measured.peakRate(), 1);
  }
}
