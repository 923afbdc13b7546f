package org.roce4j.engine.path;

/** Waits for room on a path, or for a moment in time. */
@FunctionalInterface
public interface Waiter {
  /** Ends the wait. */
  void resume();
}
