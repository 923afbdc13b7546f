package org.roce4j.wire.capture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

/**
 * Writes frames to a capture file with nanosecond timestamps. Buffers up to 64 KiB and allocates
 * nothing per frame without a comment, so a port can write to it on the data path. Not thread-safe.
 */
public abstract sealed class CaptureWriter implements Closeable permits PcapWriter, PcapngWriter {
  /** The snap length that cuts no frame. */
  public static final int WHOLE_FRAMES = 262_144;

  private static final int BUFFER_SIZE = 1 << 16;

  private final WritableByteChannel channel;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BUFFER_SIZE).order(ByteOrder.LITTLE_ENDIAN);

  /** The snap length: the number of bytes kept of a longer frame. */
  final int snapLength;

  CaptureWriter(WritableByteChannel channel, int snapLength) {
    checkSnapLength(snapLength);
    this.channel = channel;
    this.snapLength = Math.min(snapLength, WHOLE_FRAMES);
  }

  /**
   * Creates or replaces a file: pcap if its name ends in {@code .pcap}, else pcapng.
   *
   * @param linkType {@link LinkType#RAW} or {@link LinkType#ETHERNET}, or another LINKTYPE number
   * @param snapLength bytes to keep of a frame, 1 or more; {@link #WHOLE_FRAMES} for all
   * @throws IllegalArgumentException if the snap length is less than 1
   */
  public static CaptureWriter create(Path file, int linkType, int snapLength) throws IOException {
    checkSnapLength(snapLength);
    WritableByteChannel channel = new UninterruptedFile(file);
    return file.toString().endsWith(".pcap")
        ? new PcapWriter(channel, linkType, snapLength)
        : new PcapngWriter(channel, linkType, snapLength);
  }

  /**
   * Declares an interface with a name; pcap does not store it. If none is declared before the first
   * frame, an interface without a name is.
   *
   * @return its number
   */
  public abstract int declare(String interfaceName) throws IOException;

  /** Writes the frame at index {@code at} of {@code b}, on the first interface. */
  public final void write(long timestampNs, ByteBuffer b, int at, int length) throws IOException {
    write(timestampNs, b, at, length, "");
  }

  /** Writes a frame with a comment, on the first interface. */
  public final void write(long timestampNs, ByteBuffer b, int at, int length, String comment)
      throws IOException {
    write(0, timestampNs, b, at, length, comment);
  }

  /**
   * Writes a frame.
   *
   * @param interfaceNumber the result of {@link #declare}; 0 is the first interface
   * @param timestampNs nanoseconds since 1970
   * @param b position and limit are neither used nor changed
   * @param comment the frame's comment, or empty; pcap does not store it
   */
  public abstract void write(
      int interfaceNumber, long timestampNs, ByteBuffer b, int at, int length, String comment)
      throws IOException;

  /** Writes a frame read from another file, on the first interface. */
  public final void write(CapturedFrame frame) throws IOException {
    ByteBuffer bytes = frame.bytes().buffer();
    write(frame.timestampNs(), bytes, 0, frame.bytes().length(), frame.comment());
  }

  /** Writes everything that is buffered to the file. */
  public final void flush() throws IOException {
    buffer.flip();
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
    buffer.clear();
  }

  /** Completes a file to which no frame was written. */
  void complete() throws IOException {}

  @Override
  public final void close() throws IOException {
    try (channel) {
      if (channel.isOpen()) {
        complete();
        flush();
      }
    }
  }

  /** The buffer, with room for {@code n} bytes (64 KiB at most). */
  final ByteBuffer room(int n) throws IOException {
    if (buffer.remaining() < n) {
      flush();
    }
    return buffer;
  }

  /** Appends bytes of a frame of any length. */
  final void append(ByteBuffer b, int at, int length) throws IOException {
    int done = 0;
    while (done < length) {
      int part = Math.min(length - done, BUFFER_SIZE);
      ByteBuffer out = room(part);
      out.put(out.position(), b, at + done, part);
      out.position(out.position() + part);
      done += part;
    }
  }

  private static void checkSnapLength(int snapLength) {
    if (snapLength < 1) {
      throw new IllegalArgumentException("snap length " + snapLength + " keeps nothing");
    }
  }
}
