package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.verbs.CallerMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.layout.RecvWrLayout;

/** Copies a list of {@code struct ibv_recv_wr} into a receive queue, which may be a shared one. */
final class ReceivePosting {
  private ReceivePosting() {}

  /** Posts the requests up to the first refused one; those before it stay posted. */
  static long post(ReceiveQueue queue, MemorySegment view, long firstWr) {
    if (!CallerMemory.holdsRequests(view)) {
      return PostResult.of(Errno.EFAULT, 0);
    }
    int index = 0;
    queue.lock();
    try {
      for (long wr = firstWr; wr != 0; index++) {
        long at = wr - view.address();
        int count = RecvWrLayout.numSge(view, at);
        if (count < 0 || count > queue.maxSge()) {
          return PostResult.of(Errno.EINVAL, index);
        }
        int slot = queue.claim();
        if (slot < 0) {
          return PostResult.of(Errno.ENOMEM, index);
        }
        queue.fill(slot, view, at);
        queue.filled();
        wr = RecvWrLayout.next(view, at);
      }
      return PostResult.OK;
    } catch (IndexOutOfBoundsException | IllegalStateException | WrongThreadException e) {
      return PostResult.of(Errno.EFAULT, index);
    } catch (OutOfMemoryError e) {
      return PostResult.of(Errno.ENOMEM, index); // memory ran out while the ring grew
    } finally {
      queue.publish();
      queue.unlock();
    }
  }
}
