package org.roce4j.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.roce4j.drive.HoldWatch;
import org.roce4j.engine.queue.DoorbellList;
import org.roce4j.engine.queue.OwnershipWord;
import org.roce4j.engine.queue.PublishedState;
import org.roce4j.engine.queue.ReceiveQueue;

/** A held request is never forgotten, whichever thread runs the engine in the meantime. */
public final class HoldStress {
  private HoldStress() {}

  private static final class Bell extends PublishedState {
    @Override
    public void rung() {
      // The judgement reads the published requests.
    }
  }

  /**
   * Posters of requests that may be held, and a turn of the engine that takes the posted requests
   * and allows no more to be held.
   */
  abstract static class Posts {
    private final DoorbellList list = new DoorbellList();
    private final OwnershipWord owner = new OwnershipWord();
    private final Bell qp = new Bell();
    private final ReceiveQueue queue = new ReceiveQueue(4, 1);

    /** Whether a turn will come at a deadline; written by the engine's owner. */
    private boolean deadline;

    Posts() {
      qp.publishMayWait(Long.MAX_VALUE);
    }

    final void post() {
      queue.lock();
      queue.claim();
      queue.filled();
      long end = queue.filledEnd();
      queue.publish();
      queue.unlock();
      boolean first = list.ring(qp);
      if (!qp.mayWait(end)) {
        if (owner.tryTakeOrMark()) {
          take();
          release();
        }
      } else if (first && owner.tryTakeOrMark()) {
        deadline = true;
        release();
      }
    }

    final void turn() {
      if (owner.tryTakeOrMark()) {
        take();
        qp.publishMayWait(0);
        release();
      }
    }

    private void release() {
      while (!owner.release()) {
        take();
      }
    }

    private void take() {
      deadline = false;
      for (DoorbellList.Doorbell bell = list.takeAll(); bell != null; ) {
        DoorbellList.Doorbell next = bell.next();
        bell.answer();
        while (!queue.isEmpty()) {
          queue.retire();
        }
        bell = next;
      }
    }

    final void judge(I_Result r) {
      r.r1 = deadline ? 0 : queue.size();
    }
  }

  /** One thread posts twice while another runs the engine. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "taken, or there is a deadline")
  @Outcome(expect = FORBIDDEN, desc = "a request waits for ever")
  @State
  public static class PostAgainstTurn extends Posts {
    @Actor
    public void poster() {
      post();
      post();
    }

    @Actor
    public void owner() {
      turn();
    }

    @Arbiter
    public void result(I_Result r) {
      judge(r);
    }
  }

  /** Two threads post while a third runs the engine. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "taken, or there is a deadline")
  @Outcome(expect = FORBIDDEN, desc = "a request waits for ever")
  @State
  public static class TwoPostAgainstTurn extends Posts {
    @Actor
    public void one() {
      post();
    }

    @Actor
    public void other() {
      post();
    }

    @Actor
    public void owner() {
      turn();
    }

    @Arbiter
    public void result(I_Result r) {
      judge(r);
    }
  }

  /** A deadline is set while a background thread sleeps until the deadline that it knows. */
  abstract static class Deadline {
    private static final long LONG_NS = 1_000_000;
    final HoldWatch watch = new HoldWatch();
    private boolean sleepsLong;
    private boolean woken;

    final void set() {
      woken = watch.until(1000);
    }

    final void sleep(long nowNs) {
      sleepsLong = watch.sleepNs(nowNs, LONG_NS) == LONG_NS;
    }

    final void judge(I_Result r) {
      r.r1 = sleepsLong && !woken ? 1 : 0;
    }
  }

  /** A deadline is set while the background thread goes to sleep. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "it knows the deadline, or is woken")
  @Outcome(expect = FORBIDDEN, desc = "it sleeps over the deadline")
  @State
  public static class DeadlineAgainstSleep extends Deadline {
    @Actor
    public void poster() {
      set();
    }

    @Actor
    public void background() {
      sleep(0);
    }

    @Arbiter
    public void result(I_Result r) {
      judge(r);
    }
  }

  /** A new deadline is set while the background thread takes the one before it. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "it knows the new deadline, or is woken")
  @Outcome(expect = FORBIDDEN, desc = "the new deadline is lost")
  @State
  public static class DeadlineAgainstTaking extends Deadline {
    public DeadlineAgainstTaking() {
      watch.until(500);
    }

    @Actor
    public void poster() {
      set();
    }

    @Actor
    public void background() {
      watch.takeDue(600);
      sleep(600);
    }

    @Arbiter
    public void result(I_Result r) {
      judge(r);
    }
  }
}
