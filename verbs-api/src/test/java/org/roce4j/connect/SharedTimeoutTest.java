package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A call's timeout is that of its turn and of its work together. */
@Timeout(60)
class SharedTimeoutTest {
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(50);
  private static final long HELD_NS = TimeUnit.MILLISECONDS.toNanos(20);

  private final Turns turns = new Turns();

  @Test
  void aFreeTurnCostsNothing() {
    assertEquals(TIMEOUT_NS, turns.begin(TIMEOUT_NS));
    turns.end();
  }

  @Test
  void theWaitForATurnIsTakenFromTheTimeout() throws InterruptedException {
    turns.begin(TIMEOUT_NS);
    CompletableFuture<Long> left = new CompletableFuture<>();
    Thread second = Thread.ofPlatform().start(() -> left.complete(turns.begin(TIMEOUT_NS)));
    while (second.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    long heldSinceNs = System.nanoTime();
    for (long heldNs = 0; heldNs < HELD_NS; heldNs = System.nanoTime() - heldSinceNs) {
      LockSupport.parkNanos(HELD_NS - heldNs);
    }
    turns.end();
    second.join();
    assertTrue(left.join() <= TIMEOUT_NS - HELD_NS, () -> left.join() + " ns are left");
    assertTrue(left.join() > TIMEOUT_NS / 2, () -> left.join() + " ns are left");
  }

  @Test
  void aTurnThatDoesNotComeInTimeIsNone() throws InterruptedException {
    turns.begin(TIMEOUT_NS);
    CompletableFuture<Long> left = new CompletableFuture<>();
    Thread.ofPlatform().start(() -> left.complete(turns.begin(1_000_000))).join();
    assertEquals(Turns.NONE, left.join());
    turns.end();
  }
}
