package org.roce4j.faulty;

import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.EventType.Target;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;

/**
 * An event for the program: the plan's, or the device's with decorated objects.
 *
 * @param beneath the device's event; null for an event of the plan, which need not be acknowledged
 */
record MadeEvent(
    EventType type,
    QueuePair qp,
    CompletionQueue cq,
    SharedReceiveQueue srq,
    int portNum,
    AsyncEvent beneath)
    implements AsyncEvent {
  /** An event about the object of a call, about port 1, or about the device: as its type says. */
  static MadeEvent about(EventType type, Object object) {
    Target target = type.target();
    return new MadeEvent(
        type,
        target == Target.QUEUE_PAIR ? (QueuePair) object : null,
        target == Target.COMPLETION_QUEUE ? (CompletionQueue) object : null,
        target == Target.SHARED_RECEIVE_QUEUE ? (SharedReceiveQueue) object : null,
        target == Target.PORT ? 1 : 0,
        null);
  }

  @Override
  public void ack() {
    if (beneath != null) {
      beneath.ack();
    }
  }
}
