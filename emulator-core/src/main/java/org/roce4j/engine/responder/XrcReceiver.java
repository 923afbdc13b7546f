package org.roce4j.engine.responder;

import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.queue.CompletionRing;

/**
 * A shared receive queue of extended reliable connections, with the memory and completion queue
 * that messages to it use. Several engines may take from its queue at once.
 */
public interface XrcReceiver extends ReceiveSource {
  /** Its number, 24 bits. */
  int srqNumber();

  /** Its XRC domain. */
  XrcScope scope();

  /** The accessor of the message's receive buffers and remote memory. */
  Accessor accessor();

  /** The completion queue of its receives. */
  CompletionRing completions();

  /** Whether it has failed and completes no receive any more. */
  boolean failed();

  @Override
  default boolean shared() {
    return true;
  }
}
