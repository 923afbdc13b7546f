package org.roce4j.device;

import java.util.function.BooleanSupplier;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WindowBinding;
import org.roce4j.verbs.Wrapper;

/**
 * {@code ibv_bind_mw}: binds a type 1 window by a request that this class makes and that is
 * executed in the order of the posted ones.
 *
 * @param maySend whether the queue pair's state accepts send requests; called under the queue's
 *     lock
 */
record BindPosting(QueuePair qp, Device device, SendQueue queue, BooleanSupplier maySend) {

  /**
   * Checks and posts the request.
   *
   * @param to null: the window is unbound
   * @throws VerbsException EINVAL; ENOMEM if the send queue is full
   */
  void post(
      MemoryWindow given,
      long wrId,
      int sendFlags,
      MemoryRegion to,
      long address,
      long length,
      int accessFlags) {
    EmulatedMemoryWindow mw = window(given);
    EmulatedMemoryRegion mr = region(to);
    WindowBinding.check(mw, qp, mr, address, length, accessFlags);
    queue.lock();
    try {
      int slot = claim();
      queue.fillBindRequest(slot, wrId, sendFlags);
      queue.fillBind(
          slot,
          mw.window(),
          mr == null ? null : mr.region(),
          mw.window().nextKey(),
          address,
          length,
          accessFlags);
      queue.filled();
    } finally {
      queue.publish();
      queue.unlock();
    }
  }

  private EmulatedMemoryWindow window(MemoryWindow given) {
    MemoryWindow window = Wrapper.innermost(RequiredArgument.check(given, "window"));
    if (qp.qpType() == QpType.UD) {
      throw Errno.EINVAL.refusal("a UD queue pair cannot bind memory windows");
    }
    if (!(window instanceof EmulatedMemoryWindow mw)
        || mw.device != device
        || mw.type() != MwType.TYPE_1) {
      throw Errno.EINVAL.refusal(
          "bind_mw takes a type 1 window of this device, not %s of %s; post BIND_MW for type 2",
          window.type(), window);
    }
    mw.requireOpen();
    return mw;
  }

  private EmulatedMemoryRegion region(MemoryRegion given) {
    MemoryRegion region = Wrapper.innermost(given);
    if (region == null) {
      return null;
    }
    if (!(region instanceof EmulatedMemoryRegion mr && mr.device == device)) {
      throw RequiredArgument.foreign(region, "region");
    }
    mr.requireOpen();
    return mr;
  }

  private int claim() {
    if (!maySend.getAsBoolean()) {
      throw Errno.EINVAL.refusal(
          "a queue pair in %s binds no window: bring it to RTS first", qp.state());
    }
    int slot = queue.claim();
    if (slot < 0) {
      throw Errno.ENOMEM.refusal(
          "the send queue is full: poll completions first, or ask for a larger one");
    }
    return slot;
  }
}
