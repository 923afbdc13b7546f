package org.roce4j.faulty;

import java.lang.reflect.Method;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.VerbsException;

/** A completion channel. The event of a delayed completion comes with that completion. */
final class DecoratedChannel extends DecoratedObject {
  DecoratedChannel(CompletionChannel channel, Decoration decoration) {
    super(channel, decoration);
  }

  @Override
  Object call(String name, Method method, Object[] arguments) throws Throwable {
    if (!name.equals("getCqEvent")) {
      return super.call(name, method, arguments);
    }
    Refusal refusal = decoration.refused(name, object);
    if (refusal != null) {
      throw new VerbsException(refusal.errno(), refusal.why(name));
    }
    return arguments == null ? event(Long.MAX_VALUE) : event((long) arguments[0]);
  }

  /**
   * @param timeoutNs timeout; {@link Long#MAX_VALUE}: none
   */
  private Object event(long timeoutNs) {
    CompletionChannel channel = (CompletionChannel) object;
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
