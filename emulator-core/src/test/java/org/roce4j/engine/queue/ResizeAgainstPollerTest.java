package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/**
 * A completion queue grows and shrinks under its pollers: no completion is lost, repeated or
 * overtaken. The thread that resizes owns every engine that pushes, so one thread does both here.
 */
class ResizeAgainstPollerTest {
  private static final int PUSHED = 20_000;
  private static final int LARGEST = 64;
  private static final int BATCH = 3;

  private final AtomicInteger events = new AtomicInteger();
  private final AtomicInteger polled = new AtomicInteger();
  private final CompletionRing ring =
      new CompletionRing(
          2,
          new CompletionRing.RingListener() {
            @Override
            public void completionEvent(int qpNum) {
              events.incrementAndGet();
            }

            @Override
            public void overflow(int qpNum, boolean first) {
              throw new AssertionError("a completion found no room");
            }
          });

  private void push(long wrId) {
    ring.push(wrId, WcStatus.SUCCESS, WcOpcode.SEND, wrId, (int) wrId);
  }

  /** Polls until all threads have polled everything; returns this thread's completions. */
  private List<Long> poll() {
    List<Long> mine = new ArrayList<>();
    try (WorkCompletions completions = new WorkCompletions(BATCH)) {
      while (polled.get() < PUSHED) {
        int count = ring.poll(completions.memory(), 0, BATCH);
        for (int i = 0; i < count; i++) {
          mine.add(completions.wrId(i));
          assertEquals(completions.wrId(i), completions.qpNum(i), "torn");
          assertEquals(completions.wrId(i), completions.byteLength(i), "torn");
        }
        polled.addAndGet(count);
      }
    }
    return mine;
  }

  /** Pushes while there is room, and resizes every few completions. */
  private void own() {
    SplittableRandom random = new SplittableRandom(5);
    for (long next = 0; next < PUSHED; next++) {
      while (ring.size() == ring.capacity()) {
        Thread.onSpinWait();
      }
      push(next);
      if (random.nextInt(4) == 0) {
        // The number of entries only decreases: the pollers take, and no other thread pushes.
        assertTrue(ring.resize(Math.max(ring.size(), 1 + random.nextInt(LARGEST))));
      }
    }
  }

  @ParameterizedTest(name = "{0} pollers")
  @ValueSource(ints = {1, 2})
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void everyCompletionIsPolledOnceAndInOrder(int pollers) throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<List<Long>>> told = new ArrayList<>();
      Future<?> owner = threads.submit(this::own);
      for (int i = 0; i < pollers; i++) {
        told.add(threads.submit(this::poll));
      }
      owner.get(50, TimeUnit.SECONDS);
      boolean[] seen = new boolean[PUSHED];
      for (Future<List<Long>> each : told) {
        long before = -1;
        for (long wrId : each.get(50, TimeUnit.SECONDS)) {
          assertTrue(wrId > before, wrId + " came after " + before);
          assertFalse(seen[(int) wrId], wrId + " came twice");
          seen[(int) wrId] = true;
          before = wrId;
        }
      }
    }
    assertEquals(PUSHED, polled.get());
    assertEquals(0, ring.size());
  }

  @Test
  void whatWaitsStaysInOrderThroughGrowingAndShrinkingAroundTheEndOfTheRing() {
    long next = 0;
    long due = 0;
    try (WorkCompletions completions = new WorkCompletions(1)) {
      for (int size : new int[] {3, 5, 2, 64, 4, 9, 4, 2, 7}) {
        assertTrue(ring.resize(size));
        for (int round = 0; round < 2 * size; round++) {
          push(next++);
          assertEquals(1, ring.poll(completions.memory(), 0, 1));
          assertEquals(due++, completions.wrId(0));
        }
        push(next++);
        push(next++);
        assertEquals(2, ring.size());
        assertFalse(ring.resize(1), "it holds two");
        assertTrue(ring.resize(2));
        for (int i = 0; i < 2; i++) {
          assertEquals(1, ring.poll(completions.memory(), 0, 1));
          assertEquals(due++, completions.wrId(0));
        }
      }
    }
    assertEquals(next, due);
  }

  @Test
  void aQueueMadeSmallerRefusesWhatItCannotHoldAndLosesNothing() {
    assertTrue(ring.resize(8));
    for (int i = 0; i < 8; i++) {
      push(i);
    }
    assertFalse(ring.resize(7));
    assertEquals(8, ring.capacity());
    try (WorkCompletions completions = new WorkCompletions(8)) {
      assertEquals(8, ring.poll(completions.memory(), 0, 8));
      for (int i = 0; i < 8; i++) {
        assertEquals(i, completions.wrId(i));
      }
    }
  }
}
