package org.roce4j.wire;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.bouncycastle.apache.bzip2.CBZip2OutputStream;

/**
 * An independent CRC-32: the block CRC of Bouncy Castle's bzip2. It is the same polynomial with the
 * most significant bit first, so that feeding each byte mirrored gives the mirrored CRC-32.
 */
final class Bzip2BlockCrc {
  private static final byte[] BLOCK_MAGIC = {0x31, 0x41, 0x59, 0x26, 0x53, 0x59};

  private Bzip2BlockCrc() {}

  static int crc32(byte[] bytes) {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream();
    try (CBZip2OutputStream bzip2 = new CBZip2OutputStream(compressed, 1)) {
      for (byte b : bytes) {
        bzip2.write(Integer.reverse(b) >>> 24);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    byte[] stream = compressed.toByteArray();
    int at = blockCrcAt(stream);
    int crc = 0;
    for (int i = 0; i < 4; i++) {
      crc = crc << 8 | stream[at + i] & 0xFF;
    }
    return Integer.reverse(crc);
  }

  private static int blockCrcAt(byte[] stream) {
    for (int at = 0; at < 8; at++) {
      if (Arrays.equals(stream, at, at + 6, BLOCK_MAGIC, 0, 6)) {
        return at + 6;
      }
    }
    throw new AssertionError("no block at the start of the stream");
  }
}
