package org.roce4j.hardware;

import java.util.concurrent.atomic.AtomicBoolean;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;

/** A delivered event; the object it concerns stays until it is acknowledged. */
final class HardwareAsyncEvent implements AsyncEvent {
  private final HardwareContext context;
  private final EventType type;
  private final HardwareObject object;
  private final int portNum;
  private final AtomicBoolean acknowledged = new AtomicBoolean();

  HardwareAsyncEvent(HardwareContext context, EventType type, HardwareObject object, int portNum) {
    this.context = context;
    this.type = type;
    this.object = object;
    this.portNum = portNum;
    if (object != null) {
      object.asyncEvents.delivered();
    }
  }

  @Override
  public EventType type() {
    return type;
  }

  @Override
  public QueuePair qp() {
    return object instanceof QueuePair qp ? qp : null;
  }

  @Override
  public CompletionQueue cq() {
    return object instanceof CompletionQueue cq ? cq : null;
  }

  @Override
  public SharedReceiveQueue srq() {
    return object instanceof SharedReceiveQueue srq ? srq : null;
  }

  @Override
  public int portNum() {
    return portNum;
  }

  @Override
  public String toString() {
    return describe();
  }

  HardwareObject object() {
    return object;
  }

  @Override
  public void ack() {
    if (!acknowledged.compareAndSet(false, true)) {
      return;
    }
    context.acknowledged(this);
    // For ports and devices there is nothing that C would count.
    if (object != null) {
      try (Frame frame = new Frame()) {
        context
            .library()
            .ackAsyncEvent(frame, ObjectStructures.event(frame, object.address, type.value()));
      }
      object.asyncEvents.acknowledge(1);
    }
  }
}
