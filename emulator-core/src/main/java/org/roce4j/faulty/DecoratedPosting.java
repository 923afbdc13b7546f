package org.roce4j.faulty;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;

/** A queue pair or a shared receive queue, to which lists are posted. */
final class DecoratedPosting extends DecoratedObject {
  private volatile PlannedRefusal last;

  DecoratedPosting(Object object, Decoration decoration) {
    super(object, decoration);
  }

  @Override
  Object call(String name, Method method, Object[] arguments) throws Throwable {
    return switch (name) {
      case "postSend", "postRecv" -> post(name, method, arguments);
      case "whySendRefused" -> why("postSend", method, arguments);
      case "whyRecvRefused" -> why("postRecv", method, arguments);
      case "modify" -> modify(method, arguments);
      default -> super.call(name, method, arguments);
    };
  }

  private Object modify(Method method, Object[] arguments) throws Throwable {
    Object result = super.call("modify", method, arguments);
    if (object instanceof QueuePair qp && qp.state() == QpState.RESET) {
      decoration.forgetFailure(qp);
    }
    return result;
  }

  private Object post(String name, Method method, Object[] arguments) throws Throwable {
    PostedList list = PostedList.of(name, (MemorySegment) arguments[0], (long) arguments[1]);
    PlannedRefusal refusal = decoration.refused(name, object, list::has);
    last = refusal;
    if (refusal == null) {
      return called(method, arguments);
    }
    long refused = PostResult.of(refusal.errno(), refusal.index());
    if (refusal.index() == 0) {
      return refused;
    }
    long next = list.cutBefore(refusal.index());
    try {
      long result = (long) called(method, arguments);
      return PostResult.errno(result) == 0 ? refused : result;
    } finally {
      list.joinBefore(refusal.index(), next);
    }
  }

  /** Why a list was refused: the plan's reason if it refused the list, else the backend's. */
  private Object why(String name, Method method, Object[] arguments) throws Throwable {
    long result = arguments.length == 3 ? (long) arguments[2] : PostResult.OK;
    PlannedRefusal refusal = last;
    return refusal != null && result == PostResult.of(refusal.errno(), refusal.index())
        ? refusal.why(name)
        : called(method, arguments);
  }
}
