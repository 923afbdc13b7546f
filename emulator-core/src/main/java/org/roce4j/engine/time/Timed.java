package org.roce4j.engine.time;

/** Whose {@link Deadline} may come. */
@FunctionalInterface
public interface Timed {
  /** The deadline has come; it is no longer set. */
  void handleTimeout(long nowNs);
}
