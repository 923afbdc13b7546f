package org.roce4j.stress;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.function.BooleanSupplier;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.roce4j.drive.LeaderSeat;
import org.roce4j.engine.queue.OwnershipWord;
import org.roce4j.engine.time.Deadlines;

/**
 * Threads lead, follow and leave. A sleeping thread is woken by the actions of the others: no
 * thread sleeps on after all others have left or fallen asleep. (In a device the background thread
 * would wake it a millisecond later; here no thread does.)
 */
public final class LeaderSeatStress {
  private static final long WITHOUT_LIMIT = Long.MAX_VALUE;

  private LeaderSeatStress() {}

  /** A seat whose threads count their sleep, in the port or outside it. */
  abstract static class Seat implements LeaderSeat.Parking {
    /** The thread that would stand in for a leader; it never runs. */
    private final Thread standIn = new Thread(() -> {});

    final LeaderSeat seat = new LeaderSeat(standIn, this::wakePort, this);

    /**
     * Actors that neither sleep nor have finished; this and the following fields are guarded by
     * this object's monitor.
     */
    private int awake;

    /** Wake-ups that followers have not taken, by thread; at most two threads follow. */
    private final Thread[] permits = new Thread[2];

    private final Thread[] parked = new Thread[2];
    private boolean portPermit;
    private boolean portAsleep;
    private int overslept;
    private boolean standInWoken;

    Seat(int actors) {
      awake = actors;
    }

    @Override
    public final void park(long limitNs) {
      Thread me = Thread.currentThread();
      synchronized (this) {
        if (take(permits, me)) {
          return;
        }
        put(parked, me);
        awake--;
      }
      sleep(() -> take(permits, me));
      synchronized (this) {
        take(parked, me);
      }
    }

    @Override
    public final synchronized void unpark(Thread follower) {
      if (take(parked, follower)) {
        awake++;
      }
      if (follower == standIn) {
        standInWoken = true;
      } else if (!holds(permits, follower)) {
        put(permits, follower);
      }
    }

    /** Sleeps as a leader does, once. A real leader would check the port and sleep again. */
    final void sleepInPort() {
      synchronized (this) {
        if (portPermit) {
          return;
        }
        portAsleep = true;
        awake--;
      }
      sleep(() -> portPermit);
    }

    private synchronized void wakePort() {
      portPermit = true;
      if (portAsleep) {
        portAsleep = false;
        awake++;
      }
    }

    private void sleep(BooleanSupplier woken) {
      while (true) {
        synchronized (this) {
          if (woken.getAsBoolean()) {
            return;
          }
          if (awake == 0) {
            overslept++;
            return;
          }
        }
        Thread.onSpinWait();
      }
    }

    /** The actor has finished. */
    final synchronized void gone() {
      awake--;
    }

    final synchronized int overslept() {
      return overslept;
    }

    final synchronized boolean standInWoken() {
      return standInWoken;
    }

    private static boolean holds(Thread[] places, Thread thread) {
      return places[0] == thread || places[1] == thread;
    }

    private static void put(Thread[] places, Thread thread) {
      places[places[0] == null ? 0 : 1] = thread;
    }

    private static boolean take(Thread[] places, Thread thread) {
      for (int i = 0; i < places.length; i++) {
        if (places[i] == thread) {
          places[i] = null;
          return true;
        }
      }
      return false;
    }
  }

  /** A turn delivers an event to a thread that is about to follow. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "the follower has seen the event, or was woken")
  @Outcome(expect = FORBIDDEN, desc = "the follower sleeps, and its event is there")
  @State
  public static class EventForAFollower extends Seat {
    private volatile boolean event;

    public EventForAFollower() {
      super(2);
      seat.tryTake();
    }

    @Actor
    public void follower() {
      seat.follow(() -> event, WITHOUT_LIMIT);
      gone();
    }

    @Actor
    public void turn() {
      event = true;
      seat.wakeWaiting();
      gone();
    }

    @Arbiter
    public void arbiter(I_Result r) {
      r.r1 = overslept();
    }
  }

  /** The leader leaves while another thread finds the seat taken. */
  @JCStressTest
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the follower leads")
  @Outcome(expect = FORBIDDEN, desc = "the follower sleeps, and nobody leads")
  @State
  public static class LeaderLeaves extends Seat {
    private boolean leads;

    public LeaderLeaves() {
      super(2);
      seat.enter();
      seat.tryTake();
    }

    @Actor
    public void leader() {
      seat.vacate();
      seat.leave();
      gone();
    }

    @Actor
    public void follower() {
      seat.enter();
      while (!seat.tryTake() && overslept() == 0) {
        seat.follow(() -> false, WITHOUT_LIMIT);
      }
      leads = true;
      gone();
    }

    @Arbiter
    public void arbiter(II_Result r) {
      r.r1 = overslept();
      r.r2 = leads && !seat.isFree() ? 1 : 0;
    }
  }

