package org.roce4j.wire;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** An immutable run of bytes with the equality that records need. */
public final class Bytes {
  /** No bytes. */
  public static final Bytes NONE = new Bytes(new byte[0]);

  private final byte[] bytes;

  private Bytes(byte[] bytes) {
    this.bytes = bytes;
  }

  /** A copy of these bytes. */
  public static Bytes of(byte... bytes) {
    return bytes.length == 0 ? NONE : new Bytes(bytes.clone());
  }

  /** A copy of {@code length} bytes from index {@code at}. */
  public static Bytes copy(ByteBuffer b, int at, int length) {
    byte[] copy = new byte[length];
    b.get(at, copy);
    return length == 0 ? NONE : new Bytes(copy);
  }

  /** {@code length} bytes of value 0. */
  public static Bytes zeros(int length) {
    return length == 0 ? NONE : new Bytes(new byte[length]);
  }

  /** Number of bytes. */
  public int length() {
    return bytes.length;
  }

  /** A copy that is the caller's. */
  public byte[] toArray() {
    return bytes.clone();
  }

  /** A read-only big-endian view. */
  public ByteBuffer buffer() {
    return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
  }

  /** Writes all bytes to index {@code at}. */
  public void copyTo(ByteBuffer b, int at) {
    b.put(at, bytes);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** All bytes in hexadecimal. */
  @Override
  public String toString() {
    return HexFormat.of().formatHex(bytes);
  }
}
