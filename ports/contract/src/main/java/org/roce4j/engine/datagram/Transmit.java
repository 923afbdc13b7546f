package org.roce4j.engine.datagram;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A train: up to {@link #MAX_SEGMENTS} datagrams of one size to one path; the last may be shorter.
 * Exactly what UDP segmentation offload sends in one call. The caller owns the buffer; the engine
 * writes BTH to padding of each datagram and leaves its last four bytes for the port, which alone
 * can seal the ICRC. Not thread-safe.
 */
public final class Transmit {
  /** Linux refuses longer trains (UDP_MAX_SEGMENTS was 64 for long). */
  public static final int MAX_SEGMENTS = 64;

  /** What fits into one IPv4 UDP datagram. */
  public static final int MAX_BYTES = 65507;

  private final ByteBuffer buffer;
  private final MemorySegment memory;
  private final int maxSegments;
  private Path path;
  private int sourcePortHint;
  private int segmentSize;
  private int segments;
  private int ceiling;
  private int length;
  private boolean closed;
  private long spoiled;

  /**
   * @param buffer direct, at least {@link #MAX_BYTES} long
   * @param maxSegments 1 for a port that sends no trains
   */
  public Transmit(ByteBuffer buffer, int maxSegments) {
    this.buffer = buffer.order(ByteOrder.BIG_ENDIAN);
    this.memory = MemorySegment.ofBuffer(buffer);
    this.maxSegments = Math.min(maxSegments, MAX_SEGMENTS);
    ceiling = this.maxSegments;
  }

  /** Empties the train; its buffer may be written again. */
  public void clear() {
    path = null;
    segmentSize = 0;
    segments = 0;
    ceiling = maxSegments;
    length = 0;
    closed = false;
    spoiled = 0;
  }

  /** At most {@code more} further datagrams find room, within what the port sends in a train. */
  public void allow(int more) {
    ceiling = Math.min(maxSegments, segments + more);
  }

  /**
   * Room for one more datagram.
   *
   * @param size bytes including the four of the ICRC
   * @return the offset to write it at, or -1: it must open the next train
   */
  public int claim(Path path, int sourcePortHint, int size) {
    if (segments == 0) {
      this.path = path;
      this.sourcePortHint = sourcePortHint;
      segmentSize = size;
      return 0;
    }
    if (closed
        || path != this.path
        || size > segmentSize
        || segments >= ceiling
        || length + size > MAX_BYTES) {
      return -1;
    }
    return length;
  }

  /** Takes the datagram written at the claimed offset into the train. */
  public void commit(int size) {
    segments++;
    length += size;
    closed = size < segmentSize;
  }

  /** Asks the port to seal datagram {@code index} wrongly: a fault that is injected. */
  public void spoil(int index) {
    spoiled |= 1L << index;
  }

  /** Whether datagram {@code index} is to be sealed wrongly. */
  public boolean spoiled(int index) {
    return (spoiled >>> index & 1) != 0;
  }

  /** Whether nothing more fits, whatever it is. */
  public boolean full() {
    return closed || segments == maxSegments || (segments > 0 && length + segmentSize > MAX_BYTES);
  }

  /** How many datagrams of this train's size a train takes; of an empty one, at most. */
  public int capacity() {
    return segments == 0 ? maxSegments : Math.min(maxSegments, MAX_BYTES / segmentSize);
  }

  /** Whether no datagram has been committed. */
  public boolean isEmpty() {
    return segments == 0;
  }

  /** Where the datagrams are written, one behind the other from index 0; big-endian, direct. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** The memory of {@link #buffer}, for copies from registered memory. */
  public MemorySegment memory() {
    return memory;
  }

  /** The destination of the train; null for an empty train. */
  public Path path() {
    return path;
  }

  /** A UDP source port that spreads flows, where the port can choose one. */
  public int sourcePortHint() {
    return sourcePortHint;
  }

  /** Bytes of every datagram but the last. */
  public int segmentSize() {
    return segmentSize;
  }

  /** Datagrams committed so far, 0 .. {@link #MAX_SEGMENTS}. */
  public int segments() {
    return segments;
  }

  /** Bytes of the whole train. */
  public int length() {
    return length;
  }

  /** Bytes of datagram {@code index}. */
  public int sizeOf(int index) {
    return index < segments - 1 ? segmentSize : length - index * segmentSize;
  }
}
