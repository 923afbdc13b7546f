package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.DataPath;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.Refusal;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RequiredArgument;

/** {@code struct ibv_cq}. */
sealed class HardwareCompletionQueue extends HardwareObject implements CompletionQueue
    permits HardwareExtendedCompletionQueue {
  private final Object userContext;
  private final HardwareCompletionChannel channel;
  private final DataPath dataPath;
  private final EventDebt completionEvents = new EventDebt();

  HardwareCompletionQueue(
      HardwareContext context,
      long address,
      Object userContext,
      HardwareCompletionChannel channel) {
    super(context, address, Kind.COMPLETION_QUEUE, ObjectStructures.cqHandle(address));
    this.userContext = userContext;
    this.channel = channel;
    this.dataPath = context.dataPath();
  }

  @Override
  int destroy(Frame frame) {
    return library.destroyCq(frame, address);
  }

  @Override
  void awaitAcknowledged() {
    completionEvents.awaitNone();
    super.awaitAcknowledged();
  }

  @Override
  void acknowledgeAll() {
    ackEvents(Integer.MAX_VALUE);
  }

  void eventDelivered() {
    completionEvents.delivered();
  }

  @Override
  public Object userContext() {
    return userContext;
  }

  @Override
  public CompletionChannel channel() {
    return channel;
  }

  @Override
  public int cqe() {
    return inside(() -> ObjectStructures.cqe(address));
  }

  @Override
  public int poll(MemorySegment view, long at, int max) {
    RequiredArgument.check(view, "view");
    if (!gate.enter()) {
      return -Errno.EINVAL.number();
    }
    try {
      return dataPath.pollCq(address, view, at, max);
    } finally {
      gate.leave();
    }
  }

  @Override
  public void requestNotification(boolean solicitedOnly) {
    int errno;
    enter();
    try {
      errno = dataPath.reqNotifyCq(address, solicitedOnly);
    } finally {
      gate.leave();
    }
    if (errno != 0) {
      throw Refusal.of("ibv_req_notify_cq", errno);
    }
  }

  @Override
  public void ackEvents(int count) {
    RequiredArgument.checkNotNegative(count, "count");
    // Not inside the gate: the thread that destroys the queue waits for this.
    int due = completionEvents.acknowledge(count);
    if (due > 0) {
      try (Frame frame = new Frame()) {
        library.ackCqEvents(frame, address, due);
      }
    }
  }

  @Override
  public void resize(int cqe) {
    call(frame -> library.resizeCq(frame, address, cqe));
  }

  @Override
  public void modify(CqModeration moderation) {
    RequiredArgument.check(moderation, "moderation");
    call(frame -> context.extensions().modifyCq(frame, address, moderation));
  }

  @Override
  public String toString() {
    return describe();
  }
}
