package org.roce4j.engine.device;

import java.util.LinkedHashSet;
import java.util.Set;
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

  private final Set<EmulatedCompletionQueue> users = new LinkedHashSet<>();

  /** What makes those engines run that feed its completion queues. */
  private Progress feeders;

  EmulatedCompletionChannel(EmulatedContext context) {
    super(context);
    feeders = device.progress();
  }

  CompletionEvents events() {
    return events;
  }

  /** A completion queue announces here from now on; the owner of all engines. */
  void joined(EmulatedCompletionQueue cq) {
    users.add(cq);
    feedersChanged();
  }

  /** A completion queue is gone; the owner of all engines. */
  void left(EmulatedCompletionQueue cq) {
    users.remove(cq);
    feedersChanged();
  }

  /** Threads that wait for other engines than they should now begin anew. */
  void feedersChanged() {
    Progress now = null;
    for (EmulatedCompletionQueue user : users) {
      now = now == null || now == user.feeders() ? user.feeders() : device.progress();
    }
    now = now == null ? device.progress() : now;
    if (feeders != now) {
      feeders = now;
      device.wakeWaiting();
    }
  }

  @Override
  public CompletionQueue getCqEvent() {
    return getCqEvent(Long.MAX_VALUE);
  }

  @Override
  public CompletionQueue getCqEvent(long timeoutNs) {
    CompletionEvents.Source source = events.poll();
    if (source == null) {
      source = await(timeoutNs);
    }
    return source == null ? null : (CompletionQueue) source.owner();
  }

  /** Waits until there is an event, which another thread may take before us: then for the next. */
  private CompletionEvents.Source await(long timeoutNs) {
    long start = device.progress().nowNs();
    long left = timeoutNs;
    while (true) {
      if (isClosed()) {
        throw new VerbsException(Errno.EINVAL, "this completion channel was destroyed");
      }
      Progress progress = feeders;
      boolean inTime = progress.await(condition(progress), left);
      CompletionEvents.Source source = events.poll();
      if (source != null || !inTime) {
        return source;
      }
      if (timeoutNs != Long.MAX_VALUE) {
        left = timeoutNs - (progress.nowNs() - start);
      }
    }
  }

  private BooleanSupplier condition(Progress by) {
    return device.engineCount() == 1
        ? eventOrClosed
        : () -> events.hasEvent() || isClosed() || feeders != by;
  }

  @Override
  public void onEvent(Runnable hook) {
    events.onEvent(hook);
  }

  @Override
  void checkDestroyable() {
    if (!users.isEmpty()) {
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
