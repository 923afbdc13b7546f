package org.roce4j.device;

import java.util.List;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.queue.CompletionEvents;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;

final class EmulatedCompletionChannel extends EmulatedObject implements CompletionChannel {
  /** A longer wait has no limit, so that its deadline does not overflow. */
  private static final long FOR_EVER_NS = Deadlines.NEVER / 2;

  private final CompletionEvents events = new CompletionEvents();

  /** Allocated once, because waiting is part of the data path. */
  private final BooleanSupplier eventOrClosed = () -> events.hasEvent() || isClosed();

  /** The engines that feed any of its completion queues. */
  private final Feeders feeders = new Feeders(device, device.progress());

  private int users;

  EmulatedCompletionChannel(ContextObjects objects) {
    super(objects, ObjectKind.COMPLETION_CHANNEL);
  }

  @Override
  void enter() {}

  CompletionEvents events() {
    return events;
  }

  void joined() {
    users++;
  }

  void left() {
    users--;
  }

  /** Makes waiting threads start again, because other engines feed the channel now. */
  void feedersChange(Engine of, int change) {
    if (feeders.count(of, change)) {
      device.wakeWaiting();
    }
  }

  @Override
  public CompletionQueue getCqEvent() {
    return getCqEvent(Deadlines.NEVER);
  }

  @Override
  public CompletionQueue getCqEvent(long timeoutNs) {
    RequiredArgument.checkNotNegative(timeoutNs, "timeoutNs");
    CompletionEvents.Source source = events.poll();
    if (source == null) {
      WaitingThreads.enter("getCqEvent", this);
      try {
        source = await(timeoutNs < FOR_EVER_NS ? timeoutNs : Deadlines.NEVER);
      } catch (VerbsException e) {
        throw explained(e);
      } finally {
        WaitingThreads.leave();
      }
    }
    return source == null ? null : source.owner();
  }

  /** Waits for an event. If another thread takes it first, waits for the next one. */
  private CompletionEvents.Source await(long timeoutNs) {
    long start = device.progress().nowNs();
    long left = timeoutNs;
    while (true) {
      requireNotDestroyed();
      Progress progress = feeders.progress();
      boolean inTime = progress.await(condition(progress), left);
      CompletionEvents.Source source = events.poll();
      if (source != null || !inTime) {
        return source;
      }
      if (Deadlines.isSet(timeoutNs)) {
        left = timeoutNs - (progress.nowNs() - start);
      }
    }
  }

  /** Explains a wait that cannot end by the steps that the program has forgotten. */
  private VerbsException explained(VerbsException failure) {
    String silence = failure.errno() == Errno.ETIMEDOUT ? silence() : null;
    return silence == null || failure.getMessage().contains(silence)
        ? failure
        : new VerbsException(Errno.ETIMEDOUT, failure.remedy() + "; " + silence, failure);
  }

  /**
   * Why no completion can raise an event on this channel now; null if one can. Reads all objects of
   * the device, for messages. Any thread may call this; it takes no lock.
   */
  String silence() {
    List<EmulatedCompletionQueue> queues =
        device.handles().all(EmulatedCompletionQueue.class).stream()
            .filter(queue -> queue.channel() == this)
            .toList();
    if (queues.isEmpty()) {
      return "no completion queue uses this channel (CqInitAttr.channel)";
    }
    return queues.stream().anyMatch(queue -> queue.ring().armed())
        ? null
        : "none of its completion queues is armed (requestNotification)";
  }

  private BooleanSupplier condition(Progress by) {
    return device.engineCount() == 1
        ? eventOrClosed
        : () -> events.hasEvent() || isClosed() || feeders.progress() != by;
  }

  @Override
  public void onEvent(Runnable hook) {
    if (hook != null) {
      requireNotDestroyed();
    }
    if (events.onEvent(hook)) {
      Callback.run(hook);
    }
  }

  @Override
  boolean isUsed() {
    return users > 0;
  }

  @Override
  void destroy() {
    checkDestroyable();
  }
}
