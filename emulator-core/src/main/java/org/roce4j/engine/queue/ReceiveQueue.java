package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A ring of posted receive requests, of one queue pair or shared by several. In both cases a
 * request is taken by copying it ({@code engine.responder}). A request is one record of longs, as
 * in {@link SendQueue}.
 */
public final class ReceiveQueue extends RequestRing {
  /** The place in a record of the request's {@code wr_id}. */
  public static final int WR_ID = 0;

  private static final int SGE_COUNT = 1;

  /** The place in a record of the first scatter/gather entry. */
  public static final int ENTRIES = 2;

  private final int maxSge;

  /** See {@link #watch}. Several engines may reach it at once. */
  private final AtomicInteger watched = new AtomicInteger();

  public ReceiveQueue(int requests, int maxSge) {
    super(requests, stride(ENTRIES, maxSge));
    this.maxSge = maxSge;
  }

  /** Makes {@link #fellBelowWatched} return true once when fewer requests are posted; 0: never. */
  public void watch(int requests) {
    watched.set(requests);
  }

  /** The number that is watched for and was not reported yet; 0: none. */
  public int watched() {
    return watched.get();
  }

  /** Whether fewer requests are posted than {@link #watched}. Only one caller gets true. */
  public boolean fellBelowWatched() {
    int least = watched.get();
    return least > 0 && size() < least && watched.compareAndSet(least, 0);
  }

  /** The greatest number of scatter/gather entries of a request. */
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
    long list = RecvWrLayout.sgList(view, at) - view.address();
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

  /** The number of longs of a record with {@code maxSge} entries. */
  public static int recordLongs(int maxSge) {
    return stride(ENTRIES, maxSge);
  }

  /**
   * Takes the oldest request from a queue that several engines use. An engine copies the record and
   * then tries to retire it; if another engine was faster, it tries the next one. A queue is used
   * in this way from its first request on, or never.
   *
   * @param to receives the record, with its {@code wr_id} at {@link #WR_ID} and its entries from
   *     {@link #ENTRIES} on
   * @return its number of scatter/gather entries; -1: the queue is empty
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

  /** The number of bytes of a request's buffers. */
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
