package org.roce4j.tools.console;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.roce4j.verbs.text.Wording;

/**
 * Ctrl-C or SIGTERM during work whose partial result is worth printing. Before {@link #begin} a
 * signal ends the process at once. After it the work must poll {@link #asked}, print its result and
 * close this object; then the process ends, at the latest {@link #PATIENCE_S} seconds after the
 * signal. Polling costs one volatile read.
 */
public final class Interruption implements AutoCloseable {
  private static final int PATIENCE_S = 3;

  private final CountDownLatch told = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("interruption").unstarted(this::ask);
  private final PrintWriter err;
  private final Duration patience;
  private volatile boolean asked;

  private boolean begun;

  /** An interruption that prints a line on standard error if no result appears. */
  public Interruption() {
    this(new PrintWriter(System.err, true, StandardCharsets.UTF_8), Duration.ofSeconds(PATIENCE_S));
  }

  /**
   * As {@link #Interruption()}.
   *
   * @param patience how long to wait for the result
   */
  Interruption(PrintWriter err, Duration patience) {
    this.err = err;
    this.patience = patience;
  }

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

  /** Asks the work to end and waits until it has printed its result, or says that it has not. */
  void ask() {
    request();
    try {
      if (!told.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
        err.println(); // there may be a line of progress
        err.println(
            Wording.of("interrupted, but no result came within %d s", patience.toSeconds()));
        err.flush();
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
