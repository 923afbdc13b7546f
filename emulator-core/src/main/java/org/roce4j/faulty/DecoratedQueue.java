package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/** A completion queue. */
class DecoratedQueue extends DecoratedObject {
  final FaultyQueue faulty;

  /** The rule that refused the last poll; null: none did. */
  private volatile VerbsRule refusedBy;

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

  @Override
  VerbsException explained(String name, VerbsException e) {
    VerbsRule rule = refusedBy != null ? refusedBy : faulty.overflown();
    return rule == null || !name.equals("pollOrThrow")
        ? e
        : new VerbsException(e.errno(), object + ": a plan of faults fails poll: " + rule);
  }

  /** The answer to a call. Delayed completions may be held, or their event requested, after it. */
  Object answer(String name, Method method, Object[] arguments) throws Throwable {
    switch (name) {
      case "poll" -> {
        PlannedRefusal refusal = decoration.refused(name, object);
        refusedBy = refusal == null ? null : refusal.rule();
        return refusal != null
            ? -refusal.errno().number()
            : faulty.poll((MemorySegment) arguments[0], (long) arguments[1], (int) arguments[2]);
      }
      case "ackEvents" -> {
        faulty.acknowledge((int) arguments[0]);
        return null;
      }
      case "whyFailed" -> {
        String why = whyFailed((WorkCompletions) arguments[0], (int) arguments[1]);
        return why != null ? why : called(method, arguments);
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

  /** Null: not the plan's doing, or no completion is meant. */
  private String whyFailed(WorkCompletions completions, int index) {
    CompletionQueue.checkIndex(completions, index);
    WcStatus status = completions.status(index);
    String why = status == null ? null : decoration.whyFailed(completions.qpNum(index), status);
    return why == null ? null : completions.toString(index) + ": " + why;
  }
}
