package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/** Receive requests with several elements, taken by one engine or by one of several. */
class ReceiveQueueTest {
  private static final int LIST_AT = 128;

  private final MemorySegment view = Arena.ofAuto().allocate(256, 8);
  private final ReceiveQueue queue = new ReceiveQueue(4, 3);

  private void post(long wrId, int elements) {
    RecvWrLayout.wrId(view, 0, wrId);
    RecvWrLayout.numSge(view, 0, elements);
    RecvWrLayout.sgList(view, 0, view.address() + LIST_AT);
    for (int i = 0; i < elements; i++) {
      long sge = LIST_AT + (long) i * SgeLayout.SIZE;
      SgeLayout.addr(view, sge, 100 * wrId + i);
      SgeLayout.length(view, sge, 10 + i);
      SgeLayout.lkey(view, sge, -i);
    }
    queue.lock();
    queue.fill(queue.claim(), view, 0);
    queue.filled();
    queue.publish();
    queue.unlock();
  }

  /** The entries of {@link #post}, as they are kept. */
  private static long[] entries(long wrId, int elements) {
    long[] list = new long[elements * 2];
    for (int i = 0; i < elements; i++) {
      list[2 * i] = 100 * wrId + i;
      list[2 * i + 1] = 10L + i << 32 | Integer.toUnsignedLong(-i);
    }
    return list;
  }

  @Test
  void eachElementIsKept() {
    post(5, 3);
    post(6, 0);
    assertEquals(2, queue.end());
    int slot = queue.slot(0);
    assertEquals(3, queue.sgeCount(slot));
    assertEquals(33, queue.length(slot));
    long[] copied = new long[6];
    queue.copyEntries(slot, copied);
    assertArrayEquals(entries(5, 3), copied);
    assertEquals(0, queue.sgeCount(queue.slot(1)));
  }

  @Test
  void oneOfSeveralEnginesTakesWholeRequestsInTheirOrder() {
    post(5, 1);
    post(6, 3);
    long[] taken = new long[ReceiveQueue.recordLongs(3)];
    for (int wrId = 5; wrId <= 6; wrId++) {
      int elements = wrId == 5 ? 1 : 3;
      assertEquals(elements, queue.takeAmongSeveral(taken));
      assertEquals(wrId, taken[ReceiveQueue.WR_ID]);
      long[] list =
          Arrays.copyOfRange(taken, ReceiveQueue.ENTRIES, ReceiveQueue.ENTRIES + 2 * elements);
      assertArrayEquals(entries(wrId, elements), list);
    }
    assertEquals(-1, queue.takeAmongSeveral(taken));
  }

  @Test
  void aLimitIsReportedOnceAndNoneNever() {
    assertFalse(queue.fellBelowWatched());
    post(5, 1);
    queue.watch(1);
    assertFalse(queue.fellBelowWatched(), "it holds one");
    queue.end();
    queue.retire();
    assertTrue(queue.fellBelowWatched());
    assertEquals(0, queue.watched());
    assertFalse(queue.fellBelowWatched());
  }
}
