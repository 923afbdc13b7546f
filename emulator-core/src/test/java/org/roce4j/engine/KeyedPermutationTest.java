package org.roce4j.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The order in which queue pairs get their numbers: each number once, in an order of the key. */
class KeyedPermutationTest {
  private static final int ROUNDS = 8;
  private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

  /** That of the JDK, whose generator applies it to the sum of its state and a constant. */
  private static int finalizer(long value) {
    return (int) new SplittableRandom(value - GOLDEN_GAMMA).nextLong();
  }

  /** A Feistel network; each round changes one half by the other. */
  private static int expected(long key, int bits, int place) {
    int lowBits = bits / 2;
    int[] halves = {place & (1 << lowBits) - 1, place >>> lowBits};
    int[] sizes = {lowBits, bits - lowBits};
    for (int round = 0; round < ROUNDS; round++) {
      int changed = 1 - round % 2;
      long input = (long) round << 32 | halves[1 - changed];
      halves[changed] ^= finalizer(key ^ input) & (1 << sizes[changed]) - 1;
    }
    return halves[1] << lowBits | halves[0];
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5, 8, 11})
  void eachNumberHasOnePlaceWhichTheKeyChooses(int bits) {
    for (long key : new long[] {0, 1, -1, 0x1234_5678_9ABC_DEF0L}) {
      KeyedPermutation order = new KeyedPermutation(() -> key, bits);
      int[] numbers = IntStream.range(0, 1 << bits).map(order::at).toArray();
      assertEquals(1 << bits, IntStream.of(numbers).distinct().count());
      for (int place = 0; place < 1 << bits; place++) {
        assertEquals(expected(key, bits, place), numbers[place]);
        assertEquals(numbers[place], order.at(place | 5 << bits), "only the low bits count");
      }
    }
  }
}
