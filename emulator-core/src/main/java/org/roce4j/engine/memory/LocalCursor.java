package org.roce4j.engine.memory;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.text.Wording;

/**
 * A position in a request's scatter/gather list, for gathering payload from local memory and
 * scattering payload into it. Every step checks the entry's lkey: it exists, belongs to this
 * domain, its region contains the range, and has LOCAL_WRITE if it is written. Entries of length 0
 * are skipped without a check. Reused; confined to the engine's owner.
 */
public final class LocalCursor {
  private final KeyTable keys;
  private Accessor accessor;
  private long[] records;
  private int base;
  private int entries;
  private int entry;
  private long within;
  private long position;

  public LocalCursor(KeyTable keys, Accessor accessor) {
    this.keys = keys;
    this.accessor = accessor;
  }

  /** Sets the accessor of the following lists. */
  public void accessor(Accessor of) {
    accessor = of;
  }

  /**
   * Moves to the first byte of a request's list.
   *
   * @param records array that contains the entries
   * @param first index of the first entry
   */
  public void open(long[] records, int first, int entries) {
    this.records = records;
    this.base = first;
    this.entries = entries;
    rewind();
  }

  private void rewind() {
    entry = 0;
    within = 0;
    position = 0;
  }

  /** The number of bytes before the position. */
  public long position() {
    return position;
  }

  /** Moves to byte {@code offset} of the list. */
  public void seek(long offset) {
    if (offset < position) {
      rewind();
    }
    long toGo = offset - position;
    position = offset;
    while (entry < entries) {
      long left = ScatterGather.length(records, at()) - within;
      if (toGo < left) {
        within += toGo;
        return;
      }
      toGo -= left;
      entry++;
      within = 0;
    }
  }

  /** Copies the next bytes of the list into a packet; false on a local protection error. */
  public boolean gather(MemorySegment packet, long at, int bytes) {
    return copy(packet, at, bytes, 0);
  }

  /** Copies bytes of a packet to the next bytes of the list; false on a local protection error. */
  public boolean scatter(MemorySegment packet, long at, int bytes) {
    return copy(packet, at, bytes, AccessFlags.LOCAL_WRITE);
  }

  /** Why the last {@link #gather} or {@link #scatter} was refused. */
  public String why(boolean scattered) {
    if (entry == entries) {
      return Wording.of("its elements hold %d bytes, fewer than came", position);
    }
    int i = at();
    int right = scattered ? AccessFlags.LOCAL_WRITE : 0;
    long length = ScatterGather.length(records, i);
    return Wording.of("element %d: ", entry)
        + Denial.why(
            keys,
            accessor,
            "lkey",
            ScatterGather.lkey(records, i),
            ScatterGather.address(records, i),
            length,
            right);
  }

  private boolean copy(MemorySegment packet, long at, int bytes, int right) {
    int left = bytes;
    while (left > 0) {
      if (entry == entries) {
        return false;
      }
      int i = at();
      long room = ScatterGather.length(records, i) - within;
      if (room == 0) {
        entry++;
        within = 0;
        continue;
      }
      int step = (int) Math.min(room, left);
      if (!(keys.find(ScatterGather.lkey(records, i)) instanceof Region region)) {
        return false;
      }
      // The region must contain the whole entry, not only the bytes of this packet.
      long start = region.locate(ScatterGather.address(records, i), within + room, right, accessor);
      if (start < 0 || !move(region, start + within, packet, at + bytes - left, step, right)) {
        return false;
      }
      within += step;
      position += step;
      left -= step;
    }
    return true;
  }

  private int at() {
    return base + entry * ScatterGather.ENTRY_LONGS;
  }

  private static boolean move(
      Region region, long offset, MemorySegment packet, long at, int bytes, int right) {
    return right == 0
        ? RegisteredBytes.read(region, offset, packet, at, bytes)
        : RegisteredBytes.write(region, offset, packet, at, bytes);
  }
}
