package org.roce4j.connect;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Locale;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/**
 * The receiving half. Every buffer is posted, except that of a message being read. A message whose
 * reader throws, or whose buffer the device does not take back, stays the next message. Threads
 * take turns.
 */
final class Inbox {
  private static final int NONE = -1;

  private final Turns turns = new Turns();
  private final CompletionWait completions;
  private final Failures failures;
  private final MemoryRegion region;
  private final Slots slots;
  private final RecvRequestList requests;
  private QueuePair qp;
  private int waiting = NONE;

  Inbox(
      CompletionWait completions,
      Failures failures,
      MemoryRegion region,
      Slots slots,
      Arena arena) {
    this.completions = completions;
    this.failures = failures;
    this.region = region;
    this.slots = slots;
    this.requests = new RecvRequestList(arena, 1, 1);
  }

  /** Reads one message in its buffer. */
  interface Reader<T> {
    /**
     * @param buffer all bytes received, including the network header of a datagram
     * @param completion of the receive, at index 0
     */
    T read(MemorySegment buffer, WorkCompletions completion);
  }

  /** Posts every buffer. */
  void attach(QueuePair queuePair) {
    qp = queuePair;
    for (int slot = 0; slot < slots.count(); slot++) {
      post(slot);
    }
  }

  private void post(int slot) {
    requests.clear().add().wrId(slots.wrId(slot)).sge(region, slots.offset(slot), slots.bytes());
    qp.postRecvOrThrow(requests);
  }

  Turns turns() {
    return turns;
  }

  /**
   * Waits for the next message and calls the reader.
   *
   * @throws VerbsException ETIMEDOUT if none comes in time
   */
  <T> T next(long timeoutNs, Reader<T> reader) {
    long leftNs = turns.begin(timeoutNs);
    if (leftNs == Turns.NONE) {
      throw noMessage(timeoutNs);
    }
    try {
      failures.checkOpen();
      if (waiting == NONE && !awaitMessage(leftNs)) {
        throw noMessage(timeoutNs);
      }
      WorkCompletions found = completions.found();
      // The bytes of an RDMA WRITE with immediate data are not in the receive buffer.
      boolean carries = found.opcode(0) != WcOpcode.RECV_RDMA_WITH_IMM;
      int length = carries ? found.byteLength(0) : 0;
      T read = reader.read(region.memory().asSlice(slots.offset(waiting), length), found);
      post(waiting);
      waiting = NONE;
      return read;
    } finally {
      turns.end();
    }
  }

  private boolean awaitMessage(long timeoutNs) {
    if (!completions.next(timeoutNs)) {
      return false;
    }
    if (completions.found().status(0) != WcStatus.SUCCESS) {
      throw failures.failure(completions.cq(), completions.found(), "a receive");
    }
    waiting = slots.slotOf(completions.found().wrId(0));
    return true;
  }

  private VerbsException noMessage(long timeoutNs) {
    return Errno.ETIMEDOUT.refusal(
        "no message came from %s within %s; does it send, and to this end? A longer Duration"
            + " waits longer; a virtual network, though, waits for no thread that sleeps before"
            + " it sends",
        failures.peer(),
        Duration.ofNanos(timeoutNs).toString().substring(2).toLowerCase(Locale.ROOT));
  }
}
