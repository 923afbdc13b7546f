package org.roce4j.engine.datagram;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * One received datagram, from the first byte of BTH to the last of the ICRC. One object per port,
 * reused: its receiver reads it before returning. Not thread-safe.
 */
public final class Inbound {
  /** Stands for a TOS or TTL that the socket does not tell. */
  public static final int UNKNOWN = -1;

  private ByteBuffer buffer;
  private MemorySegment memory;
  private int at;
  private int length;
  private long sourceHigh;
  private long sourceLow;
  private long localHigh;
  private long localLow;
  private int sourcePort;
  private int trafficClass = UNKNOWN;
  private int hopLimit = UNKNOWN;
  private IcrcVerdict icrc = IcrcVerdict.RIGHT;

  /**
   * Where the bytes are: {@code buffer} and {@code memory} are two views of the same memory.
   *
   * @param buffer big-endian, direct
   */
  public Inbound payload(ByteBuffer buffer, MemorySegment memory, int at, int length) {
    this.buffer = buffer;
    this.memory = memory;
    this.at = at;
    this.length = length;
    return this;
  }

  /** Who sent it: a GID in two halves and the UDP source port. */
  public Inbound source(long high, long low, int port) {
    sourceHigh = high;
    sourceLow = low;
    sourcePort = port;
    return this;
  }

  /** The address it was sent to, ours or that of a multicast group. */
  public Inbound local(long high, long low) {
    localHigh = high;
    localLow = low;
    return this;
  }

  /** TOS or traffic class and TTL or hop limit as received, {@link #UNKNOWN} where hidden. */
  public Inbound network(int trafficClass, int hopLimit) {
    this.trafficClass = trafficClass;
    this.hopLimit = hopLimit;
    return this;
  }

  public Inbound icrc(IcrcVerdict verdict) {
    icrc = verdict;
    return this;
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  public MemorySegment memory() {
    return memory;
  }

  /** Offset of BTH in {@link #buffer} and {@link #memory}. */
  public int at() {
    return at;
  }

  /** Bytes including the four of the ICRC. */
  public int length() {
    return length;
  }

  public long sourceHigh() {
    return sourceHigh;
  }

  public long sourceLow() {
    return sourceLow;
  }

  public int sourcePort() {
    return sourcePort;
  }

  public long localHigh() {
    return localHigh;
  }

  public long localLow() {
    return localLow;
  }

  public int trafficClass() {
    return trafficClass;
  }

  public int hopLimit() {
    return hopLimit;
  }

  public IcrcVerdict icrc() {
    return icrc;
  }
}
