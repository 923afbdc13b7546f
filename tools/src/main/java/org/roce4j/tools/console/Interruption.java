package org.roce4j.tools.console;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C or SIGTERM during work whose partial result is worth printing. Before {@link #begin} a
 * signal ends the process at once. After it the work must poll {@link #asked}, print its result and
 * close this object; then the process ends, at the latest {@link #PATIENCE_S} seconds after the
 * signal. Polling costs one volatile read.
 */
public final class Interruption implements AutoCloseable {
  private static final long PATIENCE_S = 3;

  private final CountDownLatch told = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("interruption").unstarted(this::ask);
  private volatile boolean asked;

  private boolean begun;

  /** There is a result to print from now on. Idempotent. */
  public void begin() {
    if (!begun) {
      try {
        Runtime.getRuntime().addShutdownHook(hook);
        begun = true;
      } catch (IllegalStateException e) {
        asked = true; // the process is ending
      }
    }
  }

  /** Whether the work should end. */
  public boolean asked() {
    return asked;
  }

  /** Asks the work to end. */
  public void request() {
    asked = true;
  }

  /** Asks the work to end and waits until it has printed its result. */
  void ask() {
    request();
    try {
      if (!told.await(PATIENCE_S, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The result is printed; the process may end. Idempotent. */
  @Override
  public void close() {
    told.countDown();
    if (begun && !asked) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The process is ending; the hook does not wait any more.
      }
    }
  }
}
