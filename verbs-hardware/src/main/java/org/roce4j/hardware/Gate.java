package org.roce4j.hardware;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Keeps a C object alive while it is used: a thread that uses it enters; the thread that destroys
 * it shuts the gate and waits until all have left. So use after destruction is an error, never an
 * access to freed memory. Entering and leaving are one atomic addition each.
 */
final class Gate {
  private static final int SHUT = Integer.MIN_VALUE;
  private static final long LOOK_AGAIN_NS = 20_000;

  /** The number of threads inside; the sign bit is set when the gate is shut. */
  private final AtomicInteger state = new AtomicInteger();

  /** Enters, unless the gate is shut; a thread that has entered must leave. */
  boolean enter() {
    if (state.getAndIncrement() >= 0) {
      return true;
    }
    state.getAndDecrement();
    return false;
  }

  /** Whether it is shut; it may be the next moment. */
  boolean isShut() {
    return state.get() < 0;
  }

  void leave() {
    state.getAndDecrement();
  }

  /**
   * Shuts the gate and waits for those inside.
   *
   * @return false if it was shut before
   */
  boolean shut() {
    int before;
    do {
      before = state.get();
      if (before < 0) {
        return false;
      }
    } while (!state.compareAndSet(before, before | SHUT));
    while (state.get() != SHUT) {
      LockSupport.parkNanos(LOOK_AGAIN_NS);
    }
    return true;
  }

  /** Opens it again, after a destruction that was refused. */
  void reopen() {
    state.getAndAdd(SHUT);
  }
}