  /** The leader leaves, and the woken follower leaves, too, because its own event has come. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "both followers were woken, or did not sleep")
  @Outcome(expect = FORBIDDEN, desc = "a follower sleeps, and nobody leads")
  @State
  public static class AllLeave extends Seat {
    public AllLeave() {
      super(3);
      seat.enter();
      seat.tryTake();
    }

    @Actor
    public void leader() {
      seat.vacate();
      seat.leave();
      gone();
    }

    @Actor
    public void first() {
      followOnce();
    }

    @Actor
    public void second() {
      followOnce();
    }

    private void followOnce() {
      seat.enter();
      seat.follow(() -> false, WITHOUT_LIMIT);
      seat.leave();
      gone();
    }

    @Arbiter
    public void arbiter(I_Result r) {
      r.r1 = overslept();
    }
  }

  /** A turn delivers an event to a thread that is about to wait and never leads. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "the thread has seen the event, or was woken")
  @Outcome(expect = FORBIDDEN, desc = "the thread sleeps, and its event is there")
  @State
  public static class EventForADependant extends Seat {
    private volatile boolean event;

    public EventForADependant() {
      super(2);
      seat.tryTake();
    }

    @Actor
    public void dependant() {
      seat.depend();
      if (!event) {
        park(WITHOUT_LIMIT);
      }
      seat.dependNoMore();
      gone();
    }

    @Actor
    public void turn() {
      event = true;
      seat.wakeWaiting();
      gone();
    }

    @Arbiter
    public void arbiter(I_Result r) {
      r.r1 = overslept();
    }
  }

  /** The leader leaves while a thread arrives that waits and never leads. */
  @JCStressTest
  @Outcome(id = "1", expect = ACCEPTABLE, desc = "the stand-in was woken, and leads")
  @Outcome(expect = FORBIDDEN, desc = "a thread waits, and nobody leads")
  @State
  public static class LeaderLeavesADependant extends Seat {
    public LeaderLeavesADependant() {
      super(2);
      seat.enter();
      seat.tryTake();
    }

    @Actor
    public void leader() {
      seat.vacate();
      seat.leave();
      gone();
    }

    @Actor
    public void dependant() {
      seat.depend();
      gone();
    }

    @Arbiter
    public void arbiter(I_Result r) {
      r.r1 = standInWoken() ? 1 : 0;
    }
  }

  /** A thread sets a timer while the leader goes to sleep. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "the leader knows of the timer, or was woken")
  @Outcome(expect = FORBIDDEN, desc = "the leader sleeps beyond the timer")
  @State
  public static class TimerForTheLeader extends Seat {
    private static final long SOON_NS = 1;

    private final OwnershipWord ownership = new OwnershipWord();

    /** The engine's next timer; read and written by the engine's owner. */
    private long nextNs = Deadlines.NEVER;

    public TimerForTheLeader() {
      super(2);
    }

    @Actor
    public void leader() {
      seat.enter();
      seat.tryTake();
      own();
      long untilNs = nextNs;
      seat.sleepUntil(untilNs);
      ownership.release();
      if (!Deadlines.isSet(untilNs)) {
        sleepInPort();
      }
      gone();
    }

    @Actor
    public void poster() {
      own();
      nextNs = SOON_NS;
      ownership.release();
      seat.wakeForTimer(SOON_NS, false);
      gone();
    }

    private void own() {
      while (!ownership.tryTake()) {
        Thread.onSpinWait();
      }
    }

    @Arbiter
    public void arbiter(I_Result r) {
      r.r1 = overslept();
    }
  }

  /** The background thread stands in while a thread arrives that may lead. */
  @JCStressTest
  @Outcome(id = "0", expect = ACCEPTABLE, desc = "the stand-in did not sleep, or was woken")
  @Outcome(expect = FORBIDDEN, desc = "the stand-in keeps the seat from a thread that waits")
  @State
  public static class StandInStepsDown extends Seat {
    public StandInStepsDown() {
      super(2);
    }

    @Actor
    public void standIn() {
      if (seat.tryStandIn()) {
        if (seat.mayStandIn()) {
          sleepInPort();
        }
        seat.vacate();
        seat.passOn();
      }
      gone();
    }

    @Actor
    public void candidate() {
      seat.enter();
      seat.tryTake();
      gone();
    }

    @Arbiter
    public void arbiter(I_Result r) {
      r.r1 = overslept();
    }
  }

  /** Two threads find the seat free. */
  @JCStressTest
  @Outcome(
      id = {"1, 0", "0, 1"},
      expect = ACCEPTABLE,
      desc = "one leads")
  @Outcome(expect = FORBIDDEN, desc = "nobody leads, or two do")
  @State
  public static class OneLeads extends Seat {
    public OneLeads() {
      super(2);
    }

    @Actor
    public void first(II_Result r) {
      r.r1 = seat.tryTake() ? 1 : 0;
    }

    @Actor
    public void second(II_Result r) {
      r.r2 = seat.tryTake() ? 1 : 0;
    }
  }
}
