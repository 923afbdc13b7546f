package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Set;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.VerbsException;

/** What a decorator of one object does with each call. */
final class DecoratedObject implements InvocationHandler {
  /** Short for calls of the same object, which are asked about on their own. */
  private static final Set<String> SHORT =
      Set.of(
          "poll",
          "pollOrThrow",
          "postSend",
          "postRecv",
          "postSendOrThrow",
          "postRecvOrThrow",
          "bringUp");

  private static final long SLICE_NS = 10_000_000;

  private final Object object;
  private final Decoration decoration;

  /** Null: it is no completion queue. */
  private final FaultyPoll poll;

  DecoratedObject(Object object, Decoration decoration) {
    this.object = object;
    this.decoration = decoration;
    poll = object instanceof CompletionQueue cq ? new FaultyPoll(cq, decoration) : null;
  }

  @Override
  public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    String name = method.getName();
    int count = method.getParameterCount();
    if (method.getDeclaringClass() == Object.class) {
      return name.equals("equals") ? proxy == arguments[0] : called(method, arguments);
    }
    switch (name) {
      case "unwrap" -> {
        return object;
      }
      case "close" -> {
        decoration.forget(object);
        return called(method, arguments);
      }
      case "getAsyncEvent", "pollAsyncEvent" -> {
        return event(method, arguments);
      }
      case "onAsyncEvent" -> decoration.hook((Runnable) arguments[0]);
      default -> {
        if (method.isDefault() && SHORT.contains(name)) {
          return InvocationHandler.invokeDefault(proxy, method, arguments);
        }
      }
    }
    Errno refused = decoration.refused(name, object);
    if (refused != null) {
      return refuse(name, method.getReturnType(), refused);
    }
    if (poll != null && name.equals("poll") && count == 3) {
      return poll.poll((MemorySegment) arguments[0], (long) arguments[1], (int) arguments[2]);
    }
    return decoration.of(called(method, arguments));
  }

  private static Object refuse(String name, Class<?> returned, Errno errno) {
    if (name.equals("postSend") || name.equals("postRecv")) {
      return returned == long.class ? PostResult.of(errno, 0) : errno.number();
    }
    if (name.equals("poll")) {
      return -errno.number();
    }
    throw new VerbsException(errno, "a plan of faults refuses " + name);
  }

  private Object called(Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(object, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** An event that was made here comes first; one that the plan loses is acknowledged. */
  private Object event(Method method, Object[] arguments) throws Throwable {
    boolean waits = method.getName().equals("getAsyncEvent");
    long leftNs = waits && arguments != null ? (long) arguments[0] : Long.MAX_VALUE;
    while (true) {
      AsyncEvent made = decoration.made();
      if (made != null) {
        return made;
      }
      AsyncEvent event = (AsyncEvent) next(waits, Math.min(leftNs, SLICE_NS));
      if (event != null && !decoration.loses(event)) {
        return event;
      }
      if (event != null) {
        event.ack();
      } else if (!waits || leftNs <= SLICE_NS) {
        return decoration.made();
      } else {
        leftNs = leftNs == Long.MAX_VALUE ? leftNs : leftNs - SLICE_NS;
      }
    }
  }

  private Object next(boolean waits, long timeoutNs) {
    Context context = (Context) object;
    return waits ? context.getAsyncEvent(timeoutNs) : context.pollAsyncEvent();
  }
}
