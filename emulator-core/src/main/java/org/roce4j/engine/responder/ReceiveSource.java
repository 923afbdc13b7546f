package org.roce4j.engine.responder;

import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.queue.ReceiveQueue;

/**
 * Where receive requests come from, asked anew for every message: the queue pair's own queue or a
 * shared one. Confined to the engine's owner.
 */
public interface ReceiveSource {
  /** The queue to take from. */
  ReceiveQueue queue();

  /** Whose regions its buffers must be: a shared queue has a domain of its own. */
  Domain domain();

  /** Whether a taken request leaves the queue at once, as those of a shared queue do. */
  boolean shared();

  /**
   * A request was taken out of a shared queue: its limit may have been reached.
   *
   * @param byQp number of the queue pair that took it
   */
  default void taken(int byQp) {}
}
