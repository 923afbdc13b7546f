package org.roce4j.engine;

/** A completion queue that has lost a completion for lack of room. */
public interface OverflowedQueue {
  /** Fails the queue pairs that use it. Called by the owner of an engine that feeds it. */
  void failUsers(Engine by);
}
