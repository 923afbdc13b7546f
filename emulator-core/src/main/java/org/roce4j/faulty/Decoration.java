package org.roce4j.faulty;

import java.lang.reflect.Proxy;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.roce4j.faulty.VerbsRule.Kind;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.Wrapper;

/** Decorates the objects of one device and holds their shared state. */
final class Decoration {
  private static final Set<Kind> OF_EVENTS = Set.of(Kind.LOSE_EVENT);
  static final String FAILED_IT = "a plan of faults failed it: ";

  private final PlanState plan;

  /** The decorator of each object. */
  private final Map<Object, Object> decorators = new IdentityHashMap<>();

  private final Map<Object, DecoratedQueue> queues = new IdentityHashMap<>();
  private final Map<Object, DecoratedChannel> channels = new IdentityHashMap<>();
  private final LateHooks lateHooks = new LateHooks();
  private final Queue<AsyncEvent> made = new ConcurrentLinkedQueue<>();

  /** The rules that moved queue pairs to ERR, by the number of the queue pair. */
  private final Map<Integer, List<VerbsRule>> failed = new ConcurrentHashMap<>();

  /** The rule by which the device failed; null: it works. */
  private volatile VerbsRule fatal;

  /** The program's hook for asynchronous events; null: none. */
  private volatile Runnable hook;

  Decoration(PlanState plan) {
    this.plan = plan;
  }

  PlanState plan() {
    return plan;
  }

  LateHooks lateHooks() {
    return lateHooks;
  }

  /** The decorator of an object; the object itself if its type is not decorated. */
  synchronized Object of(Object object) {
    if (object == null || isDecorator(object)) {
      return object;
    }
    if (object instanceof AsyncEvent event) {
      return ofEvent(event);
    }
    List<Class<?>> types = Calls.TYPES.stream().filter(type -> type.isInstance(object)).toList();
    if (types.isEmpty()) {
      return object;
    }
    Object known = decorators.get(object);
    if (known == null) {
      known =
          Proxy.newProxyInstance(
              QueuePair.class.getClassLoader(),
              Stream.concat(types.stream(), Stream.of(Wrapper.class)).toArray(Class<?>[]::new),
              decorated(object));
      decorators.put(object, known);
    }
    return known;
  }

  /**
   * Whether this decoration made the object. A program's own decorator is decorated like any other
   * object.
   */
  private boolean isDecorator(Object object) {
    return Proxy.isProxyClass(object.getClass())
        && Proxy.getInvocationHandler(object) instanceof DecoratedObject known
        && known.decoration == this;
  }

  private AsyncEvent ofEvent(AsyncEvent event) {
    return event instanceof MadeEvent
        ? event
        : new MadeEvent(
            event.type(),
            (QueuePair) of(event.qp()),
            (CompletionQueue) of(event.cq()),
            (SharedReceiveQueue) of(event.srq()),
            event.portNum(),
            event);
  }

  private DecoratedObject decorated(Object object) {
    return switch (object) {
      case Context context -> new DecoratedContext(context, this);
      case QueuePair qp -> new DecoratedPosting(qp, this);
      case SharedReceiveQueue srq -> new DecoratedPosting(srq, this);
      case WorkRequestBuilder builder -> new DecoratedBuilder(builder, this);
      case CompletionChannel channel -> {
        DecoratedChannel made = new DecoratedChannel(channel, this);
        channels.put(channel, made);
        yield made;
      }
      case ExtendedCompletionQueue cq -> kept(new DecoratedReading(cq, this));
      case CompletionQueue cq -> kept(new DecoratedQueue(cq, this));
      default -> new DecoratedObject(object, this);
    };
  }

  private DecoratedQueue kept(DecoratedQueue queue) {
    queues.put(queue.object, queue);
    return queue;
  }

  /** Forgets the decorator of a destroyed object. */
  synchronized void forget(Object object) {
    decorators.remove(object);
    queues.remove(object);
    channels.remove(object);
    if (object instanceof QueuePair qp) {
      forgetFailure(qp);
      decorators
          .keySet()
          .removeIf(other -> other instanceof WorkRequestBuilder wr && wr.queuePair() == qp);
    }
  }

  /** The refusal of a call by the plan, or null. */
  PlannedRefusal refused(String call, Object object) {
    return refused(call, object, index -> index == 0);
  }

