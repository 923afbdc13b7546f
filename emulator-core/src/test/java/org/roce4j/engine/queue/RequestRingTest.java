package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.RecvWrLayout;
import org.roce4j.verbs.layout.SendWrLayout;

/** The indices of {@link RequestRing}, seen through a {@link ReceiveQueue}. */
class RequestRingTest {

  private final MemorySegment memory = Arena.ofAuto().allocate(4096);

  /** None of its requests is posted, and the next batch begins at the same index. */
  @Test
  void aBatchThatBreaksInItsMiddleLeavesNoRequest() {
    SendQueue queue = new SendQueue(8, 1, 0);
    SendBatch batch = new SendBatch(queue);
    for (int broken = 2; broken >= 0; broken--) {
      batch.clear();
      for (int i = 0; i < 3; i++) {
        batch.begin(i);
        batch.add(WrOpcode.SEND, i == broken ? 1 << 20 : 0, 0, 0); // longer than a record
      }
      queue.lock();
      assertThrows(IndexOutOfBoundsException.class, () -> queue.append(batch));
      queue.publish();
      queue.unlock();
      assertEquals(0, queue.end() - queue.head(), "broken at " + broken);
    }
    batch.clear();
    batch.begin(7);
    batch.add(WrOpcode.SEND, 0, 0, 0);
    queue.lock();
    assertTrue(queue.append(batch));
    queue.publish();
    queue.unlock();
    assertEquals(1, queue.end() - queue.head());
    assertEquals(7, queue.wrId(queue.slot(queue.head())));
  }

  /** Steps: 0, 1: post; 2: retire; 3: clear; 4: read. The model is a queue of wr_ids. */
  @Property(tries = 1000)
  void isABoundedQueueThatGrows(
      @ForAll @IntRange(min = 1, max = 9) int requests,
      @ForAll @Size(max = 100) List<@IntRange(max = 4) Integer> actions) {
    ReceiveQueue ring = new ReceiveQueue(requests, 1);
    assertTrue(ring.capacity() >= requests);
    assertEquals(1, Integer.bitCount(ring.capacity()));
    Queue<Long> model = new ArrayDeque<>();
    long id = 100;
    for (int action : actions) {
      if (action <= 1) {
        ring.lock();
        int slot = ring.claim();
        assertEquals(model.size() == ring.capacity(), slot < 0);
        if (slot >= 0) {
          RecvWrLayout.wrId(memory, 0, ++id);
          ring.fill(slot, memory, 0);
          ring.filled();
          model.add(id);
        }
        ring.publish();
        ring.unlock();
      } else if (action == 2 && !model.isEmpty()) {
        assertEquals(model.size(), ring.end() - ring.head());
        assertEquals(model.remove(), ring.wrId(ring.slot(ring.head())));
        ring.retire();
      } else if (action == 3) {
        ring.clear();
        model.clear();
      } else {
        assertEquals(model.isEmpty(), ring.isEmpty());
        assertEquals(model.size(), ring.end() - ring.head());
        long index = ring.head();
        for (long expected : model) {
          assertEquals(expected, ring.wrId(ring.slot(index++)));
        }
      }
      assertEquals(model.size(), ring.size());
    }
  }

  /**
   * Steps: 0, 1: post; 2: start the oldest request not started, or read; 3: retire the oldest
   * started one.
   */
  @Property(tries = 1000)
  void whatTheRequesterHasNotedGrowsAlong(
      @ForAll @Size(max = 100) List<@IntRange(max = 3) Integer> actions) {
    SendQueue ring = new SendQueue(16, 1, 8);
    long started = 0;
    long posted = 0;
    long seen = 0; // later posts may have made the ring grow
    for (int action : actions) {
      if (action <= 1) {
        ring.lock();
        int slot = ring.claim();
        if (slot >= 0) {
          SendWrLayout.wrId(memory, 0, posted++);
          ring.fill(slot, memory, 0, WrOpcode.SEND);
          ring.fillDestination(slot, null, (int) posted, 0);
          ring.filled();
        }
        ring.publish();
        ring.unlock();
      } else if (action == 2 && started < seen) {
        ring.started(ring.slot(started), 7 * started, (int) started + 1, 3);
        started++;
      } else if (action == 2) {
        seen = ring.end();
      } else if (action == 3 && ring.head() < started) {
        ring.retire();
      }
      for (long i = ring.head(); i < started; i++) {
        int slot = ring.slot(i);
        assertEquals(i, ring.wrId(slot));
        assertEquals((int) i + 1, ring.remoteQpn(slot));
        assertEquals(7 * i, ring.firstPsn(slot));
        assertEquals((int) i + 1, ring.packets(slot));
        assertEquals(3, ring.packetsPerRead(slot));
      }
    }
  }

  /** One thread posts and another takes, whole and in order, while the ring grows. */
  @Test
  void growsUnderAnotherThread() throws InterruptedException {
    for (int round = 0; round < 200; round++) {
      ReceiveQueue ring = new ReceiveQueue(64, 1);
      int requests = 500;
      Thread poster =
          new Thread(
              () -> {
                MemorySegment own = Arena.ofAuto().allocate(64);
                for (int i = 0; i < requests; ) {
                  ring.lock();
                  int slot = ring.claim();
                  if (slot >= 0) {
                    RecvWrLayout.wrId(own, 0, i++);
                    ring.fill(slot, own, 0);
                    ring.filled();
                  }
                  ring.publish();
                  ring.unlock();
                  if (slot < 0) {
                    Thread.yield(); // the other thread may have no processor
                  }
                }
              });
      poster.setDaemon(true);
      poster.start();
      for (int i = 0; i < requests; ) {
        if (!ring.isEmpty()) {
          assertEquals(i++, ring.wrId(ring.slot(ring.head())));
          ring.retire();
        } else {
          Thread.yield();
        }
      }
      poster.join();
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
  void requestsThatComeOneAtATimeTakeTheRoomOfOne() {
    ReceiveQueue ring = new ReceiveQueue(8, 1);
    for (int i = 0; i < 20; i++) {
      ring.lock();
      assertEquals(0, ring.claim());
      ring.filled();
      ring.publish();
      ring.unlock();
      assertEquals(1, ring.end() - ring.head());
      ring.retire();
    }
  }

  @Test
  void aLimitIsKeptBelowAndAboveWhatTheRingWasMadeFor() {
    ReceiveQueue ring = new ReceiveQueue(8, 1);
    assertTrue(ring.limit(3));
    ring.lock();
    for (int i = 0; i < 3; i++) {
      assertTrue(ring.claim() >= 0);
      ring.filled();
    }
    assertEquals(-1, ring.claim());
    ring.publish();
    ring.unlock();
    assertFalse(ring.limit(2), "it holds three");
    ring.end();
    ring.retire();
    assertTrue(ring.limit(2));
    assertTrue(ring.limit(100));
    ring.lock();
    for (int i = 2; i < 100; i++) {
      assertTrue(ring.claim() >= 0);
      ring.filled();
    }
    assertEquals(-1, ring.claim());
    ring.unlock();
  }
}
