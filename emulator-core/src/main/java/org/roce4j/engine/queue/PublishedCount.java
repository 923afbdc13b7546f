package org.roce4j.engine.queue;

import java.util.concurrent.atomic.AtomicInteger;

/** A number that the engine's owner changes and any thread reads. */
public final class PublishedCount {
  private final AtomicInteger count = new AtomicInteger();

  /** Adds a number, which may be negative. For the engine's owner. */
  public void add(int more) {
    count.setRelease(count.getPlain() + more);
  }

  public int get() {
    return count.getAcquire();
  }
}
