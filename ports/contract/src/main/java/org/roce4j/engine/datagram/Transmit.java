package org.roce4j.engine.datagram;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A train: up to {@link #MAX_SEGMENTS} datagrams of one size on one path; the last may be shorter.
 * UDP segmentation offload sends it in one call. The caller owns the buffer. The engine writes each
 * datagram from the BTH to the padding and leaves four bytes for the ICRC, which only the port can
 * compute. Not thread-safe.
 */
public final class Transmit {
  /** Linux refuses longer trains (UDP_MAX_SEGMENTS was 64 for a long time). */
  public static final int MAX_SEGMENTS = 64;

  /** The greatest payload of an IPv4 UDP datagram. */
  public static final int MAX_BYTES = 65507;

  private final ByteBuffer buffer;
  private final MemorySegment memory;
  private final int maxSegments;
  private Path path;
  private int sourcePortHint;
  private int sourcePort;
  private int segmentSize;
  private int segments;
  private int ceiling;
  private int length;
  private boolean closed;
  private long spoiled;

  /**
   * @param buffer direct, at least {@link #MAX_BYTES} long
   * @param maxSegments greatest number of datagrams; 1 for a port that sends no trains
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
    sourcePort = 0;
    segmentSize = 0;
    segments = 0;
    ceiling = maxSegments;
    length = 0;
    closed = false;
    spoiled = 0;
  }

  /** Allows at most {@code more} further datagrams, within the limit of the port. */
  public void allow(int more) {
    ceiling = Math.min(maxSegments, segments + more);
  }

  /**
   * Claims room for one more datagram.
   *
   * @param size bytes including the four of the ICRC
   * @return the offset at which to write it; -1: it does not fit and must begin the next train
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

  /** Adds the datagram written at the claimed offset to the train. */
  public void commit(int size) {
    segments++;
    length += size;
    closed = size < segmentSize;
  }

  /** Makes the port seal datagram {@code index} with a wrong ICRC: an injected fault. */
  public void spoil(int index) {
    spoiled |= 1L << index;
  }

  /** Whether datagram {@code index} is sealed with a wrong ICRC. */
  public boolean spoiled(int index) {
    return (spoiled >>> index & 1) != 0;
  }

  /** Whether no further datagram fits, whatever its size. */
  public boolean full() {
    return closed || segments == maxSegments || (segments > 0 && length + segmentSize > MAX_BYTES);
  }

  /** The most datagrams of this train's size in a train; for an empty train, of any size. */
  public int capacity() {
    return segments == 0 ? maxSegments : Math.min(maxSegments, MAX_BYTES / segmentSize);
  }

  /** Whether it has no datagram. */
  public boolean isEmpty() {
    return segments == 0;
  }

  /** The buffer of the datagrams, which are contiguous from index 0; big-endian, direct. */
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

  /** A UDP source port that spreads flows over paths, if the port can choose one. */
  public int sourcePortHint() {
    return sourcePortHint;
  }

  /** The port has sent the train from a UDP port other than that of its address. */
  public void sentFrom(int port) {
    sourcePort = port;
  }

  /** The UDP port that {@link #sentFrom} has told; 0: the port has sent from its address's. */
  public int sourcePort() {
    return sourcePort;
  }

  /** The size of every datagram except the last, in bytes. */
  public int segmentSize() {
    return segmentSize;
  }

  /** The number of datagrams, 0 to {@link #MAX_SEGMENTS}. */
  public int segments() {
    return segments;
  }

  /** The length of the whole train in bytes. */
  public int length() {
    return length;
  }

  /** The size of datagram {@code index} in bytes. */
  public int sizeOf(int index) {
    return index < segments - 1 ? segmentSize : length - index * segmentSize;
  }
}
