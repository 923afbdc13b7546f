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
  private long heardHigh;
  private long heardLow;
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

  /** The sender: a GID in two halves and the UDP source port. */
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
    return heardBy(high, low);
  }

  /** The own address by which it was heard: of a group, that which joined it. */
  public Inbound heardBy(long high, long low) {
    heardHigh = high;
    heardLow = low;
    return this;
  }

  /** TOS or traffic class and TTL or hop limit as received, {@link #UNKNOWN} where hidden. */
  public Inbound network(int trafficClass, int hopLimit) {
    this.trafficClass = trafficClass;
    this.hopLimit = hopLimit;
    return this;
  }

  /** What the port found out about the ICRC. */
  public Inbound icrc(IcrcVerdict verdict) {
    icrc = verdict;
    return this;
  }

  /** Big-endian, direct; the datagram lies at {@link #at}. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** The memory of {@link #buffer}, for copies to registered memory. */
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

  /** First half of the sender's GID. */
  public long sourceHigh() {
    return sourceHigh;
  }

  /** Second half of the sender's GID. */
  public long sourceLow() {
    return sourceLow;
  }

  /** The sender's UDP port, 1..65535. */
  public int sourcePort() {
    return sourcePort;
  }

  /** First half of the GID that it was sent to. */
  public long localHigh() {
    return localHigh;
  }

  /** Second half of the GID that it was sent to. */
  public long localLow() {
    return localLow;
  }

  /** First half of the own address by which it was heard. */
  public long heardHigh() {
    return heardHigh;
  }

  /** Second half of the own address by which it was heard. */
  public long heardLow() {
    return heardLow;
  }

  /** DSCP and ECN, 0..255, or {@link #UNKNOWN}. */
  public int trafficClass() {
    return trafficClass;
  }

  /** TTL or hop limit on arrival, 0..255, or {@link #UNKNOWN}. */
  public int hopLimit() {
    return hopLimit;
  }

  /** What the port found out about the ICRC; RIGHT until told. */
  public IcrcVerdict icrc() {
    return icrc;
  }
}
