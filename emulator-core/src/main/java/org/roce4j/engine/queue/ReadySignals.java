package org.roce4j.engine.queue;

import java.util.ArrayList;
import java.util.List;

/**
 * Readiness hooks that are due. They are gathered while the engine is held and run by its holder
 * after release, so that a hook may call back into the device. Confined to the engine's owner.
 */
public final class ReadySignals {
  private static final List<Runnable> NONE = List.of();

  private List<Runnable> due = new ArrayList<>();
  private boolean eventful;

  /**
   * An event was delivered, for which a thread may wait.
   *
   * @param hook to be run after release; null for none
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

  /** Takes what is due; the caller runs it after release. */
  public List<Runnable> take() {
    if (due.isEmpty()) {
      return NONE;
    }
    List<Runnable> taken = due;
    due = new ArrayList<>();
    return taken;
  }
}
