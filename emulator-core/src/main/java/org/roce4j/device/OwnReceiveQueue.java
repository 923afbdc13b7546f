package org.roce4j.device;

import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.responder.ReceiveSource;

/** A queue pair's own receive queue. */
record OwnReceiveQueue(ReceiveQueue queue, Domain domain) implements ReceiveSource {
  @Override
  public boolean shared() {
    return false;
  }
}
