package org.roce4j.engine.responder;

import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.queue.CompletionRing;

/**
 * A shared receive queue of extended reliable connections: what a message that names it is received
 * with. Several engines may take from its queue at once.
 */
public interface XrcReceiver extends ReceiveSource {
  /** Its number, 24 bits. */
  int srqNumber();

  /** The domain that it is in. */
  XrcScope scope();

  /** On whose behalf a message is received, and remote memory is used. */
  Accessor accessor();

  /** Where its receives complete. */
  CompletionRing completions();

  /** Whether it can complete no receive any more. */
  boolean failed();

  @Override
  default boolean shared() {
    return true;
  }
}
