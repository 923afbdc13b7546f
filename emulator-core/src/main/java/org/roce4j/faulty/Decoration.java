package org.roce4j.faulty;

import java.lang.reflect.Proxy;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.roce4j.faulty.VerbsRule.Kind;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.Wrapper;

/** Decorates the objects of one device, and holds what they have in common. */
final class Decoration {
  private static final Set<Kind> OF_CALLS = Set.of(Kind.REFUSE, Kind.EVENT, Kind.DEVICE_FATAL);
  private static final Set<Kind> OF_EVENTS = Set.of(Kind.LOSE_EVENT);

  private final PlanState plan;
  private final Map<Object, Object> decorators = new IdentityHashMap<>();
  private final Queue<AsyncEvent> made = new ConcurrentLinkedQueue<>();
  private volatile boolean fatal;

  /** What the program wants to be run when an event comes; null: nothing. */
  private volatile Runnable hook;

  Decoration(PlanState plan) {
    this.plan = plan;
  }

  PlanState plan() {
    return plan;
  }

  /** The decorator of an object; the object itself, if none of its kind is decorated. */
  synchronized Object of(Object object) {
    if (object == null || object instanceof Wrapper) {
      return object;
    }
    List<Class<?>> types = Calls.TYPES.stream().filter(type -> type.isInstance(object)).toList();
    return types.isEmpty()
        ? object
        : decorators.computeIfAbsent(object, key -> decorate(key, types));
  }

  private Object decorate(Object object, List<Class<?>> types) {
    return Proxy.newProxyInstance(
        QueuePair.class.getClassLoader(),
        Stream.concat(types.stream(), Stream.of(Wrapper.class)).toArray(Class<?>[]::new),
        new DecoratedObject(object, this));
  }

  /** The object is gone. */
  synchronized void forget(Object object) {
    decorators.remove(object);
  }

  /** The errno with which a call fails, or null. */
  Errno refused(String call, Object object) {
    if (fatal) {
      return Errno.EIO;
    }
    int qpn = object instanceof QueuePair qp ? qp.qpNum() : VerbsRule.ANY;
    Errno errno = null;
    for (VerbsRule rule : plan.choose(OF_CALLS, call, qpn, 0)) {
      switch (rule.kind()) {
        case REFUSE -> errno = errno == null ? Errno.of((int) rule.value()) : errno;
        case EVENT -> raise(MadeEvent.about(EventType.of((int) rule.value()), object));
        default -> {
          fatal = true;
          raise(MadeEvent.about(EventType.DEVICE_FATAL, null));
          errno = Errno.EIO;
        }
      }
    }
    return errno;
  }

  void raise(AsyncEvent event) {
    made.add(event);
    Runnable waiting = hook;
    if (waiting != null) {
      waiting.run();
    }
  }

  /** An event that was made here, or null. */
  AsyncEvent made() {
    return made.poll();
  }

  void hook(Runnable value) {
    hook = value;
  }

  /** Whether the plan loses an event of the device. */
  boolean loses(AsyncEvent event) {
    int qpn = event.qp() == null ? VerbsRule.ANY : event.qp().qpNum();
    return !plan.choose(OF_EVENTS, "", qpn, event.type().value()).isEmpty();
  }

  /** The queue pair of a completion that was made to fail goes to the error state. */
  synchronized void toError(int qpn) {
    for (Object object : decorators.keySet()) {
      if (object instanceof QueuePair qp && qp.qpNum() == qpn) {
        try {
          qp.modify(new QpAttr().qpState(QpState.ERR));
        } catch (VerbsException e) {
          return; // it is there, or in RESET, where nothing completes
        }
      }
    }
  }
}
