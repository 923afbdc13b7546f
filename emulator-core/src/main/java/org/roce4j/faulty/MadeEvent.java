package org.roce4j.faulty;

import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
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
  /**
   * An event about the object of a call if events of the type concern such objects; else about port
   * 1.
   */
  static MadeEvent about(EventType type, Object object) {
    return new MadeEvent(
        type,
        object instanceof QueuePair qp ? qp : null,
        object instanceof CompletionQueue cq ? cq : null,
        object instanceof SharedReceiveQueue srq ? srq : null,
        type.name().startsWith("PORT") ? 1 : 0,
        null);
  }

  @Override
  public void ack() {
    if (beneath != null) {
      beneath.ack();
    }
  }
}
