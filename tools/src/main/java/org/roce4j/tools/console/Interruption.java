package org.roce4j.tools.console;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C or SIGTERM during work that can be told half done. The work asks now and then whether it
 * was {@link #asked} to end, prints what it has, and closes this; the process ends then, or {@link
 * #PATIENCE_S} seconds after the signal at the latest. Asking costs one volatile read.
 */
public final class Interruption implements AutoCloseable {
  private static final long PATIENCE_S = 3;

  private final CountDownLatch told = new CountDownLatch(1);
  private final Thread hook = Thread.ofPlatform().name("interruption").unstarted(this::ask);
  private volatile boolean asked;

  private Interruption() {}

  /** Watches for the end of the process from now on. */
  public static Interruption watch() {
    Interruption interruption = new Interruption();
    Runtime.getRuntime().addShutdownHook(interruption.hook);
    return interruption;
  }

  /** One that nobody asks for, for work that cannot be told half done. */
  public static Interruption none() {
    return new Interruption();
  }

  /** Whether the work shall end. */
  public boolean asked() {
    return asked;
  }

  /** Asks the work to end and waits until it has told what it did. */
  void ask() {
    asked = true;
    try {
      if (!told.await(PATIENCE_S, TimeUnit.SECONDS)) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The work has told all; the process may end. Idempotent. */
  @Override
  public void close() {
    told.countDown();
    if (!asked) {
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // The process ends at this moment; the hook does not wait any more.
      }
    }
  }
}
