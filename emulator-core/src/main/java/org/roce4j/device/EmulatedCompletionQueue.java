package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.OverflowedQueue;
import org.roce4j.engine.Progress;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.queue.CompletionEvents;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.EventModeration;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.engine.time.Deadline;
import org.roce4j.engine.time.Timed;
import org.roce4j.verbs.CallerMemory;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/**
 * A completion queue. Its completion vector names an engine, and a queue pair belongs to the engine
 * of its send completion queue. Other engines feed the queue too if a queue pair's shared receive
 * queue or send completion queue assigns the queue pair to another engine.
 */
class EmulatedCompletionQueue extends EmulatedObject
    implements CompletionQueue, CompletionRing.RingListener, OverflowedQueue {
  private final Object userContext;
  private final EmulatedCompletionChannel channel;
  private final CompletionRing ring;
  private final EventQueue.Source asyncSource = EventQueue.Source.of(this);
  private final CompletionEvents.Source source = new CompletionEvents.Source(this);
  private final Engine engine;
  private final Set<CompletionUser> users = new LinkedHashSet<>();

  private final Feeders feeders;

  /**
   * The events that moderation delays, by the engine of the completion; null until the first one.
   */
  private final HeldEvent[] held;

  EmulatedCompletionQueue(ContextObjects objects, CqInitAttr attr, Engine engine) {
    this(objects, attr, engine, CompletionRing.Kind.PLAIN);
  }

  EmulatedCompletionQueue(
      ContextObjects objects, CqInitAttr attr, Engine engine, CompletionRing.Kind kind) {
    super(objects, ObjectKind.COMPLETION_QUEUE);
    this.engine = engine;
    feeders = new Feeders(device, engine.drive());
    userContext = attr.userContext();
    channel = (EmulatedCompletionChannel) attr.channel();
    ring = new CompletionRing(attr.cqe(), this, kind);
    held = new HeldEvent[device.engineCount()];
  }

  @Override
  void enter() {
    device.counts().add(Limit.MAX_CQ);
    if (channel != null) {
      channel.joined();
    }
  }

  final CompletionRing ring() {
    return ring;
  }

  /** The progress of the engines that feed it. */
  final Progress progress() {
    return feeders.progress();
  }

  /** The engine that its completion vector names. */
  Engine engine() {
    return engine;
  }

  /** Adds a user. For the owner of all engines. */
  void joined(CompletionUser user) {
    if (users.contains(user)) {
      return;
    }
    try {
      users.add(user);
    } catch (OutOfMemoryError e) {
      users.remove(user); // the set may have added the element before it runs out of memory
      throw e;
    }
    feedersChange(user, 1);
  }

  /** Removes a user. For the owner of all engines. */
  void left(CompletionUser user) {
    if (users.remove(user)) {
      feedersChange(user, -1);
    }
  }

  /** Allocates nothing, so that a change can be undone when memory has run out. */
  private void feedersChange(CompletionUser user, int change) {
    List<Engine> engines = user.engines();
    for (int i = 0; i < engines.size(); i++) {
      feeders.count(engines.get(i), change);
      if (channel != null) {
        channel.feedersChange(engines.get(i), change);
      }
    }
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
    RequiredArgument.check(view, "view");
    if (max <= 0) {
      return max < 0 || isClosed() ? -Errno.EINVAL.number() : 0;
    }
    if (!CallerMemory.holdsCompletions(view)) {
      return -Errno.EFAULT.number();
    }
    int count = taken(view, address, max);
    if (count == 0) {
      feeders.progress().advance();
      count = taken(view, address, max);
    }
    if (count == 0) {
      return isClosed() ? -Errno.EINVAL.number() : ring.overflowed() ? -Errno.EIO.number() : 0;
    }
    RequestTrace observed = RequestTrace.of(engine);
    if (observed != null) {
      observed.polled(view, address - view.address(), count);
    }
    return count;
  }

  /**
   * Copies completions into the caller's memory. Returns their number, or the negative errno of an
   * access to that memory.
   */
  private int taken(MemorySegment view, long address, int max) {
    try {
      return ring.poll(view, address - view.address(), max);
    } catch (IndexOutOfBoundsException | IllegalStateException | WrongThreadException e) {
      return -Errno.EFAULT.number();
    }
  }

  @Override
  public void requestNotification(boolean solicitedOnly) {
    requireNotDestroyed();
    ring.arm(solicitedOnly);
  }

  @Override
  public void ackEvents(int count) {
    RequiredArgument.checkNotNegative(count, "count");
    if (channel != null && channel.events().acknowledge(source, count)) {
      objects.wakeWaiting();
    }
  }

  @Override
  public void resize(int cqe) {
    RequiredArgument.checkRange(cqe, 1, device.limit(Limit.MAX_CQE), "cqe");
    whileOpen(
        () -> {
          if (!ContextObjects.withMemory(() -> ring.resize(cqe))) {
            throw Errno.EINVAL.refusal(
                "%s holds more than %d completions: poll them first", this, cqe);
          }
        });
  }

  @Override
  public void modify(CqModeration moderation) {
    RequiredArgument.check(moderation, "moderation");
    whileOpen(
        () -> {
          ring.announceHeld(0);
          ring.moderate(
              moderation.on()
                  ? new EventModeration(moderation.count(), moderation.periodUs() * 1000L)
                  : null);
        });
  }

  // ---- for the owner of an engine that feeds it

  @Override
  public long completedNs(int qpNum) {
    return device.engineOf(qpNum).drive().nowNs();
  }

  @Override
  public void held(int qpNum, long ns) {
    Engine feeder = device.engineOf(qpNum);
    HeldEvent event = held[feeder.index()];
    if (event == null) {
      event = new HeldEvent();
      held[feeder.index()] = event;
    }
    event.qpNum = qpNum;
    feeder.deadlines().set(event.deadline, feeder.drive().nowNs() + ns);
  }

  /** An event that moderation delays until more completions have arrived or its period ends. */
  private final class HeldEvent implements Timed {
    final Deadline deadline = new Deadline(this);
    int qpNum;

    @Override
    public void handleTimeout(long nowNs) {
      ring.announceHeld(qpNum);
    }
  }

  @Override
  public void completionEvent(int qpNum) {
    if (channel != null) {
      device.engineOf(qpNum).signals().event(channel.events().raise(source));
    }
  }

  @Override
  public void overflow(int qpNum, boolean first) {
    Engine feeder = device.engineOf(qpNum);
    feeder.counters().increment(Counter.CQ_OVERFLOW);
    if (first) {
      feeder.overflowed(this);
    }
    QpMachine loser = feeder.queuePairs().find(qpNum);
    if (loser != null && loser.type() == QpType.XRC_RECV) {
      // The queue pair is not a user of this queue, but it must fail, so that its peer gets no
      // acknowledgement of the message.
      feeder.overflowed(by -> loser.enterError(EventType.QP_FATAL));
    }
  }

  /** The queue has lost a completion: it and the queue pairs that use it fail. */
  @Override
  public void failUsers(Engine by) {
    by.signals().event(objects.events().raise(asyncSource, EventType.CQ_ERR));
    for (CompletionUser user : users.toArray(CompletionUser[]::new)) {
      user.queueFailed(by);
    }
  }

  @Override
  BooleanSupplier settled() {
    return () ->
        objects.events().settled(asyncSource)
            && (channel == null || channel.events().settled(source));
  }

  @Override
  boolean isUsed() {
    return !users.isEmpty();
  }

  @Override
  void destroy() {
    checkDestroyable();
    for (int i = 0; i < held.length; i++) {
      if (held[i] != null) {
        device.engine(i).deadlines().cancel(held[i].deadline);
      }
    }
    objects.events().discard(asyncSource);
    if (channel != null) {
      channel.events().discard(source);
      channel.left();
    }
    device.counts().remove(Limit.MAX_CQ);
  }

  @Override
  public String whyFailed(WorkCompletions completions, int index) {
    CompletionQueue.checkIndex(completions, index);
    WcStatus status = completions.status(index);
    if (status != null && status != WcStatus.SUCCESS) {
      String why =
          FailureReason.of(device, completions.qpNum(index), completions.wrId(index), status);
      if (why != null) {
        return completions.toString(index) + ": " + why;
      }
    }
    return CompletionQueue.super.whyFailed(completions, index);
  }

  @Override
  public String toString() {
    return describe();
  }
}
