package org.roce4j.engine.queue;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.memory.ScatterGather;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * A ring of posted receive requests, of one queue pair or shared by several. Shared or not, a
 * request is taken by copying it out ({@code engine.responder}).
 */
public final class ReceiveQueue extends RequestRing {
  private final ScatterGather sges;
  private final long[] wrId;
  private final int[] sgeCount;

  public ReceiveQueue(int requests, int maxSge) {
    super(requests);
    sges = new ScatterGather(slots(), Math.max(1, maxSge));
    wrId = new long[slots()];
    sgeCount = new int[slots()];
  }

  /**
   * Copies a work request into a claimed slot.
   *
   * @throws IndexOutOfBoundsException if an address in the structure lies outside {@code view}
   */
  public void fill(int slot, MemorySegment view, long at) {
    wrId[slot] = RecvWrLayout.wrId(view, at);
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
    sgeCount[slot] = count;
  }

  public boolean isEmpty() {
    return head() == end();
  }

  public ScatterGather sges() {
    return sges;
  }

  public long wrId(int slot) {
    return wrId[slot];
  }

  public int sgeCount(int slot) {
    return sgeCount[slot];
  }
}
