package org.roce4j.faulty;

import java.lang.reflect.Method;
import java.util.Set;
import org.roce4j.verbs.WorkRequestBuilder;

/** A builder of requests. Its batch is refused as a whole, by {@code complete}. */
final class DecoratedBuilder extends DecoratedObject {
  /** The calls that begin a request. */
  static final Set<String> OPERATIONS =
      Set.of(
          "send",
          "sendImmediate",
          "sendInvalidate",
          "rdmaWrite",
          "rdmaWriteImmediate",
          "rdmaRead",
          "compareAndSwap",
          "fetchAndAdd",
          "atomicWrite",
          "bindMemoryWindow",
          "localInvalidate",
          "flush");

  /** The number of requests in the batch. Used by the thread that builds it. */
  private int requests;

  private volatile PlannedRefusal last;

  DecoratedBuilder(WorkRequestBuilder builder, Decoration decoration) {
    super(builder, decoration);
  }

  @Override
  Object call(String name, Method method, Object[] arguments) throws Throwable {
    switch (name) {
      case "complete" -> {
        return complete();
      }
      case "whyRefused" -> {
        PlannedRefusal refusal = last;
        return refusal != null ? refusal.why("complete") : called(method, arguments);
      }
      default -> {
        Object result = decoration.of(called(method, arguments));
        requests = name.equals("start") ? 0 : OPERATIONS.contains(name) ? requests + 1 : requests;
        return result;
      }
    }
  }

  private int complete() {
    WorkRequestBuilder builder = (WorkRequestBuilder) object;
    int built = requests;
    PlannedRefusal refusal =
        decoration.refused("complete", builder.queuePair(), index -> index == 0 || index < built);
    last = refusal;
    if (refusal == null) {
      return builder.complete();
    }
    builder.abort();
    return refusal.errno().number();
  }
}
