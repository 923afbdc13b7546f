package org.roce4j.engine.device;

import java.util.function.BooleanSupplier;
import org.roce4j.engine.queue.CompletionEvents;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

final class EmulatedCompletionChannel extends EmulatedObject implements CompletionChannel {
  private final CompletionEvents events = new CompletionEvents();

  /** Made once: waiting is part of the data path. */
  private final BooleanSupplier eventOrClosed = () -> events.hasEvent() || isClosed();

  private int users;

  EmulatedCompletionChannel(EmulatedContext context) {
    super(context);
  }

  CompletionEvents events() {
    return events;
  }

  void joined() {
    users++;
  }

  void left() {
    users--;
  }

  @Override
  public CompletionQueue getCqEvent() {
    return getCqEvent(Long.MAX_VALUE);
  }

  @Override
  public CompletionQueue getCqEvent(long timeoutNs) {
    while (true) {
      CompletionEvents.Source source = events.poll();
      if (source != null) {
        return (CompletionQueue) source.owner();
      }
      if (isClosed()) {
        throw new VerbsException(Errno.EINVAL, "this completion channel was destroyed");
      }
      if (!device.progress().await(eventOrClosed, timeoutNs)) {
        return null;
      }
    }
  }

  @Override
  public void onEvent(Runnable hook) {
    events.onEvent(hook);
  }

  @Override
  void checkDestroyable() {
    if (users > 0) {
      throw new VerbsException(
          Errno.EBUSY, "a completion queue uses this channel; destroy the queue first");
    }
  }

  @Override
  void destroy(boolean forced) {
    if (!forced) {
      checkDestroyable();
    }
  }
}
