package org.roce4j.engine.qp;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.trace.EngineTrace;

/** The engine of a queue pair, as the queue pair sees it. */
public interface QpHost {
  DeadlineHeap deadlines();

  Counters counters();

  EngineTrace trace();

  DeviceFacts device();

  /**
   * A path and its window, in use until {@link #release}.
   *
   * @param path the canonical object of the path
   * @param window the window of its peer address
   */
  record HeldPath(Path path, PathWindow window) {}

  /**
   * Takes a path into use for a queue pair. Changes nothing if memory runs out. For control verbs.
   */
  HeldPath hold(Path path);

  /** Ends a queue pair's use of a path and its window. Needs no memory. For control verbs. */
  void release(Path path, PathWindow window);

  /**
   * The queue pair has nothing in flight and no longer waits for room on its path; others may take
   * the room.
   */
  void leavePath(QpMachine qp);

  /** The queue pair may have something to send. */
  void activate(QpMachine qp);

  /** The requester has taken a turn: {@link QpMachine#sent} is due when the train has left. */
  void departs(QpMachine qp);

  /** From now on every turn needs the time before it sends. */
  void needTime();

  /**
   * There may be room again for queue pairs that wait for the window; does nothing if it is null.
   */
  void roomMade(PathWindow window);

  /** The policy of delayed acknowledgements. */
  AckHolding acks();

  /** The policy of held requests. */
  RequestHolding holding();
}
