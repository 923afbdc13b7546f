package org.roce4j.engine;

import java.util.random.RandomGenerator;

/**
 * A random permutation of the numbers of {@code bits} bits, in constant memory and time: a Feistel
 * network whose two halves may differ in size.
 */
final class KeyedPermutation {
  private static final int ROUNDS = 8;

  /** The key, which chooses the permutation. */
  private final long key;

  /** The number of bits of the upper half. */
  private final int highBits;

  /** The number of bits of the lower half. */
  private final int lowBits;

  /**
   * @param random source of the key
   * @param bits 2 to 31
   */
  KeyedPermutation(RandomGenerator random, int bits) {
    key = random.nextLong();
    lowBits = bits / 2;
    highBits = bits - lowBits;
  }

  /** The number at a place. Only the low {@code bits} bits of {@code place} count. */
  int at(int place) {
    int highMask = (1 << highBits) - 1;
    int lowMask = (1 << lowBits) - 1;
    int high = place >>> lowBits & highMask;
    int low = place & lowMask;
    for (int round = 0; round < ROUNDS; round += 2) {
      high ^= mix(round, low) & highMask;
      low ^= mix(round + 1, high) & lowMask;
    }
    return high << lowBits | low;
  }

  /** The finalizer of SplitMix64 (Steele, Lea, Flood 2014), variant 13. */
  private int mix(int round, int half) {
    long mixed = key ^ ((long) round << 32 | half);
    mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
    return (int) (mixed ^ mixed >>> 31);
  }
}
