package org.roce4j.wire.mad;

import java.nio.ByteBuffer;

/**
 * Where a field of a message lies.
 *
 * @param at the byte that holds its most significant bit, from the beginning of the MAD
 * @param bit where in that byte it begins; 0: the most significant bit
 * @param width bits, 1 to 64; a field of 64 bits begins at a byte boundary
 */
record BitField(int at, int bit, int width) {

  /** A field of whole bytes. */
  static BitField bytes(int at, int bytes) {
    return new BitField(at, 0, bytes * Byte.SIZE);
  }

  static BitField bits(int at, int bit, int width) {
    return new BitField(at, bit, width);
  }

  long get64(ByteBuffer mad) {
    long value = 0;
    for (int i = 0; i < span(); i++) {
      value = value << Byte.SIZE | mad.get(at + i) & 0xFF;
    }
    return value >>> tail() & mask();
  }

  int get(ByteBuffer mad) {
    return (int) get64(mad);
  }

  boolean isSet(ByteBuffer mad) {
    return get64(mad) != 0;
  }

  /** Writes the lowest {@code width} bits of the value and keeps the bits outside the field. */
  void put(ByteBuffer mad, long value) {
    long bits = (value & mask()) << tail();
    long field = mask() << tail();
    for (int i = span() - 1; i >= 0; i--) {
      mad.put(at + i, (byte) (mad.get(at + i) & ~field | bits));
      bits >>>= Byte.SIZE;
      field >>>= Byte.SIZE;
    }
  }

  void put(ByteBuffer mad, boolean value) {
    put(mad, value ? 1 : 0);
  }

  /** Number of bytes that the field touches. */
  private int span() {
    return (bit + width + Byte.SIZE - 1) / Byte.SIZE;
  }

  /** Number of bits of the last byte that belong to other fields. */
  private int tail() {
    return span() * Byte.SIZE - bit - width;
  }

  private long mask() {
    return -1L >>> Long.SIZE - width;
  }
}
