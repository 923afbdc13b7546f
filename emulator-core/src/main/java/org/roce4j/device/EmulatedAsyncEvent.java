package org.roce4j.device;

import org.roce4j.engine.queue.EventQueue;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;

/** An event taken from a context's queue. */
record EmulatedAsyncEvent(ContextObjects objects, EventQueue.Delivered delivered)
    implements AsyncEvent {

  @Override
  public EventType type() {
    return delivered.type();
  }

  @Override
  public QueuePair qp() {
    return delivered.source().qp();
  }

  @Override
  public CompletionQueue cq() {
    return delivered.source().cq();
  }

  @Override
  public SharedReceiveQueue srq() {
    return delivered.source().srq();
  }

  @Override
  public int portNum() {
    return delivered.source().portNum();
  }

  @Override
  public String toString() {
    return describe();
  }

  @Override
  public void ack() {
    if (objects.events().acknowledge(delivered)) {
      objects.wakeWaiting();
    }
  }
}
