package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.CallerMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.SendWrLayout;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * Checks and copies a list of {@code struct ibv_send_wr} into a send queue (verbs-tables 4 and 7).
 * Allocates nothing.
 */
final class SendPosting {
  private static final int OK = 0;
  private static final int EINVAL = Errno.EINVAL.number();
  private static final int ENOMEM = Errno.ENOMEM.number();

  private SendPosting() {}

  /**
   * Posts the requests up to the first refused one; those before it stay posted. The caller holds
   * the queue's lock.
   */
  static long post(EmulatedQueuePair qp, SendQueue queue, MemorySegment view, long firstWr) {
    if (!CallerMemory.holdsRequests(view)) {
      return PostResult.of(Errno.EFAULT, 0);
    }
    int index = 0;
    try {
      for (long wr = firstWr; wr != 0; index++) {
        long at = wr - view.address();
        int errno = postOne(qp, queue, view, at);
        if (errno != OK) {
          return PostResult.of(errno, index);
        }
        wr = SendWrLayout.next(view, at);
      }
      return PostResult.OK;
    } catch (IndexOutOfBoundsException | IllegalStateException | WrongThreadException e) {
      return PostResult.of(Errno.EFAULT, index);
    } catch (OutOfMemoryError e) {
      return PostResult.of(Errno.ENOMEM, index); // memory ran out while the ring grew
    }
  }

  private static int postOne(EmulatedQueuePair qp, SendQueue queue, MemorySegment view, long at) {
    WrOpcode opcode = WrOpcode.of(SendWrLayout.opcode(view, at));
    int count = SendWrLayout.numSge(view, at);
    if (SendRule.brokenBy(qp.qpType(), queue, opcode, count) != null
        || opcode == WrOpcode.FLUSH) { // the structure has no fields for this operation
      return EINVAL;
    }
    int flags = SendWrLayout.sendFlags(view, at);
    long bytes = SendRule.counts(opcode, flags) ? total(view, at, count) : 0;
    long remote =
        switch (opcode) {
          case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> SendWrLayout.atomicRemoteAddr(view, at);
          default -> SendWrLayout.rdmaRemoteAddr(view, at);
        };
    if (SendRule.brokenByData(qp.maxRdAtomic(), queue, opcode, flags, bytes, remote) != null) {
      return EINVAL;
    }
    return opcode == WrOpcode.BIND_MW
        ? postBind(qp, queue, view, at)
        : postMessage(qp, queue, view, at, opcode);
  }

  private static long total(MemorySegment view, long at, int count) {
    long list = count == 0 ? 0 : SendWrLayout.sgList(view, at) - view.address();
    long total = 0;
    for (int i = 0; i < count; i++) {
      total += Integer.toUnsignedLong(SgeLayout.length(view, list + (long) i * SgeLayout.SIZE));
    }
    return total;
  }

  private static int postMessage(
      EmulatedQueuePair qp, SendQueue queue, MemorySegment view, long at, WrOpcode opcode) {
    EmulatedAddressHandle ah = null;
    if (qp.qpType() == QpType.UD) {
      ah =
          qp.device.handles().get(SendWrLayout.udAh(view, at))
                  instanceof EmulatedAddressHandle found
              ? found
              : null;
      if (ah == null || !ah.serves(qp.pd(), qp.port())) {
        return EINVAL;
      }
    }
    int slot = queue.claim();
    if (slot < 0) {
      return ENOMEM;
    }
    queue.fill(slot, view, at, opcode);
    if (qp.qpType() == QpType.XRC_SEND) {
      queue.fillRemoteSrq(slot, SendWrLayout.xrcRemoteSrqn(view, at) & 0xffffff);
    }
    if (ah != null) {
      queue.fillDestination(
          slot,
          ah.path(),
          SendWrLayout.udRemoteQpn(view, at) & 0xffffff,
          SendWrLayout.udRemoteQkey(view, at));
    }
    queue.filled();
    return OK;
  }

  /** Whether an object belongs to the queue pair's device and is not destroyed. */
  static boolean isAlive(EmulatedQueuePair qp, EmulatedObject object) {
    return qp.device.handles().get(object.nativeHandle()) == object;
  }

  private static int postBind(EmulatedQueuePair qp, SendQueue queue, MemorySegment view, long at) {
    if (!(qp.device.handles().get(SendWrLayout.bindMw(view, at)) instanceof EmulatedMemoryWindow mw)
        || mw.type() != MwType.TYPE_2) {
      return EINVAL;
    }
    long named = SendWrLayout.bindMr(view, at);
    EmulatedMemoryRegion mr =
        qp.device.handles().get(named) instanceof EmulatedMemoryRegion found ? found : null;
    if (mr == null && named != 0) {
      return EINVAL; // it is destroyed; without a region the request would unbind
    }
    int slot = queue.claim();
    if (slot < 0) {
      return ENOMEM;
    }
    queue.fill(slot, view, at, WrOpcode.BIND_MW);
    queue.fillBind(
        slot,
        mw.window(),
        mr == null ? null : mr.region(),
        SendWrLayout.bindRkey(view, at),
        SendWrLayout.bindAddr(view, at),
        SendWrLayout.bindLength(view, at),
        SendWrLayout.bindAccessFlags(view, at));
    queue.filled();
    return OK;
  }
}
