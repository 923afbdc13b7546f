package org.roce4j.device;

import org.roce4j.engine.Engine;

/** A queue pair as its completion queues see it. */
interface CompletionUser {
  /** Where it lives. */
  Engine engine();

  /** A completion queue of it has lost a completion; the owner of an engine, perhaps another. */
  void completionQueueFailed(Engine by);
}
