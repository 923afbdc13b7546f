package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.Refusal;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RequiredArgument;

/** {@code struct ibv_comp_channel}. */
final class HardwareCompletionChannel extends HardwareObject implements CompletionChannel {
  private final EventDescriptor events;

  HardwareCompletionChannel(HardwareContext context, long address) {
    // C numbers channels by their descriptor.
    super(context, address, Kind.COMPLETION_CHANNEL, ObjectStructures.channelFd(address));
    ObjectStructures.checkChannel(address, context.address());
    events =
        new EventDescriptor(
            context.device().name() + "-completion-events", handle(), gate, this::destroyed);
  }

  @Override
  int destroy(Frame frame) {
    return library.destroyCompChannel(frame, address);
  }

  @Override
  void destroyedNow() {
    events.onEvent(null);
  }

  @Override
  public CompletionQueue getCqEvent() {
    return getCqEvent(Long.MAX_VALUE);
  }

  @Override
  public CompletionQueue getCqEvent(long timeoutNs) {
    RequiredArgument.checkNotNegative(timeoutNs, "timeoutNs");
    return events.next(this::takeEvent, timeoutNs);
  }

  private HardwareCompletionQueue takeEvent() {
    try (Frame frame = new Frame()) {
      MemorySegment cq = frame.structure(Long.BYTES);
      MemorySegment cookie = frame.structure(Long.BYTES);
      while (true) {
        int errno = library.getCqEvent(frame, address, cq, cookie);
        if (errno == Errno.EAGAIN.number() || errno == Errno.EINTR.number()) {
          return null;
        }
        if (errno != 0) {
          throw Refusal.of("ibv_get_cq_event", errno);
        }
        long pointer = ObjectStructures.pointer(cq);
        if (context.at(pointer) instanceof HardwareCompletionQueue queue) {
          queue.eventDelivered();
          return queue;
        }
        library.ackCqEvents(frame, pointer, 1);
      }
    }
  }

  @Override
  public int fd() {
    return events.descriptor();
  }

  @Override
  public void onEvent(Runnable hook) {
    events.onEvent(hook);
  }
}
