package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Extended reliable connections under seeded faults, judged by the oracle. */
class ExtendedTrafficTest {
  static LongStream seeds() {
    return LongStream.rangeClosed(1, Integer.getInteger("roce4j.xrc.seeds", 12));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyMessageIsReceivedOnceByTheQueueThatItNames(long seed) {
    ExtendedTraffic.play(seed, 50);
  }

  @Test
  void aSeedRepeatsARun() {
    assertEquals(ExtendedTraffic.play(7, 40), ExtendedTraffic.play(7, 40));
  }
}
