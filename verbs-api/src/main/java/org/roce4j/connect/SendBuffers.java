package org.roce4j.connect;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * The sending half: buffers of registered memory. A buffer is in use until its request has
 * completed, even after the call that posted it has timed out. Threads take turns.
 */
final class SendBuffers {
  private static final String UNDER_WAY = "a request under way";

  private final Turns turns = new Turns();
  private final CompletionWait completions;
  private final Failures failures;
  private final MemoryRegion region;
  private final Slots slots;
  private final SendRequestList requests;
  private final BitSet free = new BitSet();
  private QueuePair qp;

  SendBuffers(
      CompletionWait completions,
      Failures failures,
      MemoryRegion region,
      Slots slots,
      Arena arena) {
    this.completions = completions;
    this.failures = failures;
    this.region = region;
    this.slots = slots;
    this.requests = new SendRequestList(arena, 1, 1, 0);
    free.set(0, slots.count());
  }

  void attach(QueuePair queuePair) {
    qp = queuePair;
  }

  Turns turns() {
    return turns;
  }

  /**
   * Begins a request in a free buffer; waits for a free buffer.
   *
   * @throws VerbsException ETIMEDOUT if none becomes free in time
   */
  Turn begin(long timeoutNs) {
    long leftNs = turns.begin(timeoutNs);
    if (leftNs == Turns.NONE) {
      throw notAcknowledged(UNDER_WAY);
    }
    boolean begun = false;
    try {
      failures.checkOpen();
      while (free.isEmpty()) {
        awaitOne(leftNs, UNDER_WAY);
      }
      begun = true;
      return new Turn(free.nextSetBit(0), leftNs);
    } finally {
      if (!begun) {
        turns.end();
      }
    }
  }

  /** Waits for a completion and frees its buffer. */
  private void awaitOne(long timeoutNs, String what) {
    if (!completions.next(timeoutNs)) {
      throw notAcknowledged(what);
    }
    WorkCompletions found = completions.found();
    free.set(slots.slotOf(found.wrId(0)));
    if (found.status(0) != WcStatus.SUCCESS) {
      throw failures.failure(completions.cq(), found, what);
    }
  }

  private VerbsException notAcknowledged(String what) {
    return Errno.ETIMEDOUT.refusal(
        "%s was not acknowledged in time and may still be done; %s may be too slow to receive,"
            + " or gone: receive there, or wait longer",
        what, failures.peer());
  }

  /** One request. Its owner holds the lock of this half until it closes the turn. */
  final class Turn implements AutoCloseable {
    private final int slot;
    private final long timeoutNs;

    private Turn(int slot, long timeoutNs) {
      this.slot = slot;
      this.timeoutNs = timeoutNs;
    }

    /** The memory that a request sends from, or that a READ or atomic puts its result into. */
    MemorySegment buffer() {
      return region.memory().asSlice(slots.offset(slot), slots.bytes());
    }

    /** A signaled request for the first {@code length} bytes of the buffer. */
    SendRequestList request(WrOpcode opcode, int length) {
      requests.clear().add().wrId(slots.wrId(slot)).opcode(opcode).flags(SendFlags.SIGNALED);
      return length == 0 ? requests : requests.sge(region, slots.offset(slot), length);
    }

    /**
     * Posts the request and waits for its completion.
     *
     * @param what the request's name in messages of failure
     */
    void run(String what) {
      qp.postSendOrThrow(requests);
      free.clear(slot);
      while (!free.get(slot)) {
        awaitOne(timeoutNs, what);
      }
    }

    @Override
    public void close() {
      turns.end();
    }
  }
}
