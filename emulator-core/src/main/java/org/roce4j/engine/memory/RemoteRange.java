package org.roce4j.engine.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What a peer asked to read or write: a key with an address range, checked when the request arrives
 * and checked again at every packet, because a key may die in between. Reused; confined to the
 * engine's owner.
 */
public final class RemoteRange {
  private final KeyTable keys;
  private final Domain domain;
  private final int qpNum;
  private final long[] original = new long[1];
  private int key;
  private long va;
  private long length;
  private int right;

  /** What the last successful {@link #locate} found beneath the key. */
  private Region region;

  public RemoteRange(KeyTable keys, Domain domain, int qpNum) {
    this.keys = keys;
    this.domain = domain;
    this.qpNum = qpNum;
  }

  /**
   * Names a range and checks it. A length of 0 needs no key.
   *
   * @param right of {@link org.roce4j.verbs.AccessFlags}
   */
  public boolean set(int key, long va, long length, int right) {
    this.key = key;
    this.va = va;
    this.length = length;
    this.right = right;
    return length == 0 || locate(0, length) >= 0;
  }

  public int key() {
    return key;
  }

  public long va() {
    return va;
  }

  public long length() {
    return length;
  }

  /** Copies {@code bytes} at {@code offset} of the range out; false if that is not allowed now. */
  public boolean read(long offset, MemorySegment to, long at, int bytes) {
    if (bytes == 0) {
      return true;
    }
    long where = locate(offset, bytes);
    return where >= 0 && RegisteredBytes.read(region, where, to, at, bytes);
  }

  /** Copies bytes in at {@code offset} of the range; false if that is not allowed now. */
  public boolean write(long offset, MemorySegment from, long at, int bytes) {
    if (bytes == 0) {
      return true;
    }
    long where = locate(offset, bytes);
    return where >= 0 && RegisteredBytes.write(region, where, from, at, bytes);
  }

  /** Compare-and-swap on the first eight bytes; the original value is in {@link #original}. */
  public boolean compareSwap(long compare, long swap) {
    long where = locate(0, 8);
    return where >= 0 && RegisteredBytes.atomic(region, where, true, swap, compare, original);
  }

  /** Fetch-and-add on the first eight bytes; the original value is in {@link #original}. */
  public boolean fetchAdd(long add) {
    long where = locate(0, 8);
    return where >= 0 && RegisteredBytes.atomic(region, where, false, add, 0, original);
  }

  /** Writes the first eight bytes in one piece, as they stand in a packet. */
  public boolean storeFrom(MemorySegment packet, long at) {
    long where = locate(0, 8);
    long bytes = packet.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    return where >= 0 && RegisteredBytes.store(region, where, bytes);
  }

  /** Names the range of a FLUSH; for a whole region address and length mean nothing. */
  public boolean setFlush(int key, long va, long length, int right, boolean wholeRegion) {
    if (!wholeRegion) {
      return set(key, va, length, right);
    }
    MemoryKey entry = keys.find(key);
    return entry instanceof Region region && set(key, region.iova(), region.length(), right);
  }

  /** The value before the last successful atomic. */
  public long original() {
    return original[0];
  }

  private long locate(long offset, long bytes) {
    MemoryKey entry = keys.find(key);
    Grant grant = entry == null ? null : entry.grant();
    long where = -1;
    if (grant != null && entry.value() == key) {
      where = grant.locate(va + offset, bytes, right, domain, qpNum);
      region = grant.region();
    }
    return where;
  }
}
