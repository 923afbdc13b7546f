package org.roce4j.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.roce4j.engine.queue.OwnershipWord;

/**
 * Threads publish work, and the thread that takes the engine runs it. When all threads have
 * finished, all published work has been run, and two threads never ran it at a time.
 */
public final class OwnershipStress {
  private OwnershipStress() {}

  /** An engine that records the published work that it ran. */
  abstract static class Engine {
    private final OwnershipWord word = new OwnershipWord();

    // Written by a poster before it tries to take the engine; read by the engine's owner.
    int firstPublished;
    int secondPublished;

    // Only the engine's owner writes these.
    private int firstRun;
    private int secondRun;
    private int inside;
    private int intrusions;

    /** Announces published work, as posting does. */
    final void post() {
      runIfTaken(word.tryTakeOrMark());
    }

    /** Runs the engine if no thread does, as polling does. */
    final void poll() {
      runIfTaken(word.tryTake());
    }

    private void runIfTaken(boolean taken) {
      if (taken) {
        do {
          if (inside++ != 0) {
            intrusions++;
          }
          firstRun |= firstPublished;
          secondRun |= secondPublished;
          inside--;
        } while (!word.release());
      }
    }

    final void judge(III_Result r) {
      r.r1 = firstRun;
      r.r2 = secondRun;
      r.r3 = intrusions + (word.taken() ? 10 : 0);
    }
  }

  /** Two threads post at the same time. */
  @JCStressTest
  @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "all work was run, by one thread at a time")
  @Outcome(expect = FORBIDDEN, desc = "work was left lying, or two ran at once")
  @State
  public static class TwoPost extends Engine {
    @Actor
    public void first() {
      firstPublished = 1;
      post();
    }

    @Actor
    public void second() {
      secondPublished = 1;
      post();
    }

    @Arbiter
    public void result(III_Result r) {
      judge(r);
    }
  }

  /** One thread posts twice while another polls. A poll leaves no mark when the engine is taken. */
  @JCStressTest
  @Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "all work was run, by one thread at a time")
  @Outcome(expect = FORBIDDEN, desc = "work was left lying, or two ran at once")
  @State
  public static class PostAgainstPoll extends Engine {
    @Actor
    public void posts() {
      firstPublished = 1;
      post();
      secondPublished = 1;
      post();
    }

    @Actor
    public void polls() {
      poll();
      poll();
    }

    @Arbiter
    public void result(III_Result r) {
      judge(r);
    }
  }
}
