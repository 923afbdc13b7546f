package org.roce4j.hardware;

import java.util.function.LongFunction;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.Wrapper;

/** How a context makes completion queues. */
final class CompletionQueues {
  private final HardwareContext context;

  CompletionQueues(HardwareContext context) {
    this.context = context;
  }

  CompletionQueue createCq(int cqe, Object userContext, CompletionChannel named, int compVector) {
    HardwareCompletionChannel channel = check(cqe, named);
    return along(
        channel,
        at ->
            context.verb(
                frame -> {
                  long cq =
                      context.library().createCq(frame, context.address(), cqe, at, compVector);
                  ObjectStructures.checkCq(cq, context.address(), at, cqe);
                  return context.track(
                      new HardwareCompletionQueue(context, cq, userContext, channel));
                }));
  }

  ExtendedCompletionQueue createCqEx(CqInitAttr attr) {
    HardwareCompletionChannel channel = check(attr.cqe(), attr.channel());
    boolean softRoce = context.isSoftRoce(); // asked first: a refusal must leave no queue behind
    return along(
        channel,
        at ->
            context.verb(
                frame -> {
                  long cq = context.extensions().createCqEx(frame, attr, at);
                  ObjectStructures.checkCq(cq, context.address(), at, attr.cqe());
                  return context.track(
                      new HardwareExtendedCompletionQueue(context, cq, attr, channel, softRoce));
                }));
  }

  /** The channel, or null. */
  private HardwareCompletionChannel check(int cqe, CompletionChannel named) {
    if (cqe < 1) {
      throw new VerbsException(Errno.EINVAL, "cqe must be 1 or more, not " + cqe);
    }
    if (named == null) {
      return null;
    }
    if (Wrapper.innermost(named) instanceof HardwareCompletionChannel own
        && own.context == context) {
      return own;
    }
    throw RequiredArgument.foreign(named, "channel");
  }

  /** Makes something with the address of a channel, or 0. */
  private static <T> T along(HardwareCompletionChannel channel, LongFunction<T> maker) {
    return channel == null ? maker.apply(0) : channel.inside(() -> maker.apply(channel.address));
  }
}
