package org.roce4j.engine.memory;

/**
 * The scatter/gather entries of a queue's requests: {@code entriesPerRequest} for each of its
 * slots, where the queue keeps its records, so that a request lies in one place. An entry is two
 * longs: its address, and its length (unsigned 32 bit) above its lkey.
 */
public final class ScatterGather {
  /** Longs that an entry takes. */
  public static final int ENTRY_LONGS = 2;

  private final long[] records;
  private final int first;
  private final int stride;
  private final int entriesPerRequest;

  /** Entries in memory of their own. */
  public ScatterGather(int slots, int entriesPerRequest) {
    this(
        new long[slots * entriesPerRequest * ENTRY_LONGS],
        0,
        entriesPerRequest * ENTRY_LONGS,
        entriesPerRequest);
  }

  /**
   * Entries within the records of a queue.
   *
   * @param records of all slots
   * @param first index of the first entry within a record
   * @param stride longs that a record takes
   */
  public ScatterGather(long[] records, int first, int stride, int entriesPerRequest) {
    this.records = records;
    this.first = first;
    this.stride = stride;
    this.entriesPerRequest = entriesPerRequest;
  }

  public int entriesPerRequest() {
    return entriesPerRequest;
  }

  public void set(int slot, int entry, long address, int length, int lkey) {
    int i = at(slot) + entry * ENTRY_LONGS;
    records[i] = address;
    records[i + 1] = (long) length << 32 | Integer.toUnsignedLong(lkey);
  }

  /** Copies the entries of a slot of another storage, which must not hold more per request. */
  public void copyFrom(ScatterGather other, int otherSlot, int slot, int entries) {
    System.arraycopy(other.records, other.at(otherSlot), records, at(slot), entries * ENTRY_LONGS);
  }

  /** Sum of the lengths of the first entries of a slot. */
  public long totalLength(int slot, int entries) {
    long total = 0;
    int base = at(slot);
    for (int i = 0; i < entries; i++) {
      total += length(base + i * ENTRY_LONGS);
    }
    return total;
  }

  /** Where the first entry of a slot is; the next is {@link #ENTRY_LONGS} further. */
  int at(int slot) {
    return slot * stride + first;
  }

  long address(int at) {
    return records[at];
  }

  /** 0 to 2^32 - 1. */
  long length(int at) {
    return records[at + 1] >>> 32;
  }

  int lkey(int at) {
    return (int) records[at + 1];
  }
}
