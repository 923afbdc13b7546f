package org.roce4j.engine.responder;

import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.queue.ReceiveQueue;

/**
 * The source of receive requests: the queue pair's own queue or a shared one. Asked again for each
 * message. Confined to the engine's owner.
 */
public interface ReceiveSource {
  /** The queue to take requests from. */
  ReceiveQueue queue();

  /** The protection domain of the receive buffers: a shared queue has one of its own. */
  Domain domain();

  /** Whether the queue is shared: a request then leaves it when taken, not when completed. */
  boolean shared();

  /**
   * A request was taken from a shared queue, whose limit may be reached.
   *
   * @param byQp number of the queue pair that took it
   */
  default void taken(int byQp) {}
}
