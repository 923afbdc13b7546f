package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class OwnershipWordTest {
  private final OwnershipWord word = new OwnershipWord();

  @Test
  void isTakenOnceUntilReleased() {
    assertTrue(word.tryTakeOrMark());
    assertFalse(word.tryTake());
    assertTrue(word.release());
    assertTrue(word.tryTake());
  }

  @Test
  void theHolderRunsAgainForWhoeverCameMeanwhile() {
    assertTrue(word.tryTake());
    assertFalse(word.tryTakeOrMark());
    assertFalse(word.tryTakeOrMark());
    assertFalse(word.release());
    assertTrue(word.taken());
    assertTrue(word.release());
    assertFalse(word.taken());
  }

  @Test
  void anAttemptWithoutAMarkLeavesNone() {
    assertTrue(word.tryTake());
    assertFalse(word.tryTake());
    assertTrue(word.release());
  }

  /** Several threads publish and try; no published work may be left when all have finished. */
  @Test
  void leavesNoPublishedWorkBehind() throws InterruptedException {
    int rounds = 20_000;
    AtomicInteger published = new AtomicInteger();
    AtomicInteger done = new AtomicInteger();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger intruders = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 3; t++) {
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (int i = 0; i < rounds; i++) {
                      published.incrementAndGet();
                      if (word.tryTakeOrMark()) {
                        do {
                          intruders.addAndGet(inside.getAndIncrement());
                          done.set(published.get());
                          inside.decrementAndGet();
                        } while (!word.release());
                      }
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(3 * rounds, done.get());
    assertEquals(0, intruders.get());
  }
}
