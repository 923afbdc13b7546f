package org.roce4j.simulation;

import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;

/** Who works with one queue pair: the device tells it what completes there. */
interface Participant {
  QueuePair qp();

  ModelledMemory memory();

  void completed(WorkCompletions wcs, int index);

  /** Whether requests may be posted and will be worked on. */
  boolean alive();

  /** Whether all it had to do is done, or can never be done. */
  boolean finished();

  /** After this end said that its send queue is drained: nothing may be sent (or again may be). */
  void quiet(boolean silent);

  /** Its device crashed. */
  void vanish();

  /** Moves the queue pair to ERR: whatever is posted is flushed. */
  void tearDown();

  /** Nothing works any more: what never completed is taken for failed. */
  default void settle() {}

  /** Everything has completed that ever will. */
  void checkAtEnd();

  /** For a person who wants to know why nothing moves. */
  String standing();

  /** The state of a queue pair; UNKNOWN when it was destroyed, or crashed with its device. */
  static QpState stateOf(QueuePair qp) {
    try {
      return qp.state();
    } catch (VerbsException e) {
      return QpState.UNKNOWN;
    }
  }
}
