package org.roce4j.engine.queue;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The right to run an engine, in one of three states: free, held, dirty. A thread publishes its
 * work and then tries to take the word. If another thread holds it, the word becomes dirty, and the
 * holder checks for work again before it leaves. So published work always has a thread that runs
 * it.
 */
public final class OwnershipWord {
  private static final int FREE = 0;
  private static final int HELD = 1;
  private static final int DIRTY = 2;

  private final AtomicInteger state = new AtomicInteger(FREE);

  /**
   * Takes the engine if it is free; otherwise makes its holder take another turn.
   *
   * @return whether the caller holds it now and must {@link #release} it
   */
  public boolean tryTakeOrMark() {
    while (true) {
      if (state.compareAndSet(FREE, HELD)) {
        return true;
      }
      // A failed compare-and-set orders nothing, but the holder that sees the mark must also see
      // what the caller published.
      VarHandle.fullFence();
      if (state.get() == DIRTY || state.compareAndSet(HELD, DIRTY)) {
        return false;
      }
    }
  }

  /** Takes the engine if it is free. Does not mark it otherwise. */
  public boolean tryTake() {
    return state.get() == FREE && state.compareAndSet(FREE, HELD);
  }

  /**
   * Releases the engine.
   *
   * @return false if work was published meanwhile: the caller still holds the engine and must take
   *     another turn
   */
  public boolean release() {
    if (state.compareAndSet(HELD, FREE)) {
      return true;
    }
    state.set(HELD);
    VarHandle.fullFence(); // before the caller looks for work again
    return false;
  }

  /** Whether a thread holds it now. */
  public boolean taken() {
    return state.get() != FREE;
  }
}
