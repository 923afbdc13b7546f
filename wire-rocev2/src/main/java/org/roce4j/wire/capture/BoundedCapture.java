package org.roce4j.wire.capture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * A capture file that keeps the first and the last packets of what it is given, and counts the
 * rest. A packet may be told of until the next one comes: what befell it is its comment. Allocates
 * nothing per packet without a comment, once its memory is there. Not thread-safe.
 */
public final class BoundedCapture implements Closeable {
  private static final int LONGEST = 1 << 16;

  private final CaptureWriter writer;
  private final Map<String, Integer> interfaces = new HashMap<>();
  private final KeptPacket[] ring;

  /** The newest packet, which waits for its comment. */
  private final KeptPacket newest = new KeptPacket();

  /** Packets that may be written before the last ones are kept. */
  private int room;

  private long given;
  private long beyond;
  private boolean closed;

  /** A packet in memory. */
  private static final class KeptPacket {
    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private long timestampNs;
    private int interfaceNumber;
    private int length;
    private String comment = "";

    void copy(ByteBuffer from, int at, int kept) {
      if (bytes.capacity() < kept) {
        bytes = ByteBuffer.allocate(kept);
      }
      bytes.put(0, from, at, kept);
    }

    void copy(KeptPacket other, int kept) {
      copy(other.bytes, 0, kept);
      timestampNs = other.timestampNs;
      interfaceNumber = other.interfaceNumber;
      length = other.length;
      comment = other.comment;
    }
  }

  /** Closing this closes the writer. */
  public BoundedCapture(CaptureWriter writer, CaptureExtent extent) {
    this.writer = writer;
    room = extent.first();
    ring = new KeptPacket[extent.last()];
  }

  /**
   * Takes a packet, at most 64 KiB of it.
   *
   * @param interfaceName as the file names where the packet was seen
   * @param timestampNs nanoseconds since 1970
   * @param b position and limit are neither used nor changed
   * @param length of the packet
   * @return the packet's number, for {@link #note}
   */
  public long write(String interfaceName, long timestampNs, ByteBuffer b, int at, int length)
      throws IOException {
    settle();
    newest.copy(b, at, kept(length));
    newest.interfaceNumber = number(interfaceName);
    newest.timestampNs = timestampNs;
    newest.length = length;
    return ++given;
  }

  /** Adds to a packet's comment, if it is still the newest; else nothing happens. */
  public void note(long packet, String fate) {
    if (packet == given && newest.length > 0) {
      newest.comment = newest.comment.isEmpty() ? fate : newest.comment + "; " + fate;
    }
  }

  /** Packets between the first and the last that are not in the file. */
  public long leftOut() {
    return Math.max(0, beyond - ring.length);
  }

  /** Hands what is written so far to the file, but for the last packets. */
  public void flush() throws IOException {
    settle();
    writer.flush();
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (writer) {
      settle();
      String gap = leftOut() == 0 ? "" : leftOut() + " packets before this one are left out; ";
      for (long i = leftOut(); i < beyond; i++) {
        KeptPacket next = ring[(int) (i % ring.length)];
        next.comment = (gap + next.comment).replaceFirst("; $", "");
        write(next);
        gap = "";
      }
    }
  }

  private int number(String interfaceName) throws IOException {
    Integer known = interfaces.get(interfaceName);
    if (known == null) {
      known = writer.declare(interfaceName);
      interfaces.put(interfaceName, known);
    }
    return known;
  }

  private int kept(int length) {
    return Math.min(Math.min(length, writer.snapLength), LONGEST);
  }

  /** The newest packet has its comment. */
  private void settle() throws IOException {
    if (newest.length == 0) {
      return;
    }
    if (room > 0) {
      room--;
      write(newest);
    } else {
      keep();
    }
    newest.length = 0;
    newest.comment = "";
  }

  private void keep() {
    if (ring.length > 0) {
      int index = (int) (beyond % ring.length);
      if (ring[index] == null) {
        ring[index] = new KeptPacket();
      }
      ring[index].copy(newest, kept(newest.length));
    }
    beyond++;
  }

  private void write(KeptPacket packet) throws IOException {
    writer.write(
        packet.interfaceNumber, packet.timestampNs, packet.bytes, 0, packet.length, packet.comment);
  }
}
