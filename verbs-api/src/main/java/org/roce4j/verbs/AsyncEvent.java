package org.roce4j.verbs;

/**
 * {@code struct ibv_async_event}. Destroying the object it concerns waits until it is acknowledged.
 */
public interface AsyncEvent {
  /** What happened; the type determines which of the objects below the event concerns. */
  EventType type();

  /** The queue pair it concerns, or null. */
  QueuePair qp();

  /** The completion queue it concerns, or null. */
  CompletionQueue cq();

  /** The shared receive queue it concerns, or null. */
  SharedReceiveQueue srq();

  /** The port it concerns, or 0. */
  int portNum();

  /** {@code ibv_ack_async_event}. Idempotent: further calls for the same event have no effect. */
  void ack();

  /** A description of this event, such as {@code QP_ACCESS_ERR of QP 0x5545bf RC ERR on roce0}. */
  default String describe() {
    Object about = qp() != null ? qp() : cq() != null ? cq() : srq();
    return about != null
        ? type() + " of " + about
        : portNum() != 0 ? type() + " of port " + portNum() : type().toString();
  }
}
