package org.roce4j.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.layout.WcLayout;

/** Engines push completions while applications poll, arm and resize the ring. */
public final class CompletionStress {
  private CompletionStress() {}

  /** A ring and a count of its events. */
  abstract static class Ring implements CompletionRing.RingListener {
    final CompletionRing ring = new CompletionRing(2, this);
    final AtomicInteger events = new AtomicInteger();

    @Override
    public void completionEvent(int qpNum) {
      events.incrementAndGet();
    }

    @Override
    public void overflow(int qpNum, boolean first) {
      events.addAndGet(100);
    }

    final void push(long wrId) {
      ring.push(wrId, WcStatus.SUCCESS, WcOpcode.SEND, wrId, (int) wrId);
    }

    /** Polls once; returns the wr_id of the completion, 0 if there was none, -1 if it was torn. */
    final int poll() {
      MemorySegment wc = MemorySegment.ofArray(new long[WcLayout.SIZE / Long.BYTES]);
      if (ring.poll(wc, 0, 1) == 0) {
        return 0;
      }
      long wrId = WcLayout.wrId(wc, 0);
      return WcLayout.qpNum(wc, 0) == wrId && WcLayout.byteLen(wc, 0) == wrId ? (int) wrId : -1;
    }
  }

  /**
   * An application arms, then polls, then waits if it found nothing: a completion is polled or
   * raises an event.
   */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "polled; pushed before it was armed")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "polled, and an event besides")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "an event wakes who found nothing")
  @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a lost wake-up")
  @Outcome(expect = FORBIDDEN, desc = "a torn completion or a second event")
  @State
  public static class ArmedAgainstPush extends Ring {
    @Actor
    public void enginePushes() {
      push(1);
    }

    @Actor
    public void applicationArms(II_Result r) {
      ring.arm(false);
      r.r1 = poll();
    }

    @Arbiter
    public void result(II_Result r) {
      r.r2 = events.get();
    }
  }

  /** As {@link ArmedAgainstPush}, while a third thread enlarges the ring. */
  @JCStressTest
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "polled; pushed before it was armed")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "polled, and an event besides")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "an event wakes who found nothing")
  @Outcome(id = "0, 0", expect = FORBIDDEN, desc = "a lost wake-up")
  @Outcome(expect = FORBIDDEN, desc = "a torn completion or a second event")
  @State
  public static class ArmedAgainstResize extends Ring {
    /** The thread that resizes owns every engine that pushes, so one thread does both. */
    @Actor
    public void ownerResizesAndPushes() {
      ring.resize(8);
      push(1);
    }

    @Actor
    public void applicationArms(II_Result r) {
      ring.arm(false);
      r.r1 = poll();
    }

    @Arbiter
    public void result(II_Result r) {
      r.r2 = events.get();
    }
  }

  /** Two engines push: each completion arrives whole and once. */
  @JCStressTest
  @Outcome(id = "3", expect = ACCEPTABLE, desc = "both, once")
  @Outcome(expect = FORBIDDEN, desc = "lost, torn or repeated")
  @State
  public static class TwoEngines extends Ring {
    @Actor
    public void first() {
      push(1);
    }

    @Actor
    public void second() {
      push(2);
    }

    @Arbiter
    public void result(I_Result r) {
      r.r1 = poll() + poll() + poll() + 1000 * events.get();
    }
  }

  /** An engine pushes while an application polls: completions arrive whole, once, in order. */
  @JCStressTest
  @Outcome(
      id = {"0, 12", "1, 2", "12, 0"},
      expect = ACCEPTABLE,
      desc = "both, once, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, torn, repeated or overtaken")
  @State
  public static class PushAgainstPoll extends Ring {
    @Actor
    public void enginePushes() {
      push(1);
      push(2);
    }

    @Actor
    public void applicationPolls(II_Result r) {
      r.r1 = polled();
    }

    @Arbiter
    public void result(II_Result r) {
      r.r2 = polled();
    }

    /** Two polls; their results are the digits of the value. */
    private int polled() {
      int first = poll();
      int second = poll();
      return second == 0 ? first : 10 * first + second;
    }
  }

  /** Two threads poll two completions: each finds one. */
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "each one")
  @Outcome(expect = FORBIDDEN, desc = "found nothing, though one was there; or torn or repeated")
  @State
  public static class TwoPollers extends Ring {
    public TwoPollers() {
      push(1);
      push(2);
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = poll();
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = poll();
    }
  }

  /** The ring is replaced under a poller: completions in it arrive whole, once, in order. */
  @JCStressTest
  @Outcome(
      id = {"12, 3", "123, 0"},
      expect = ACCEPTABLE,
      desc = "all, once, in order")
  @Outcome(expect = FORBIDDEN, desc = "lost, torn, repeated or overtaken")
  @State
  public static class ResizeAgainstPoll extends Ring {
    public ResizeAgainstPoll() {
      push(1);
      push(2);
    }

    /** The thread that resizes owns every engine that pushes, so one thread does both. */
    @Actor
    public void ownerResizesAndPushes() {
      ring.resize(8);
      push(3);
    }

    @Actor
    public void applicationPolls(II_Result r) {
      r.r1 = polled();
    }

    @Arbiter
    public void result(II_Result r) {
      r.r2 = polled();
    }

    /** Three polls; their results are the digits of the value. */
    private int polled() {
      int digits = 0;
      for (int i = 0; i < 3; i++) {
        int one = poll();
        digits = one == 0 ? digits : 10 * digits + one;
      }
      return digits;
    }
  }
}
