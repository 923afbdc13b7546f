package org.roce4j.verbs;

import java.util.concurrent.atomic.AtomicReference;

/**
 * What one thread at a time may do between two calls, such as {@code startPoll} and {@code
 * endPoll}, for backends. The program decides how long that takes, so those that wait spin at first
 * and then let other threads run. Thread-safe; taking a free turn allocates nothing.
 */
public final class ThreadTurn {
  /** How often a thread spins for another's turn to end, before it lets others run. */
  private static final int SPINS = 1000;

  private final AtomicReference<Thread> holder = new AtomicReference<>();

  /**
   * Takes the turn; waits while another thread has it.
   *
   * @return false: this thread has it already
   */
  public boolean take() {
    Thread current = Thread.currentThread();
    if (holder.get() == current) {
      return false;
    }
    for (int spins = 0; !holder.compareAndSet(null, current); spins++) {
      if (spins < SPINS) {
        Thread.onSpinWait();
      } else {
        GiveWay.toOthers();
      }
    }
    return true;
  }

  /** Whether this thread has the turn: only it writes its own name, so no order is needed. */
  public boolean isMine() {
    return holder.getPlain() == Thread.currentThread();
  }

  /** Ends the turn, which this thread has. */
  public void end() {
    holder.setRelease(null);
  }

  /** Whose turn it is. */
  @Override
  public String toString() {
    Thread thread = holder.get();
    return thread == null ? "nobody" : thread.getName();
  }
}
