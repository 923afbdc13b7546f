package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** The indices of {@link RequestRing}, seen through a {@link ReceiveQueue}. */
class RequestRingTest {

  /** 0, 1: post; 2: retire; 3: clear. The model is a queue of slots. */
  @Property(tries = 300)
  void isABoundedQueue(
      @ForAll @IntRange(min = 1, max = 9) int requests,
      @ForAll @Size(max = 100) List<@IntRange(max = 3) Integer> actions) {
    ReceiveQueue ring = new ReceiveQueue(requests, 1);
    assertTrue(ring.capacity() >= requests);
    assertEquals(1, Integer.bitCount(ring.slots()));
    Queue<Integer> model = new ArrayDeque<>();
    for (int action : actions) {
      if (action <= 1) {
        ring.lock();
        int slot = ring.claim();
        assertEquals(model.size() == ring.capacity(), slot < 0);
        if (slot >= 0) {
          ring.filled();
          model.add(slot);
        }
        ring.publish();
        ring.unlock();
      } else if (action == 2 && !model.isEmpty()) {
        assertEquals(model.remove(), ring.slot(ring.head()));
        ring.retire();
      } else if (action == 3) {
        ring.clear();
        model.clear();
      }
      assertEquals(model.size(), ring.size());
      assertEquals(model.isEmpty(), ring.isEmpty());
      assertEquals(model.size(), ring.end() - ring.head());
    }
  }

  @Test
  void showsNothingBeforeItIsPublished() {
    ReceiveQueue ring = new ReceiveQueue(4, 1);
    ring.lock();
    ring.claim();
    ring.filled();
    assertTrue(ring.isEmpty());
    ring.publish();
    ring.unlock();
    assertEquals(1, ring.size());
  }

  @Test
  void aLimitBelowTheSlotsIsKept() {
    ReceiveQueue ring = new ReceiveQueue(8, 1);
    ring.limit(3);
    ring.lock();
    for (int i = 0; i < 3; i++) {
      assertTrue(ring.claim() >= 0);
      ring.filled();
    }
    assertEquals(-1, ring.claim());
    ring.limit(100);
    assertEquals(8, ring.capacity());
    assertTrue(ring.claim() >= 0);
    ring.unlock();
  }
}
