package org.roce4j.engine.memory;

/**
 * Storage for the scatter/gather entries of a queue: {@code entriesPerRequest} for each of its
 * slots. An entry is address, length (unsigned 32 bit) and lkey.
 */
public final class ScatterGather {
  final long[] address;
  final int[] length;
  final int[] lkey;
  private final int entriesPerRequest;

  public ScatterGather(int slots, int entriesPerRequest) {
    this.entriesPerRequest = entriesPerRequest;
    address = new long[slots * entriesPerRequest];
    length = new int[slots * entriesPerRequest];
    lkey = new int[slots * entriesPerRequest];
  }

  public int entriesPerRequest() {
    return entriesPerRequest;
  }

  public void set(int slot, int entry, long address, int length, int lkey) {
    int i = slot * entriesPerRequest + entry;
    this.address[i] = address;
    this.length[i] = length;
    this.lkey[i] = lkey;
  }

  /** Copies the entries of a slot of another storage, which must not hold more per request. */
  public void copyFrom(ScatterGather other, int otherSlot, int slot, int entries) {
    int from = otherSlot * other.entriesPerRequest;
    int to = slot * entriesPerRequest;
    System.arraycopy(other.address, from, address, to, entries);
    System.arraycopy(other.length, from, length, to, entries);
    System.arraycopy(other.lkey, from, lkey, to, entries);
  }

  /** Sum of the lengths of the first entries of a slot. */
  public long totalLength(int slot, int entries) {
    long total = 0;
    int base = slot * entriesPerRequest;
    for (int i = 0; i < entries; i++) {
      total += Integer.toUnsignedLong(length[base + i]);
    }
    return total;
  }
}
