package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thread that has used a virtual network and is elsewhere. It is a virtual one: the kernel, which
 * knows no made-up time, is not asked.
 */
@Timeout(60)
class FabricThreadTest {
  private final CoupledTime network = new CoupledTime(() -> {});
  private final CoupledTime another = new CoupledTime(() -> {});

  /** A thread that computes until it is told to end. */
  private static final class Computing implements AutoCloseable {
    private final CompletableFuture<FabricThread> started = new CompletableFuture<>();
    private final FabricThread user;
    private volatile boolean ends;

    Computing() {
      Thread.ofVirtual()
          .start(
              () -> {
                started.complete(new FabricThread());
                while (!ends) {
                  Thread.onSpinWait();
                }
              });
      user = started.join();
      user.phase(FabricThread.Phase.OUTSIDE);
    }

    @Override
    public void close() {
      ends = true;
    }
  }

  private boolean letsTimePass(FabricThread user, long seconds) {
    return user.letsTimePass(
        0, new CoupledTime.Company(network), TimeUnit.SECONDS.toNanos(1000 + seconds));
  }

  @Test
  void isWaitedForFromItsLastPollElsewhere() {
    try (Computing thread = new Computing()) {
      FabricThread user = thread.user;
      for (int seconds = 0; seconds < 10; seconds++) {
        assertFalse(letsTimePass(user, seconds), "it computes");
        user.whereabouts().polls(another);
        assertTrue(letsTimePass(user, seconds), "it polls elsewhere");
      }
      assertFalse(letsTimePass(user, 10));
      assertTrue(letsTimePass(user, 11), "it has computed for two seconds");
    }
  }
}
