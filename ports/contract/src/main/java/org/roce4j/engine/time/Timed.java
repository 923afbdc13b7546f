package org.roce4j.engine.time;

/** The owner of a {@link Deadline}. */
@FunctionalInterface
public interface Timed {
  /** The deadline is due and no longer set. */
  void handleTimeout(long nowNs);
}
