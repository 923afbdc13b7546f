package org.roce4j.wire;

/**
 * Arithmetic in GF(2)[x] modulo the CRC-32 polynomial, in its reflected form: bit 31 stands for
 * x^0. Feeding n zero bytes to a CRC register multiplies it by x^8n; the inverse takes it back.
 */
final class CrcPolynomial {
  private static final int POLYNOMIAL = 0xEDB8_8320;
  private static final int ONE = 1 << 31;

  /** The element whose product with x is 1. */
  private static final int X_INVERSE = 0xDB71_0641;

  private static final int X = ONE >>> 1;

  /** Entry k is x to the power of 8 * 2^k, the factor of 2^k zero bytes. */
  private static final int[] OF_2_POWER = factors(X);

  /** Entry k is x to the power of -8 * 2^k. */
  private static final int[] INVERSE_OF_2_POWER = factors(X_INVERSE);

  private CrcPolynomial() {}

  private static int[] factors(int ofBit) {
    int power = ofBit;
    for (int i = 0; i < 3; i++) {
      power = multiply(power, power);
    }
    int[] factors = new int[Integer.SIZE];
    for (int k = 0; k < factors.length; k++) {
      factors[k] = power;
      power = multiply(power, power);
    }
    return factors;
  }

  /** x to the power of 8n: the factor of the feeding of n zero bytes. */
  static int ofBytes(int n) {
    return product(OF_2_POWER, n);
  }

  /** x to the power of -8n: the factor that undoes the feeding of n zero bytes. */
  static int inverseOfBytes(int n) {
    return product(INVERSE_OF_2_POWER, n);
  }

  private static int product(int[] factors, int n) {
    int product = ONE;
    for (int k = 0, rest = n; rest != 0; k++, rest >>>= 1) {
      if ((rest & 1) != 0) {
        product = multiply(product, factors[k]);
      }
    }
    return product;
  }

  static int multiply(int a, int b) {
    int product = 0;
    int shifted = b;
    for (int bit = 31; bit >= 0; bit--) {
      product ^= shifted & -(a >>> bit & 1);
      shifted = shifted >>> 1 ^ POLYNOMIAL & -(shifted & 1);
    }
    return product;
  }
}
