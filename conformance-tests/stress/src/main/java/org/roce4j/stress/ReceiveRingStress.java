package org.roce4j.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.verbs.layout.RecvWrLayout;

/** Requests are posted into a ring that begins with one slot and grows during use. */
public final class ReceiveRingStress {
  private static final int REQUESTS = 4;

  private ReceiveRingStress() {}

  /** A ring and the requests taken from it. */
  abstract static class Ring {
    private final ReceiveQueue ring = new ReceiveQueue(REQUESTS, 1);
    private final long[] taken = new long[2 * REQUESTS];
    private int count;

    /** Posts a request whose one buffer has {@code wrId} bytes. */
    final void post(long wrId) {
      int bytes = RecvWrLayout.SIZE + 16;
      MemorySegment request = MemorySegment.ofArray(new long[bytes / Long.BYTES + 1]);
      RecvWrLayout.wrId(request, 0, wrId);
      RecvWrLayout.numSge(request, 0, 1);
      RecvWrLayout.sgList(request, 0, request.address() + RecvWrLayout.SIZE);
      request.set(ValueLayout.JAVA_INT_UNALIGNED, RecvWrLayout.SIZE + 8L, (int) wrId);
      ring.lock();
      int slot = ring.claim();
      ring.fill(slot, request, 0);
      ring.filled();
      ring.publish();
      ring.unlock();
    }

    /** Takes a request if there is one. The length of a torn request differs from its wr_id. */
    final void take() {
      if (!ring.isEmpty() && count < taken.length) {
        int slot = ring.slot(ring.head());
        long wrId = ring.wrId(slot);
        taken[count++] = ring.length(slot) == wrId ? wrId : -1;
        ring.retire();
      }
    }

    final void judge(I_Result r) {
      while (!ring.isEmpty() && count < taken.length) {
        take();
      }
      long first = 0;
      long second = 10;
      int faults = count == REQUESTS ? 0 : 100 + count;
      for (int i = 0; i < count; i++) {
        if (taken[i] == first + 1) {
          first++;
        } else if (taken[i] == second + 1) {
          second++;
        } else {
          faults++;
        }
      }
      r.r1 = faults;
    }
  }

  /** Two threads post: each request arrives once, whole, and in its thread's order. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "each once, in order")
  @Outcome(expect = FORBIDDEN, desc = "a request was lost, torn, repeated or overtaken")
  @State
  public static class TwoPost extends Ring {
    @Actor
    public void first() {
      post(1);
      post(2);
    }

    @Actor
    public void second() {
      post(11);
      post(12);
    }

    @Arbiter
    public void result(I_Result r) {
      judge(r);
    }
  }

  /** One thread posts while the engine's owner takes. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "each once, in order")
  @Outcome(expect = FORBIDDEN, desc = "a request was lost, torn, repeated or overtaken")
  @State
  public static class PostAgainstTake extends Ring {
    @Actor
    public void poster() {
      post(1);
      post(2);
      post(3);
      post(4);
    }

    @Actor
    public void owner() {
      take();
      take();
      take();
    }

    @Arbiter
    public void result(I_Result r) {
      judge(r);
    }
  }
}
