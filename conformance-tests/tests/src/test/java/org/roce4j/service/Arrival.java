package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.concurrent.TimeUnit;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.WorkCompletions;

/**
 * Polls until something completes, as a program does that never sleeps, but not for ever: a defect
 * that loses a completion must fail the test and name the queue.
 */
public final class Arrival {
  private static final long LIMIT_S = 30;

  private Arrival() {}

  /** Polls until at least one completion is there. */
  public static void await(CompletionQueue cq, WorkCompletions into) {
    long startNs = System.nanoTime();
    while (cq.pollOrThrow(into) == 0) {
      if (System.nanoTime() - startNs > TimeUnit.SECONDS.toNanos(LIMIT_S)) {
        fail("nothing completed in %d s on %s".formatted(LIMIT_S, cq));
      }
      Thread.onSpinWait();
    }
  }
}
