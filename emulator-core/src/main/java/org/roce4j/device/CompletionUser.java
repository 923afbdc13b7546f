package org.roce4j.device;

import java.util.List;
import org.roce4j.engine.Engine;

/** A queue pair, or a shared receive queue of XRC, as the queues that it uses see it. */
interface CompletionUser {
  /** The engines that may complete requests of it. */
  List<Engine> engines();

  /**
   * A completion queue of it has lost a completion, or its shared receive queue has failed; the
   * owner of an engine, perhaps another.
   */
  void queueFailed(Engine by);
}
