package org.roce4j.engine.device;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.queue.CompletionEvents;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.VerbsException;

final class EmulatedCompletionQueue extends EmulatedObject
    implements CompletionQueue, CompletionRing.Listener {
  private final Object userContext;
  private final EmulatedCompletionChannel channel;
  private final CompletionRing ring;
  private final EventQueue.Source asyncSource = new EventQueue.Source(this);
  private final CompletionEvents.Source source = new CompletionEvents.Source(this);
  private int users;
  private boolean failed;

  EmulatedCompletionQueue(
      EmulatedContext context, int cqe, Object userContext, EmulatedCompletionChannel channel) {
    super(context);
    this.userContext = userContext;
    this.channel = channel;
    ring = new CompletionRing(cqe, this);
    if (channel != null) {
      channel.joined();
    }
  }

  CompletionRing ring() {
    return ring;
  }

  void joined() {
    users++;
  }

  void left() {
    users--;
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
    return ring.capacity();
  }

  @Override
  public int poll(MemorySegment view, long address, int max) {
    if (max <= 0) {
      return 0;
    }
    int count;
    try {
      long at = address - view.address();
      count = ring.poll(view, at, max);
      if (count == 0) {
        device.progress().advance();
        count = ring.poll(view, at, max);
      }
    } catch (IndexOutOfBoundsException | IllegalStateException | WrongThreadException e) {
      return -Errno.EFAULT.number();
    }
    if (count == 0) {
      return isClosed() ? -Errno.EINVAL.number() : ring.overflowed() ? -Errno.EIO.number() : 0;
    }
    return count;
  }

  @Override
  public void requestNotification(boolean solicitedOnly) {
    ring.arm(solicitedOnly);
  }

  @Override
  public void ackEvents(int count) {
    if (channel != null && channel.events().acknowledge(source, count)) {
      context.wakeWaiting();
    }
  }

  @Override
  public void resize(int cqe) {
    if (cqe <= 0 || cqe > device.limits().maxCqe()) {
      throw new VerbsException(
          Errno.EINVAL, "cqe must be 1 to %d".formatted(device.limits().maxCqe()));
    }
    device
        .progress()
        .exclusively(
            () -> {
              if (!ring.resize(cqe)) {
                throw new VerbsException(
                    Errno.EINVAL,
                    "the completion queue holds more completions than that; poll them first");
              }
            });
  }

  // ---- the engine's owner

  @Override
  public void completionEvent() {
    if (channel != null) {
      device.engine().signals().event(channel.events().raise(source));
    }
  }

  @Override
  public void overflow() {
    device.engine().counters().increment(Counter.CQ_OVERFLOW);
    if (!failed) {
      failed = true;
      device.engine().overflowed(this);
    }
  }

  void raise(EventType type) {
    device.engine().signals().event(context.events().raise(asyncSource, type));
  }

  @Override
  BooleanSupplier settled() {
    return () ->
        context.events().settled(asyncSource)
            && (channel == null || channel.events().settled(source));
  }

  @Override
  void checkDestroyable() {
    if (users > 0) {
      throw new VerbsException(
          Errno.EBUSY, "a queue pair uses this completion queue; destroy the queue pair first");
    }
  }

  @Override
  void destroy(boolean forced) {
    if (!forced) {
      checkDestroyable();
    }
    context.events().discard(asyncSource);
    if (channel != null) {
      channel.events().discard(source);
      channel.left();
    }
    device.countCompletionQueue(-1);
  }
}
