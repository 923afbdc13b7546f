package org.roce4j.engine.queue;

import java.util.concurrent.atomic.AtomicBoolean;

/** Lets one poster at a time fill slots of a queue; held for a few stores, so waiters spin. */
final class PostLock {
  private final AtomicBoolean taken = new AtomicBoolean();

  void lock() {
    while (taken.getOpaque() || !taken.compareAndSet(false, true)) {
      Thread.onSpinWait();
    }
  }

  void unlock() {
    taken.setRelease(false);
  }
}
