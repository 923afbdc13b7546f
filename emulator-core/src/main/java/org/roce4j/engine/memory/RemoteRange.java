package org.roce4j.engine.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.roce4j.verbs.AccessFlags;

/**
 * What a peer asked to read or write: a key with an address range, checked when the request arrives
 * and checked again at every packet, because a key may die in between. Reused; confined to the
 * engine's owner.
 */
public final class RemoteRange {
  private final KeyTable keys;
  private Accessor accessor;
  private final long[] original = new long[1];
  private int key;
  private long va;
  private long length;
  private int right;

  public RemoteRange(KeyTable keys, Accessor accessor) {
    this.keys = keys;
    this.accessor = accessor;
  }

  /** On whose behalf the next range is used, where it is not always the same. */
  public void accessor(Accessor of) {
    accessor = of;
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
    return length == 0 || locate(grant(), 0, length) >= 0;
  }

  /** Why access to the range is refused, for people. */
  public String why() {
    return Denial.why(keys, accessor, "rkey", key, va, length, right);
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
    Grant grant = grant();
    long where = beginCopy(grant, offset, bytes);
    if (where < 0) {
      return false;
    }
    try {
      return RegisteredBytes.read(grant.region(), where, to, at, bytes);
    } finally {
      grant.endCopy();
    }
  }

  /** Copies bytes in at {@code offset} of the range; false if that is not allowed now. */
  public boolean write(long offset, MemorySegment from, long at, int bytes) {
    if (bytes == 0) {
      return true;
    }
    Grant grant = grant();
    long where = beginCopy(grant, offset, bytes);
    if (where < 0) {
      return false;
    }
    try {
      return RegisteredBytes.write(grant.region(), where, from, at, bytes);
    } finally {
      grant.endCopy();
    }
  }

  /** Compare-and-swap on the first eight bytes; the original value is in {@link #original}. */
  public boolean compareSwap(long compare, long swap) {
    return atomic(true, swap, compare);
  }

  /** Fetch-and-add on the first eight bytes; the original value is in {@link #original}. */
  public boolean fetchAdd(long add) {
    return atomic(false, add, 0);
  }

  private boolean atomic(boolean compareSwap, long operand, long compare) {
    Grant grant = grant();
    long where = beginCopy(grant, 0, 8);
    if (where < 0) {
      return false;
    }
    try {
      return RegisteredBytes.atomic(grant.region(), where, compareSwap, operand, compare, original);
    } finally {
      grant.endCopy();
    }
  }

  /** Writes the first eight bytes in one piece, as they stand in a packet. */
  public boolean storeFrom(MemorySegment packet, long at) {
    long bytes = packet.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
    Grant grant = grant();
    long where = beginCopy(grant, 0, 8);
    if (where < 0) {
      return false;
    }
    try {
      return RegisteredBytes.store(grant.region(), where, bytes);
    } finally {
      grant.endCopy();
    }
  }

  /** Names the range of a FLUSH; for a whole region address and length mean nothing. */
  public boolean setFlush(int key, long va, long length, int right, boolean wholeRegion) {
    if (!wholeRegion) {
      return set(key, va, length, right);
    }
    MemoryKey entry = keys.find(key);
    return entry instanceof Region region && set(key, region.iova(), region.length(), right);
  }

  /** Carries out a FLUSH of the range; false if that is not allowed now. */
  public boolean flush() {
    if (length == 0) {
      return true;
    }
    Grant grant = grant();
    long where = beginCopy(grant, 0, length);
    if (where < 0) {
      return false;
    }
    try {
      boolean persists = (right & AccessFlags.FLUSH_PERSISTENT) != 0;
      return !persists || RegisteredBytes.force(grant.region(), where, length);
    } finally {
      grant.endCopy();
    }
  }

  /** The value before the last successful atomic. */
  public long original() {
    return original[0];
  }

  /** What the key gives access to now; null: nothing. */
  private Grant grant() {
    MemoryKey entry = keys.find(key);
    Grant grant = entry == null ? null : entry.grant();
    return grant != null && entry.value() == key ? grant : null;
  }

  private long locate(Grant grant, long offset, long bytes) {
    return grant == null ? -1 : grant.locate(va + offset, bytes, right, accessor);
  }

  /** As {@link #locate}; unless negative, {@link Grant#endCopy} must follow. */
  private long beginCopy(Grant grant, long offset, long bytes) {
    long where = locate(grant, offset, bytes);
    return where >= 0 && grant.beginCopy() ? where : -1;
  }
}
