package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets one thread at a time into a ring; held for a few stores, so waiters spin. What it protects
 * extends it or stands beside it: no object of its own is looked up in the data path.
 */
class PostLock {
  private static final VarHandle TAKEN;

  static {
    try {
      TAKEN = MethodHandles.lookup().findVarHandle(PostLock.class, "taken", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through TAKEN
  private boolean taken;

  /** Excludes all others that lock. */
  public final void lock() {
    while ((boolean) TAKEN.getOpaque(this) || !TAKEN.compareAndSet(this, false, true)) {
      Thread.onSpinWait();
    }
  }

  public final void unlock() {
    TAKEN.setRelease(this, false);
  }
}
