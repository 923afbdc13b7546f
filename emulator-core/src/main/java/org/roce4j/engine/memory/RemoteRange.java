package org.roce4j.engine.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.roce4j.verbs.AccessFlags;

/**
 * The remote memory of a peer's request: a key and an address range. It is checked when the request
 * arrives and again for every packet, because the key may be invalidated in between. Reused;
 * confined to the engine's owner.
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

  /** Sets the accessor of the following ranges. */
  public void accessor(Accessor of) {
    accessor = of;
  }

  /**
   * Sets and checks the range. A length of 0 needs no key.
   *
   * @param right right of {@link org.roce4j.verbs.AccessFlags}
   */
  public boolean set(int key, long va, long length, int right) {
    this.key = key;
    this.va = va;
    this.length = length;
    this.right = right;
    return length == 0 || locate(grant(), 0, length) >= 0;
  }

  /** Why access to the range was refused. */
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

  /** Copies bytes at {@code offset} out of the range; false if the access is not allowed now. */
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

  /** Copies bytes into the range at {@code offset}; false if the access is not allowed now. */
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

  /** Compare-and-swap on the first eight bytes; {@link #original} then has the original value. */
  public boolean compareSwap(long compare, long swap) {
    return atomic(true, swap, compare);
  }

  /** Fetch-and-add on the first eight bytes; {@link #original} then has the original value. */
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

  /** Stores the first eight bytes in one write, in the byte order of the packet. */
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

  /** Sets the range of a FLUSH. For a whole region, address and length have no meaning. */
  public boolean setFlush(int key, long va, long length, int right, boolean wholeRegion) {
    if (!wholeRegion) {
      return set(key, va, length, right);
    }
    MemoryKey entry = keys.find(key);
    return entry instanceof Region region && set(key, region.iova(), region.length(), right);
  }

  /** Executes a FLUSH of the range; false if the access is not allowed now. */
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

  /** The access that the key gives now; null: none. */
  private Grant grant() {
    MemoryKey entry = keys.find(key);
    Grant grant = entry == null ? null : entry.grant();
    return grant != null && entry.value() == key ? grant : null;
  }

  private long locate(Grant grant, long offset, long bytes) {
    return grant == null ? -1 : grant.locate(va + offset, bytes, right, accessor);
  }

  /** As {@link #locate}. Unless the result is negative, {@link Grant#endCopy} must follow. */
  private long beginCopy(Grant grant, long offset, long bytes) {
    long where = locate(grant, offset, bytes);
    return where >= 0 && grant.beginCopy() ? where : -1;
  }
}
