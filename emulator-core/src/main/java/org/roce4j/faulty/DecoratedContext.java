package org.roce4j.faulty;

import java.lang.reflect.Method;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.WcExFlags;

/** An opened device, with the asynchronous events of the device and of the plan. */
final class DecoratedContext extends DecoratedObject {
  private static final long SLICE_NS = 10_000_000;

  DecoratedContext(Context context, Decoration decoration) {
    super(context, decoration);
  }

  @Override
  Object call(String name, Method method, Object[] arguments) throws Throwable {
    switch (name) {
      case "getAsyncEvent", "pollAsyncEvent" -> {
        return event(name.equals("getAsyncEvent"), arguments);
      }
      case "onAsyncEvent" -> decoration.hook((Runnable) arguments[0]);
      case "createCqEx" -> arguments = new Object[] {tellingQpn((CqInitAttr) arguments[0])};
      default -> {
        // The program's attributes are passed on unchanged.
      }
    }
    return super.call(name, method, arguments);
  }

  /** Adds the queue pair number to the fields of a completion, because rules match it. */
  private static CqInitAttr tellingQpn(CqInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    return new CqInitAttr()
        .cqe(attr.cqe())
        .userContext(attr.userContext())
        .channel(attr.channel())
        .compVector(attr.compVector())
        .flags(attr.flags())
        .wcFlags(attr.wcFlags() | WcExFlags.WITH_QP_NUM);
  }

  /**
   * The next event: first those that the plan has made. An event that the plan loses is
   * acknowledged here.
   */
  private Object event(boolean waits, Object[] arguments) {
    long leftNs = waits && arguments != null ? (long) arguments[0] : Long.MAX_VALUE;
    while (true) {
      AsyncEvent made = decoration.made();
      if (made != null) {
        return made;
      }
      AsyncEvent event = next(waits, Math.min(leftNs, SLICE_NS));
      if (event != null && !decoration.loses(event)) {
        return decoration.of(event);
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

  private AsyncEvent next(boolean waits, long timeoutNs) {
    Context context = (Context) object;
    return waits ? context.getAsyncEvent(timeoutNs) : context.pollAsyncEvent();
  }
}
