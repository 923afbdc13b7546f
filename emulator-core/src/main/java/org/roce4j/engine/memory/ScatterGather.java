package org.roce4j.engine.memory;

/**
 * The layout of scatter/gather entries in an array of longs, together with the other fields of a
 * request, so that a request is contiguous in memory and contains no objects. An entry is two
 * longs: its address, and its length (unsigned, upper 32 bits) with its lkey (lower 32 bits).
 */
public final class ScatterGather {
  /** The number of longs of an entry. */
  public static final int ENTRY_LONGS = 2;

  private ScatterGather() {}

  /** Writes the entry at index {@code at}. */
  public static void set(long[] records, int at, long address, int length, int lkey) {
    records[at] = address;
    records[at + 1] = (long) length << 32 | Integer.toUnsignedLong(lkey);
  }

  /** The sum of the lengths of {@code entries} entries from index {@code at} on. */
  public static long totalLength(long[] records, int at, int entries) {
    long total = 0;
    for (int i = 0; i < entries; i++) {
      total += length(records, at + i * ENTRY_LONGS);
    }
    return total;
  }

  static long address(long[] records, int at) {
    return records[at];
  }

  /** 0 to 2^32 - 1. */
  static long length(long[] records, int at) {
    return records[at + 1] >>> 32;
  }

  static int lkey(long[] records, int at) {
    return (int) records[at + 1];
  }
}
