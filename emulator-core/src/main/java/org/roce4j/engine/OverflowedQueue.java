package org.roce4j.engine;

/** A completion queue that has lost a completion: it found no room. */
public interface OverflowedQueue {
  /** The queue pairs that use it fail; the owner of an engine that feeds it. */
  void failUsers(Engine by);
}
