package org.roce4j.emulator;

import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.time.Deadlines;

/** A verb that waits on a virtual network. For the holder of the network's lock. */
final class FabricWait {
  /** How a wait ends. */
  enum Ending {
    /** The wait lasts. */
    NONE,
    /** Its condition holds. */
    SATISFIED,
    /** Its time is over. */
    TIMED_OUT,
    /** Nothing is left to happen, and no thread can change that. */
    ENDLESS,
    /** The network was closed. */
    CLOSED
  }

  final FabricThread thread;
  final BooleanSupplier condition;

  /** The deadline on the network's clock; {@link Deadlines#NEVER}: none. */
  final long deadlineNs;

  /**
   * Signalled when the wait ends or when its thread should check whether there is something to do.
   */
  final Condition signal;

  /** The wait whose readiness hook contains this one; null: none. */
  private final FabricWait outer;

  private Ending end = Ending.NONE;
  private boolean warned;

  /** A wait of the calling thread begins. */
  FabricWait(FabricThread thread, BooleanSupplier condition, long deadlineNs, Condition signal) {
    this.thread = thread;
    this.condition = condition;
    this.deadlineNs = deadlineNs;
    this.signal = signal;
    outer = thread.wait;
    thread.wait = this;
    thread.phase(FabricThread.Phase.WAITING);
  }

  Ending end() {
    return end;
  }

  boolean lasts() {
    return end == Ending.NONE;
  }

  /** Ends the wait. From now on its thread counts as acting, unless it is in a hook. */
  void end(Ending as) {
    end = as;
    if (thread.wait == this && thread.phase() == FabricThread.Phase.WAITING) {
      thread.phase(FabricThread.Phase.ACTING);
    }
    signal.signal();
  }

  /** Called by its thread: the thread no longer waits, whether or not the wait has ended. */
  void leave() {
    thread.phase(FabricThread.Phase.ACTING);
    thread.wait = outer;
  }

  boolean isNewlyWarned() {
    boolean newly = !warned;
    warned = true;
    return newly;
  }
}
