package org.roce4j.engine.datagram;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A received datagram, from the first byte of the BTH to the last of the ICRC. A port has one
 * object and reuses it, so its receiver reads it before it returns. Not thread-safe.
 */
public final class Inbound {
  /** The value of a TOS or TTL that the socket does not report. */
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
   * Sets the place of the bytes.
   *
   * @param buffer big-endian, direct; {@code memory} is another view of its memory
   */
  public Inbound payload(ByteBuffer buffer, MemorySegment memory, int at, int length) {
    this.buffer = buffer;
    this.memory = memory;
    this.at = at;
    this.length = length;
    return this;
  }

  /** Sets the sender: a GID in two halves and the UDP source port. */
  public Inbound source(long high, long low, int port) {
    sourceHigh = high;
    sourceLow = low;
    sourcePort = port;
    return this;
  }

  /** Sets the destination address: an address of this port or of a multicast group. */
  public Inbound local(long high, long low) {
    localHigh = high;
    localLow = low;
    return heardBy(high, low);
  }

  /** Sets the port's own address at which it arrived; for a group, the address that has joined. */
  public Inbound heardBy(long high, long low) {
    heardHigh = high;
    heardLow = low;
    return this;
  }

  /**
   * Sets TOS or traffic class and TTL or hop limit as received, {@link #UNKNOWN} if not reported.
   */
  public Inbound network(int trafficClass, int hopLimit) {
    this.trafficClass = trafficClass;
    this.hopLimit = hopLimit;
    return this;
  }

  /** Sets the port's verdict about the ICRC. */
  public Inbound icrc(IcrcVerdict verdict) {
    icrc = verdict;
    return this;
  }

  /** The buffer of the datagram, which begins at {@link #at}; big-endian, direct. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** The memory of {@link #buffer}, for copies to registered memory. */
  public MemorySegment memory() {
    return memory;
  }

  /** Offset of the BTH in {@link #buffer} and {@link #memory}. */
  public int at() {
    return at;
  }

  /** Length in bytes, including the four bytes of the ICRC. */
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

  /** First half of the destination GID. */
  public long localHigh() {
    return localHigh;
  }

  /** Second half of the destination GID. */
  public long localLow() {
    return localLow;
  }

  /** First half of the port's own address at which it was received. */
  public long heardHigh() {
    return heardHigh;
  }

  /** Second half of the port's own address at which it was received. */
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

  /** The port's verdict about the ICRC; RIGHT until it is set. */
  public IcrcVerdict icrc() {
    return icrc;
  }
}
