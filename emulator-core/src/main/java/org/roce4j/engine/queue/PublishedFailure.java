package org.roce4j.engine.queue;

import java.util.concurrent.atomic.AtomicReference;

/** The cause of an engine's failure, written once by the engine's owner and read by any thread. */
public final class PublishedFailure {
  private final AtomicReference<Throwable> cause = new AtomicReference<>();

  /** The cause; null if the engine has not failed. */
  public Throwable get() {
    return cause.get();
  }

  /** Sets the cause unless it is set. Returns whether it was set now. */
  public boolean set(Throwable first) {
    return cause.compareAndSet(null, first);
  }
}
