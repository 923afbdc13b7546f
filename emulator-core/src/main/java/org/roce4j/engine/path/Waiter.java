package org.roce4j.engine.path;

/** Something that waits, for room on a path or for a moment, and is told when that is over. */
@FunctionalInterface
public interface Waiter {
  /** It may go on. */
  void resume();
}