  /**
   * @param has whether the call has a request of that index
   */
  PlannedRefusal refused(String call, Object object, IntPredicate has) {
    if (!Calls.mayFail(call)) {
      return null;
    }
    VerbsRule failure = fatal;
    if (failure != null) {
      return new PlannedRefusal(failure, Errno.EIO, 0);
    }
    PlannedRefusal refusal = null;
    for (VerbsRule rule : plan.choose(call, object, has)) {
      switch (rule.kind()) {
        case REFUSE -> {
          if (refusal == null || rule.index() < refusal.index()) {
            refusal = new PlannedRefusal(rule, Errno.of((int) rule.value()), rule.index());
          }
        }
        case EVENT -> raise(MadeEvent.about(EventType.of((int) rule.value()), of(object)));
        default -> {
          fatal = rule;
          raise(MadeEvent.about(EventType.DEVICE_FATAL, null));
          return new PlannedRefusal(rule, Errno.EIO, 0);
        }
      }
    }
    return refusal;
  }

  void raise(AsyncEvent event) {
    made.add(event);
    Runnable waiting = hook;
    if (waiting != null) {
      waiting.run();
    }
  }

  /** The next event that the plan has made, or null. */
  AsyncEvent made() {
    return made.poll();
  }

  void hook(Runnable value) {
    hook = value;
  }

  /** Whether the plan loses an event of the device. */
  boolean loses(AsyncEvent event) {
    int qpn = event.qp() == null ? VerbsRule.ANY : event.qp().qpNum();
    return !plan.choose(OF_EVENTS, qpn, event.type().value()).isEmpty();
  }

  /** Moves queue pairs to ERR, because a rule failed or lost a completion of theirs. */
  void toError(VerbsRule rule, Predicate<QueuePair> whose) {
    for (QueuePair qp : queuePairs()) {
      if (whose.test(qp)) {
        failed.computeIfAbsent(qp.qpNum(), _ -> new CopyOnWriteArrayList<>()).add(rule);
        try {
          qp.modify(new QpAttr().qpState(QpState.ERR));
        } catch (VerbsException e) {
          // It is in ERR already, or in RESET, where nothing completes.
        }
      }
    }
  }

  /**
   * Why a completion has its status, if a rule gave it or moved its queue pair to ERR; null: the
   * backend knows.
   */
  String whyFailed(int qpn, WcStatus status) {
    List<VerbsRule> rules = failed.getOrDefault(qpn, List.of());
    for (VerbsRule rule : rules) {
      if (rule.kind() == Kind.FAIL && status.value() == rule.value()) {
        return FAILED_IT + rule;
      }
    }
    return rules.isEmpty() || status != WcStatus.WR_FLUSH_ERR
        ? null
        : "flushed because its queue pair failed: " + FAILED_IT + rules.getFirst();
  }

  /** A queue pair was reset or destroyed. */
  void forgetFailure(QueuePair qp) {
    failed.remove(qp.qpNum());
  }

  private synchronized List<QueuePair> queuePairs() {
    return decorators.keySet().stream()
        .filter(QueuePair.class::isInstance)
        .map(QueuePair.class::cast)
        .toList();
  }

  private synchronized List<DecoratedQueue> queues() {
    return List.copyOf(queues.values());
  }

  /** A queue of this channel that has an event of a delayed completion; null: none. */
  Object late(CompletionChannel channel) {
    for (DecoratedQueue queue : queues()) {
      if (queue.faulty.announces(channel)) {
        return of(queue.object);
      }
    }
    return null;
  }

  /** Has the hook of a channel called for delayed completions; null: there is no channel. */
  void watch(CompletionChannel channel) {
    DecoratedChannel watched;
    synchronized (this) {
      watched = channels.get(channel);
    }
    if (watched != null) {
      watched.watch();
    }
  }

  /** Nanoseconds until the next event of a delayed completion on this channel, at least 1. */
  long untilLateNs(CompletionChannel channel) {
    return queues().stream()
        .mapToLong(queue -> Math.max(1, queue.faulty.untilEventNs(channel)))
        .min()
        .orElse(Long.MAX_VALUE);
  }

  /** Notes an event of the decorated queue, and returns its decorator. */
  Object announced(CompletionQueue cq) {
    DecoratedQueue queue;
    synchronized (this) {
      queue = queues.get(cq);
    }
    if (queue != null) {
      queue.faulty.disarm(); // without the lock: a poll holds the queue's and may ask for this one
    }
    return of(cq);
  }
}
