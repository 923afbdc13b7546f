package org.roce4j.verbs;

/**
 * {@code struct ibv_async_event}. Destroying the object it concerns waits until it is acknowledged.
 */
public interface AsyncEvent {
  EventType type();

  /** The queue pair it concerns, or null. */
  QueuePair qp();

  /** The completion queue it concerns, or null. */
  CompletionQueue cq();

  /** The shared receive queue it concerns, or null. */
  SharedReceiveQueue srq();

  /** The port it concerns, or 0. */
  int portNum();

  /** {@code ibv_ack_async_event}; once per event, more often does nothing. */
  void ack();
}
