package org.roce4j.engine.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * The readiness hooks that are due. They are collected while the engine is held, and its holder
 * runs them after it has released the engine, so that a hook may call the device. Confined to the
 * engine's owner.
 */
public final class ReadySignals {
  private static final List<Runnable> NONE = List.of();

  private List<Runnable> due = new ArrayList<>();
  private boolean eventful;

  /**
   * An event for which a thread may wait was delivered.
   *
   * @param hook hook to run after the release; null: none
   */
  public void event(Runnable hook) {
    eventful = true;
    if (hook != null) {
      due.add(hook);
    }
  }

  /** Whether an event was delivered since the last call. */
  public boolean takeEventful() {
    boolean was = eventful;
    eventful = false;
    return was;
  }

  /** Removes and returns the due hooks. The caller runs them after it has released the engine. */
  public List<Runnable> take() {
    if (due.isEmpty()) {
      return NONE;
    }
    List<Runnable> taken = due;
    due = new ArrayList<>();
    return taken;
  }
}
