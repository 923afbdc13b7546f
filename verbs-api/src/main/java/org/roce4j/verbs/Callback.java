package org.roce4j.verbs;

import java.util.ArrayDeque;

/**
 * Calls of the application's own code by a device: readiness hooks, and what a test gives a virtual
 * network. What such code throws is its own affair: it is told to the thread's uncaught exception
 * handler, and whatever the thread was doing for the device goes on. Thread-safe.
 */
public final class Callback {
  /** Hooks that have become due while this thread runs one; null: it runs none. */
  private static final ThreadLocal<ArrayDeque<Runnable>> DUE = new ThreadLocal<>();

  private Callback() {}

  /**
   * Runs a readiness hook. Hooks are not nested: one that becomes due while its thread runs a hook,
   * which may have polled, is run when that returns; once, however often it becomes due meanwhile.
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

  /** Tells what the application's code has thrown. */
  public static void threw(Throwable thrown) {
    Thread current = Thread.currentThread();
    try {
      current.getUncaughtExceptionHandler().uncaughtException(current, thrown);
    } catch (RuntimeException | Error ignored) {
      // As the virtual machine does with what a handler throws.
    }
  }
}
