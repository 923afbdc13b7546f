package org.roce4j.device;

import java.util.List;
import org.roce4j.engine.Engine;

/** A queue pair or an XRC shared receive queue, seen from the queues that it uses. */
interface CompletionUser {
  /** The engines that may complete its requests. */
  List<Engine> engines();

  /**
   * One of its completion queues has lost a completion, or its shared receive queue has failed.
   * Called by the owner of an engine, which may be another engine than its own.
   */
  void queueFailed(Engine by);
}
