package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A ring of posted receive requests, of one queue pair or shared by several. Shared or not, a
 * request is taken by copying it out ({@code engine.responder}). A request is one record of longs,
 * as in {@link SendQueue}.
 */
public final class ReceiveQueue extends RequestRing {
  private static final int WR_ID = 0;
  private static final int SGE_COUNT = 1;
  private static final int ENTRIES = 2;

  private final int maxSge;

  public ReceiveQueue(int requests, int maxSge) {
    super(requests, stride(ENTRIES, maxSge));
    this.maxSge = maxSge;
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
