package org.roce4j.wire.capture;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads the frames of a capture file in the order of the file. Damage within the file (a record cut
 * short, an impossible length) ends the frames; {@link #damage} describes it and its place, and no
 * exception is thrown.
 *
 * <p>Not thread-safe.
 */
public abstract sealed class CaptureReader implements Closeable permits PcapReader, PcapngReader {
  /** The largest frame or block, in bytes, that is not taken for damage. */
  static final int LARGEST_RECORD = 16 << 20;

  private static final int MAGIC = 4;

  private final InputStream in;
  private String damage = "";
  private long position = MAGIC;

  /** Where the header, record or block begins that is being read, in bytes. */
  private long begun;

  CaptureReader(InputStream in) {
    this.in = in;
  }

  /**
   * Opens a pcap or pcapng file of either byte order, recognized by its first four bytes.
   *
   * @throws IOException if it cannot be read or is neither
   */
  public static CaptureReader open(Path file) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 16);
    String what;
    try {
      in.mark(MAGIC);
      what = what(in.readNBytes(2));
      in.reset();
      CaptureReader reader = open(in);
      if (reader != null) {
        return reader;
      }
    } catch (IOException e) {
      in.close();
      throw e;
    }
    in.close();
    throw new IOException(file + " is " + what);
  }

  private static String what(byte[] begin) {
    if (begin.length == 0) {
      return "empty";
    }
    return begin.length == 2 && begin[0] == 0x1f && begin[1] == (byte) 0x8b
        ? "compressed by gzip: unpack it first"
        : "neither a pcap nor a pcapng file";
  }

  /**
   * A reader of a stream, which closing the reader closes; null if the first bytes are of neither
   * format.
   */
  static CaptureReader open(InputStream in) throws IOException {
    byte[] magic = in.readNBytes(MAGIC);
    if (magic.length < MAGIC) {
      return null;
    }
    int number = ByteBuffer.wrap(magic).getInt();
    if (number == PcapngReader.SECTION_HEADER) {
      return new PcapngReader(in);
    }
    for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
      int ordered = ByteBuffer.wrap(magic).order(order).getInt();
      if (ordered == PcapReader.MICROSECONDS || ordered == PcapReader.NANOSECONDS) {
        return new PcapReader(in, order, ordered == PcapReader.NANOSECONDS);
      }
    }
    return null;
  }

  /** The next frame, or null at the end. */
  public abstract CapturedFrame next() throws IOException;

  /** The damage that ended the frames early; empty if there is none so far. */
  public final String damage() {
    return damage;
  }

  @Override
  public final void close() throws IOException {
    in.close();
  }

  /** The next record or block begins here. */
  final void beginRecord() {
    begun = position;
  }

  /** Notes damage and ends the frames. */
  final CapturedFrame damaged(String what) {
    damage = what + ", at byte " + begun;
    return null;
  }

  final boolean isDamaged() {
    return !damage.isEmpty();
  }

  /** Reads {@code n} bytes, or fewer at the end of the file. */
  final ByteBuffer read(int n, ByteOrder order) throws IOException {
    byte[] bytes = in.readNBytes(n);
    position += bytes.length;
    return ByteBuffer.wrap(bytes).order(order);
  }
}
