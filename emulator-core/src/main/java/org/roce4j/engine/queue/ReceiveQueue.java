package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A ring of posted receive requests, of one queue pair or shared by several. Shared or not, a
 * request is taken by copying it out ({@code engine.responder}). A request is one record of longs,
 * as in {@link SendQueue}.
 */
public final class ReceiveQueue extends RequestRing {
  /** Where a record has the number that the application gave to a request. */
  public static final int WR_ID = 0;

  private static final int SGE_COUNT = 1;

  /** Where the scatter/gather entries of a record begin. */
  public static final int ENTRIES = 2;

  private final int maxSge;

  /** See {@link #watch}; several engines may find it reached at once. */
  private final AtomicInteger watched = new AtomicInteger();

  public ReceiveQueue(int requests, int maxSge) {
    super(requests, stride(ENTRIES, maxSge));
    this.maxSge = maxSge;
  }

  /** From now on {@link #fellBelowWatched} tells once when fewer requests are posted; 0: never. */
  public void watch(int requests) {
    watched.set(requests);
  }

  /** What is watched for and has not been told; 0: nothing. */
  public int watched() {
    return watched.get();
  }

  /** Whether fewer requests are posted than is watched for, which is told to one caller alone. */
  public boolean fellBelowWatched() {
    int least = watched.get();
    return least > 0 && size() < least && watched.compareAndSet(least, 0);
  }

  /** Scatter/gather entries that a request may have. */
  public int maxSge() {
    return maxSge;
  }

  /**
   * Copies a work request into a claimed slot.
   *
   * @throws IndexOutOfBoundsException if an address in the structure lies outside {@code view}
   */
  public void fill(int slot, MemorySegment view, long at) {
    int r = slot * stride;
    posted[r + WR_ID] = RecvWrLayout.wrId(view, at);
    int count = RecvWrLayout.numSge(view, at);
    long list = count == 0 ? 0 : RecvWrLayout.sgList(view, at) - view.address();
    for (int i = 0; i < count; i++) {
      long sge = list + (long) i * SgeLayout.SIZE;
      ScatterGather.set(
          posted,
          r + ENTRIES + i * ScatterGather.ENTRY_LONGS,
          SgeLayout.addr(view, sge),
          SgeLayout.length(view, sge),
          SgeLayout.lkey(view, sge));
    }
    posted[r + SGE_COUNT] = count;
  }

  /** Longs that a record with {@code maxSge} entries has. */
  public static int recordLongs(int maxSge) {
    return stride(ENTRIES, maxSge);
  }

  /**
   * Takes the oldest request, where several engines do at once: of what one reads, only what it
   * also retires counts. A queue is used so from its first request on, or never.
   *
   * @param to takes the record: its number at {@link #WR_ID}, its entries from {@link #ENTRIES} on
   * @return scatter/gather entries of it; -1: the queue is empty
   */
  public int takeAmongSeveral(long[] to) {
    while (true) {
      long oldest = oldest();
      if (oldest == endForAll()) {
        return -1;
      }
      long[] now = recordsForAll();
      int mask = now.length / stride - 1;
      int record = ((int) oldest & mask) * stride;
      System.arraycopy(now, record, to, 0, stride);
      if (retire(oldest)) {
        return (int) to[SGE_COUNT];
      }
    }
  }

  /** Bytes that the buffers of a request hold. */
  public long length(int slot) {
    return ScatterGather.totalLength(records, slot * stride + ENTRIES, sgeCount(slot));
  }

  /** Copies the scatter/gather entries of a request to the beginning of {@code to}. */
  public void copyEntries(int slot, long[] to) {
    int longs = sgeCount(slot) * ScatterGather.ENTRY_LONGS;
    System.arraycopy(records, slot * stride + ENTRIES, to, 0, longs);
  }

  public long wrId(int slot) {
    return records[slot * stride + WR_ID];
  }

  public int sgeCount(int slot) {
    return (int) records[slot * stride + SGE_COUNT];
  }

  @Override
  void moveNotes(long[] from, int fromRecord, long[] to, int toRecord) {
    // The engine writes nothing into the records of a receive queue.
  }
}
