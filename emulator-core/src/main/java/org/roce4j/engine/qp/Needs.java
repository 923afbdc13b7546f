package org.roce4j.engine.qp;

import org.roce4j.engine.queue.Touchable;
import org.roce4j.engine.requester.Requester;
import org.roce4j.engine.responder.Responder;

/** The parts of a queue pair that a packet will need. */
public enum Needs {
  REQUESTER,
  RESPONDER,
  /** The responder and the oldest receive request. */
  RECEIVE_QUEUE,
  /** The responder and the answers that it keeps for duplicates. */
  ANSWERS;

  /** Touches these parts, as described in {@link Touchable}. */
  long touch(Requester requester, Responder responder, int step) {
    return switch (this) {
      case REQUESTER -> requester.touch(step);
      case RESPONDER -> step == Touchable.ANSWER ? 0 : responder.touch(step);
      case RECEIVE_QUEUE ->
          step == Touchable.ANSWER ? 0 : responder.touch(step) + responder.touchReceives(step);
      case ANSWERS -> responder.touch(step);
    };
  }
}
