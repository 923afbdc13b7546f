package org.roce4j.engine.qp;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.trace.EngineTrace;

/** What a queue pair needs of the engine it lives in. */
public interface QpHost {
  DeadlineHeap deadlines();

  Counters counters();

  EngineTrace trace();

  DeviceFacts device();

  /**
   * A path that is in use until {@link #release}.
   *
   * @param path the canonical object of it
   * @param window what may be in flight on it
   */
  record HeldPath(Path path, PathWindow window) {}

  /** A queue pair uses a path from now on; changes nothing if memory runs out; a control verb. */
  HeldPath hold(Path path);

  /** A queue pair uses a path and its window no more; needs no memory; a control verb. */
  void release(Path path, PathWindow window);

  /**
   * Nothing of the queue pair is in flight any more and it no longer waits for its path: those that
   * wait may have its room.
   */
  void leavePath(QpMachine qp);

  /** The queue pair may have something to send. */
  void activate(QpMachine qp);

  /** There may be room on a path again for those that wait; null: on none. */
  void roomMade(PathWindow window);

  /** The policy of delayed acknowledgements. */
  AckHolding acks();

  /** The policy of held requests. */
  RequestHolding holding();
}
