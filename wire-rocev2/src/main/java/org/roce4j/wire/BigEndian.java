package org.roce4j.wire;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Network byte order at absolute offsets, whatever the order of the buffer. The data path uses
 * {@link ByteOrder#BIG_ENDIAN} buffers, for which the test below folds away.
 */
final class BigEndian {
  private BigEndian() {}

  static int get8(ByteBuffer b, int at) {
    return b.get(at) & 0xFF;
  }

  static int get16(ByteBuffer b, int at) {
    short value = b.getShort(at);
    return (inOrder(b) ? value : Short.reverseBytes(value)) & 0xFFFF;
  }

  /** The low 24 bits of the word at {@code at}: the byte at {@code at} itself is not included. */
  static int get24After(ByteBuffer b, int at) {
    return get32(b, at) & 0xFF_FFFF;
  }

  static int get32(ByteBuffer b, int at) {
    int value = b.getInt(at);
    return inOrder(b) ? value : Integer.reverseBytes(value);
  }

  static long get64(ByteBuffer b, int at) {
    long value = b.getLong(at);
    return inOrder(b) ? value : Long.reverseBytes(value);
  }

  static void put32(ByteBuffer b, int at, int value) {
    b.putInt(at, inOrder(b) ? value : Integer.reverseBytes(value));
  }

  static void put64(ByteBuffer b, int at, long value) {
    b.putLong(at, inOrder(b) ? value : Long.reverseBytes(value));
  }

  private static boolean inOrder(ByteBuffer b) {
    return b.order() == ByteOrder.BIG_ENDIAN;
  }
}
