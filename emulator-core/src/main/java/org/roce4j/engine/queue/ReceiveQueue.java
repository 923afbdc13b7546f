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

  private final long[] records;
  private final int stride;
  private final ScatterGather sges;

  public ReceiveQueue(int requests, int maxSge) {
    super(requests);
    int entries = Math.max(1, maxSge);
    stride = ENTRIES + entries * ScatterGather.ENTRY_LONGS;
    records = new long[slots() * stride];
    sges = new ScatterGather(records, ENTRIES, stride, entries);
  }

  /**
   * Copies a work request into a claimed slot.
   *
   * @throws IndexOutOfBoundsException if an address in the structure lies outside {@code view}
   */
  public void fill(int slot, MemorySegment view, long at) {
    records[slot * stride + WR_ID] = RecvWrLayout.wrId(view, at);
    int count = RecvWrLayout.numSge(view, at);
    long list = count == 0 ? 0 : RecvWrLayout.sgList(view, at) - view.address();
    for (int i = 0; i < count; i++) {
      long sge = list + (long) i * SgeLayout.SIZE;
      sges.set(
          slot,
          i,
          SgeLayout.addr(view, sge),
          SgeLayout.length(view, sge),
          SgeLayout.lkey(view, sge));
    }
    records[slot * stride + SGE_COUNT] = count;
  }

  public boolean isEmpty() {
    return head() == end();
  }

  public ScatterGather sges() {
    return sges;
  }

  public long wrId(int slot) {
    return records[slot * stride + WR_ID];
  }

  public int sgeCount(int slot) {
    return (int) records[slot * stride + SGE_COUNT];
  }

  @Override
  public long readAhead() {
    return records[slot(head()) * stride];
  }
}
