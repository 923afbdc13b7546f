package org.roce4j.faulty;

import java.lang.reflect.Method;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.VerbsException;

/**
 * A completion channel. The event of a delayed completion comes with that completion: to threads
 * that wait here, and to the readiness hook, which {@link LateHooks} calls then.
 */
final class DecoratedChannel extends DecoratedObject {
  private static final long LOOK_NS = 1_000_000;

  private final CompletionChannel channel;

  /** The program's hook; null: none. */
  private volatile Runnable hook;

  DecoratedChannel(CompletionChannel channel, Decoration decoration) {
    super(channel, decoration);
    this.channel = channel;
  }

  /** Has the hook called when the next delayed completion is due, if there is one. */
  void watch() {
    if (untilLateNs() != Long.MAX_VALUE) {
      decoration.lateHooks().watch(this);
    }
  }

  /** As {@link Decoration#untilLateNs}; without a hook nothing is waited for. */
  long untilLateNs() {
    return hook == null ? Long.MAX_VALUE : decoration.untilLateNs(channel);
  }

  void callHook() {
    Runnable waiting = hook;
    if (waiting != null) {
      waiting.run();
    }
  }

  /**
   * Waits for at most {@code leftNs} on a channel of its own without events. So time passes on the
   * device's clock, on a virtual network too, and no event is taken from the program.
   */
  void letPass(long leftNs) {
    try (CompletionChannel timer = channel.context().createCompletionChannel()) {
      timer.getCqEvent(Math.min(leftNs, LOOK_NS)); // another may be due earlier by then
    }
  }

  @Override
  Object call(String name, Method method, Object[] arguments) throws Throwable {
    if (name.equals("onEvent")) {
      Object set = super.call(name, method, arguments);
      hook = (Runnable) arguments[0];
      watch();
      return set;
    }
    if (!name.equals("getCqEvent")) {
      return super.call(name, method, arguments);
    }
    PlannedRefusal refusal = decoration.refused(name, object);
    if (refusal != null) {
      throw new VerbsException(refusal.errno(), refusal.why(name));
    }
    try {
      return arguments == null ? event(Long.MAX_VALUE) : event((long) arguments[0]);
    } finally {
      watch();
    }
  }

  /**
   * @param timeoutNs timeout; {@link Long#MAX_VALUE}: none
   */
  private Object event(long timeoutNs) {
    long leftNs = timeoutNs;
    while (true) {
      Object late = decoration.late(channel);
      if (late != null) {
        return late;
      }
      long sliceNs = Math.min(leftNs, decoration.untilLateNs(channel));
      CompletionQueue came =
          sliceNs == Long.MAX_VALUE ? channel.getCqEvent() : channel.getCqEvent(sliceNs);
      if (came != null) {
        return decoration.announced(came);
      }
      leftNs = leftNs == Long.MAX_VALUE ? leftNs : leftNs - sliceNs;
      if (leftNs <= 0) {
        return decoration.late(channel);
      }
    }
  }
}
