package org.roce4j.wire;

/**
 * Arithmetic on 24-bit packet sequence numbers, which wrap from 0xFFFFFF to 0.
 *
 * <p>A PSN says something only within half the number space around a reference; machines that must
 * compare across more keep the extended 64-bit form (see {@link #extend}).
 */
public final class Psn {
  /** Bits of a PSN on the wire. */
  public static final int BITS = 24;

  /** The mask of a PSN in a number of more than 24 bits; also the greatest PSN. */
  public static final int MASK = (1 << BITS) - 1;

  private static final int UNUSED = Integer.SIZE - BITS;

  private Psn() {}

  /** {@code psn + n} modulo 2^24; {@code n} may be negative. */
  public static int add(int psn, int n) {
    return psn + n & MASK;
  }

  /**
   * Negative if {@code a} is older than {@code b}, 0 if equal, positive if newer. At a distance of
   * exactly 2^23 both count as older than the other.
   */
  public static int compare(int a, int b) {
    return a - b << UNUSED;
  }

  /**
   * How far {@code a} is ahead of {@code b}: -2^23 .. 2^23-1, the signed distance behind {@link
   * #compare}.
   */
  public static int distance(int a, int b) {
    return a - b << UNUSED >> UNUSED;
  }

  /**
   * The extended PSN with the low 24 bits {@code psn} that is nearest to {@code reference}: in
   * {@code reference - 2^23 .. reference + 2^23 - 1}.
   */
  public static long extend(long reference, int psn) {
    return reference + distance(psn, (int) reference);
  }
}
