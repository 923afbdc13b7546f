package org.roce4j.engine.memory;

/**
 * The layout of scatter/gather entries in an array of longs, beside the other fields of a request,
 * so that a request lies in one place and no object stands between. An entry is two longs: its
 * address, and its length (unsigned 32 bit) above its lkey.
 */
public final class ScatterGather {
  /** Longs that an entry takes. */
  public static final int ENTRY_LONGS = 2;

  private ScatterGather() {}

  /** Writes the entry at index {@code at}. */
  public static void set(long[] records, int at, long address, int length, int lkey) {
    records[at] = address;
    records[at + 1] = (long) length << 32 | Integer.toUnsignedLong(lkey);
  }

  /** Sum of the lengths of entries that follow each other, the first at index {@code at}. */
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
