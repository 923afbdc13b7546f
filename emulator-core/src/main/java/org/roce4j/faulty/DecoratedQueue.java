package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import org.roce4j.verbs.CompletionQueue;

/** A completion queue. */
class DecoratedQueue extends DecoratedObject {
  final FaultyQueue faulty;

  DecoratedQueue(CompletionQueue cq, Decoration decoration) {
    super(cq, decoration);
    faulty = new FaultyQueue(cq, decoration);
  }

  @Override
  final Object call(String name, Method method, Object[] arguments) throws Throwable {
    try {
      return answer(name, method, arguments);
    } finally {
      decoration.watch(faulty.channel());
    }
  }

  /** The answer to a call. Delayed completions may be held, or their event requested, after it. */
  Object answer(String name, Method method, Object[] arguments) throws Throwable {
    switch (name) {
      case "poll" -> {
        Refusal refusal = decoration.refused(name, object);
        return refusal != null
            ? -refusal.errno().number()
            : faulty.poll((MemorySegment) arguments[0], (long) arguments[1], (int) arguments[2]);
      }
      case "ackEvents" -> {
        faulty.acknowledge((int) arguments[0]);
        return null;
      }
      default -> {
        Object result = super.call(name, method, arguments);
        if (name.equals("requestNotification")) {
          faulty.arm();
        }
        return result;
      }
    }
  }
}
