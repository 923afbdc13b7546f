package org.roce4j.engine.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Lets one thread at a time change a ring. It is held for a few stores only, so waiting threads
 * spin. A class that it protects extends it, which saves the data path the access to a lock object.
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

  /** Waits until no other thread holds the lock, and takes it. */
  public final void lock() {
    while ((boolean) TAKEN.getOpaque(this) || !TAKEN.compareAndSet(this, false, true)) {
      Thread.onSpinWait();
    }
  }

  public final void unlock() {
    TAKEN.setRelease(this, false);
  }
}
