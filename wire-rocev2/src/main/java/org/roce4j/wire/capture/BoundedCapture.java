package org.roce4j.wire.capture;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * A capture file that keeps the first and the last packets written to it and counts the others.
 * {@link #note} adds to the comment of the newest packet. A packet without a comment allocates
 * nothing, once the buffers have grown. Not thread-safe.
 */
public final class BoundedCapture implements Closeable {
  private static final int LONGEST = 1 << 16;

  private final CaptureWriter writer;
  private final Map<String, Integer> interfaces = new HashMap<>();
  private final KeptPacket[] ring;

  /** The newest packet, which waits for its comment. */
  private final KeptPacket newest = new KeptPacket();

  /** The number of packets that still go directly to the file; later ones go through the ring. */
  private int room;

  private long given;
  private long beyond;
  private boolean closed;

  /** A packet in memory, with its comment. */
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

  /** A capture that owns the writer and closes it. */
  public BoundedCapture(CaptureWriter writer, CaptureExtent extent) {
    this.writer = writer;
    room = extent.first();
    ring = new KeptPacket[extent.last()];
  }

  /**
   * Writes a packet; bytes beyond 64 KiB are dropped.
   *
   * @param interfaceName name in the file for the interface that saw the packet
   * @param timestampNs nanoseconds since 1970
   * @param b holds the packet at index {@code at}; its position and limit are neither used nor
   *     changed
   * @param length length of the packet in bytes
   * @return the packet's number, for {@link #note}
   */
  public long write(String interfaceName, long timestampNs, ByteBuffer b, int at, int length)
      throws IOException {
    settle();
    fill(newest, interfaceName, timestampNs, b, at, length);
    return ++given;
  }

  /**
   * Writes a packet in front of the newest, as {@link #write} does, with its whole comment.
   *
   * @return the new number of the newest packet, for {@link #note}
   */
  public long writeBefore(
      String interfaceName, long timestampNs, ByteBuffer b, int at, int length, String comment)
      throws IOException {
    KeptPacket packet = new KeptPacket();
    fill(packet, interfaceName, timestampNs, b, at, length);
    packet.comment = comment;
    place(packet);
    return ++given;
  }

  private void fill(
      KeptPacket packet, String interfaceName, long timestampNs, ByteBuffer b, int at, int length)
      throws IOException {
    packet.copy(b, at, kept(length));
    packet.interfaceNumber = number(interfaceName);
    packet.timestampNs = timestampNs;
    packet.length = length;
  }

  /**
   * Adds to the comment of the packet with that number, if it is still the newest; does nothing
   * otherwise.
   */
  public void note(long packet, String fate) {
    if (packet == given && newest.length > 0) {
      newest.comment = newest.comment.isEmpty() ? fate : newest.comment + "; " + fate;
    }
  }

  /** The number of packets between the first and the last that the file leaves out. */
  public long leftOut() {
    return Math.max(0, beyond - ring.length);
  }

  /**
   * Writes buffered packets to the file, except those in the ring, which only {@link #close}
   * writes.
   */
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

  /** Moves the newest packet, whose comment is now final, to the file or the ring. */
  private void settle() throws IOException {
    if (newest.length == 0) {
      return;
    }
    place(newest);
    newest.length = 0;
    newest.comment = "";
  }

  private void place(KeptPacket packet) throws IOException {
    if (room > 0) {
      room--;
      write(packet);
    } else {
      keep(packet);
    }
  }

  private void keep(KeptPacket packet) {
    if (ring.length > 0) {
      int index = (int) (beyond % ring.length);
      if (ring[index] == null) {
        ring[index] = new KeptPacket();
      }
      ring[index].copy(packet, kept(packet.length));
    }
    beyond++;
  }

  private void write(KeptPacket packet) throws IOException {
    writer.write(
        packet.interfaceNumber, packet.timestampNs, packet.bytes, 0, packet.length, packet.comment);
  }
}
