package org.roce4j.verbs;

import java.util.ArrayDeque;

/**
 * Runs the application's own code for a device: readiness hooks, and callbacks of a test on a
 * virtual network. An exception of that code goes to the thread's uncaught exception handler, and
 * the thread's work for the device goes on. Thread-safe.
 */
public final class Callback {
  /** Hooks that became due while this thread runs another; null if it runs none. */
  private static final ThreadLocal<ArrayDeque<Runnable>> DUE = new ThreadLocal<>();

  private Callback() {}

  /**
   * Runs a readiness hook. Hooks are not nested: a hook that becomes due while its thread runs
   * another, which may have polled, runs when that returns, and only once.
   */
  public static void run(Runnable hook) {
    ArrayDeque<Runnable> due = DUE.get();
    if (due != null) {
      if (!due.contains(hook)) {
        due.add(hook);
      }
      return;
    }
    due = new ArrayDeque<>();
    DUE.set(due);
    try {
      for (Runnable next = hook; next != null; next = due.poll()) {
        contain(next);
      }
    } finally {
      DUE.remove();
    }
  }

  private static void contain(Runnable hook) {
    try {
      hook.run();
    } catch (RuntimeException | Error e) {
      threw(e);
    }
  }

  /** Reports an exception of the application's code. */
  public static void threw(Throwable thrown) {
    Thread current = Thread.currentThread();
    try {
      current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
    } catch (RuntimeException | Error ignored) {
      // The virtual machine, too, ignores an exception of a handler.
    }
  }
}
