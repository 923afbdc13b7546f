package org.roce4j.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.roce4j.engine.queue.DoorbellList;
import org.roce4j.engine.queue.DoorbellList.Doorbell;
import org.roce4j.engine.queue.PublishedState;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.verbs.QpState;

/** Posters ring doorbells; the engine's owner hears every one. */
public final class DoorbellStress {
  private DoorbellStress() {}

  private static final class Bell extends PublishedState {
    int published;
    int seen;

    void become(QpState next) {
      publishState(next);
    }

    @Override
    public void rung() {
      // The judgement reads the published work.
    }
  }

  /** Two queue pairs and the list of rung doorbells. */
  abstract static class Bells {
    private final DoorbellList list = new DoorbellList();
    private final Bell first = new Bell();
    private final Bell second = new Bell();
    private int taken;

    final void ringFirst(int work) {
      first.published = work;
      list.ring(first);
    }

    final void ringSecond(int work) {
      second.published = work;
      list.ring(second);
    }

    /** Takes the list, as the engine's owner does. */
    final void take() {
      Doorbell doorbell = list.takeAll();
      while (doorbell != null && taken++ < 10) {
        Doorbell next = doorbell.next();
        doorbell.answer();
        Bell bell = (Bell) doorbell;
        bell.seen = bell.published;
        doorbell = next;
      }
    }

    final void judge(II_Result r) {
      if (list.isRung()) {
        take();
      }
      r.r1 = first.seen + (taken > 4 ? 100 : 0);
      r.r2 = second.seen;
    }
  }

  /** Two threads ring one queue pair; one of them rings another, too. */
  @JCStressTest
  @Outcome(
      id = {"1, 3", "2, 3"},
      expect = ACCEPTABLE,
      desc = "every doorbell was heard")
  @Outcome(expect = FORBIDDEN, desc = "a doorbell was lost, or stood in the list twice")
  @State
  public static class TwoRing extends Bells {
    @Actor
    public void one() {
      ringFirst(1);
      ringSecond(3);
    }

    @Actor
    public void other() {
      ringFirst(2);
    }

    @Arbiter
    public void result(II_Result r) {
      judge(r);
    }
  }

  /** The owner takes the list while doorbells are rung. */
  @JCStressTest
  @Outcome(id = "2, 1", expect = ACCEPTABLE, desc = "every doorbell was heard")
  @Outcome(expect = FORBIDDEN, desc = "a doorbell was lost, or stood in the list twice")
  @State
  public static class RingAgainstTake extends Bells {
    @Actor
    public void poster() {
      ringFirst(1);
      ringSecond(1);
      ringFirst(2);
    }

    @Actor
    public void owner() {
      take();
      take();
    }

    @Arbiter
    public void result(II_Result r) {
      judge(r);
    }
  }

  /** A request is posted while its queue pair fails: the poster or the owner flushes it. */
  @JCStressTest
  @Outcome(
      id = {"0"},
      expect = ACCEPTABLE,
      desc = "everything posted was flushed")
  @Outcome(expect = FORBIDDEN, desc = "a request was left lying")
  @State
  public static class PostAgainstFailure {
    private final DoorbellList list = new DoorbellList();
    private final Bell qp = new Bell();
    private final ReceiveQueue queue = new ReceiveQueue(2, 1);

    @Actor
    public void poster() {
      queue.lock();
      queue.claim();
      queue.filled();
      queue.publish();
      queue.unlock();
      if (qp.stateAfterPublishing() == QpState.ERR) {
        list.ring(qp);
      }
    }

    @Actor
    public void owner() {
      qp.become(QpState.ERR);
      flush();
    }

    private void flush() {
      while (!queue.isEmpty()) {
        queue.retire();
      }
    }

    @Arbiter
    public void result(I_Result r) {
      if (list.takeAll() != null) {
        flush();
      }
      r.r1 = queue.size();
    }
  }
}
