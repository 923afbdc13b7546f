package org.roce4j.engine.queue;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The right to run an engine: {free, held, dirty}. A thread publishes its work, then tries to take
 * the word; if another thread holds it, the word becomes dirty and the holder checks again before
 * it leaves. So there is always a thread that runs published work.
 */
public final class OwnershipWord {
  private static final int FREE = 0;
  private static final int HELD = 1;
  private static final int DIRTY = 2;

  private final AtomicInteger state = new AtomicInteger(FREE);

  /**
   * Takes the engine if it is free; otherwise makes sure that its holder runs once more.
   *
   * @return whether the caller holds it now and must {@link #release} it
   */
  public boolean tryTakeOrMark() {
    while (true) {
      if (state.compareAndSet(FREE, HELD)) {
        return true;
      }
      // A compare-and-set that fails orders nothing: what the caller published must be there
      // before the mark is seen.
      VarHandle.fullFence();
      if (state.get() == DIRTY || state.compareAndSet(HELD, DIRTY)) {
        return false;
      }
    }
  }

  /** Takes the engine if it is free, and leaves no mark otherwise. */
  public boolean tryTake() {
    return state.get() == FREE && state.compareAndSet(FREE, HELD);
  }

  /**
   * Gives the engine back.
   *
   * @return false if work was published meanwhile: the caller still holds it and must run again
   */
  public boolean release() {
    if (state.compareAndSet(HELD, FREE)) {
      return true;
    }
    state.set(HELD);
    VarHandle.fullFence(); // before the caller looks again
    return false;
  }

  /** Whether some thread holds it now. */
  public boolean taken() {
    return state.get() != FREE;
  }
}
