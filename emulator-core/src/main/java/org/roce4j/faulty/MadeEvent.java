package org.roce4j.faulty;

import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;

/**
 * An event as the program sees it: that no device has raised, or of decorated objects.
 *
 * @param beneath the device's; null: nothing waits for its acknowledgement
 */
record MadeEvent(
    EventType type,
    QueuePair qp,
    CompletionQueue cq,
    SharedReceiveQueue srq,
    int portNum,
    AsyncEvent beneath)
    implements AsyncEvent {
  /** About the object of a call, where the event is about such objects; else about port 1. */
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
