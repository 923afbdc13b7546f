package org.roce4j.engine.queue;

import java.util.concurrent.atomic.AtomicReference;

/** Why an engine has failed, written once by its owner and read by any thread. */
public final class PublishedFailure {
  private final AtomicReference<Throwable> cause = new AtomicReference<>();

  /** The cause, or null while all is well. */
  public Throwable get() {
    return cause.get();
  }

  /** Keeps the first cause; whether this is it. */
  public boolean set(Throwable first) {
    return cause.compareAndSet(null, first);
  }
}
