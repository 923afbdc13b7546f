package org.roce4j.wire;

import java.util.Arrays;

/**
 * What the IPv4 identification adds to an ICRC. A CRC is linear: each bit of the field adds a term
 * of its own, which depends only on the number of bytes that follow the field. A socket that counts
 * its datagrams changes two bits on average from one to the next. The terms of a few lengths are
 * kept in a direct-mapped table that never grows. Not thread-safe.
 */
final class IdentificationTerms {
  private static final int SLOTS = 16;

  /** The number of bytes that follow the field, for the terms of each place; -1: none. */
  private final int[] following = new int[SLOTS];

  /** The terms of the bits of the field, lowest first, place by place. */
  private final int[] terms = new int[SLOTS * Short.SIZE];

  IdentificationTerms() {
    Arrays.fill(following, -1);
  }

  /**
   * What changed bits of the identification change of the ICRC.
   *
   * @param changed the exclusive or of both identifications
   * @param bytes number of bytes between the field and the ICRC
   */
  int of(int changed, int bytes) {
    int slot = bytes * 0x9E37_79B9 >>> 28;
    if (following[slot] != bytes) {
      learn(slot, bytes);
    }
    int sum = 0;
    for (int rest = changed; rest != 0; rest &= rest - 1) {
      sum ^= terms[slot * Short.SIZE + Integer.numberOfTrailingZeros(rest)];
    }
    return sum;
  }

  private void learn(int slot, int bytes) {
    int factor = CrcPolynomial.ofBytes(bytes);
    for (int bit = 0; bit < Short.SIZE; bit++) {
      terms[slot * Short.SIZE + bit] = CrcPolynomial.multiply(swapped(1 << bit), factor);
    }
    following[slot] = bytes;
  }

  /** The field as a CRC register reads it, its first byte in the lowest bits, or the reverse. */
  static int swapped(int field) {
    return (field & 0xFF) << 8 | field >>> 8;
  }
}
