package org.roce4j.drive;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.time.Deadlines;

/**
 * The seat of the one thread that sleeps in an engine's port. Of the threads that wait, one takes
 * the seat and leads: datagrams and timers wake it, and it runs the engine. The others follow: they
 * sleep outside the port until a turn delivers an event, or until the leader leaves and one of them
 * is woken to lead. While no thread waits that may lead, the engine's background thread stands in.
 * A thread that would have to sleep in several ports, and a virtual thread, which would keep its
 * carrier there, never lead: they depend on others.
 *
 * <p>A wake-up is never lost. A thread that is about to sleep first says so, then looks once more;
 * a thread that changes something does so first, then looks who sleeps. This class knows neither
 * engine nor port, so that jcstress tests it alone. Any thread may call anything.
 */
public final class LeaderSeat {
  /**
   * How late a timer may be: for less no wake-up is spent on the leader, which costs 18 us and a
   * system call. Of all timers only the four shortest RNR waits (10 to 40 us) are shorter.
   */
  private static final long TIMER_SLACK_NS = 50_000;

  /** How followers sleep. */
  public interface Parking {
    /** By means of {@link LockSupport}. */
    Parking THREADS =
        new Parking() {
          @Override
          public void park(long limitNs) {
            LockSupport.parkNanos(limitNs);
          }

          @Override
          public void unpark(Thread follower) {
            LockSupport.unpark(follower);
          }
        };

    /** Puts the calling thread to sleep until it is unparked, also before, or the time is over. */
    void park(long limitNs);

    /** Ends the sleep of a thread, or its next one. */
    void unpark(Thread follower);
  }

  /** Leads while no other thread does; it steps down for every thread that may lead. */
  private final Thread standIn;

  /** Ends the leader's sleep in the port. */
  private final Runnable wakePort;

  /** How followers sleep and are woken. */
  private final Parking parking;

  /** The thread that leads, or null. */
  private final AtomicReference<Thread> leader = new AtomicReference<>();

  /** Until when the leader sleeps if nothing wakes it; {@link Deadlines#NEVER} also without one. */
  private final AtomicLong leaderWakesNs = new AtomicLong(Deadlines.NEVER);

  /** Threads that sleep, or are about to, in the order in which they came. */
  private final ConcurrentLinkedQueue<Thread> followers = new ConcurrentLinkedQueue<>();

  /** Threads in a call that waits; each leads when the seat is free. */
  private final AtomicInteger candidates = new AtomicInteger();

  /** Threads that wait and never lead, so that another thread must; asleep, or about to be. */
  private final ConcurrentLinkedQueue<Thread> dependants = new ConcurrentLinkedQueue<>();

  /** As {@link #LeaderSeat(Thread, Runnable, Parking)}, with {@link Parking#THREADS}. */
  LeaderSeat(Thread standIn, Runnable wakePort) {
    this(standIn, wakePort, Parking.THREADS);
  }

  /**
   * @param standIn leads while no thread waits that may lead
   * @param wakePort ends the sleep in the port, the current or the next one
   */
  public LeaderSeat(Thread standIn, Runnable wakePort, Parking parking) {
    this.standIn = standIn;
    this.wakePort = wakePort;
    this.parking = parking;
  }

  // ---- threads that wait and may lead

  /** The caller waits from now on, and leads when the seat is free. */
  public void enter() {
    candidates.incrementAndGet();
  }

  /** Undoes {@link #enter}. Another thread is woken to lead, whether or not the caller led. */
  public void leave() {
    candidates.decrementAndGet();
    passOn();
  }

  /** Takes the seat if it is free. A stand-in is woken, and steps down. */
  public boolean tryTake() {
    Thread current = leader.get();
    if (current == standIn) {
      wakePort.run();
    }
    return current == null && leader.compareAndSet(null, Thread.currentThread());
  }

  /** Gives the seat up; {@link #leave} or {@link #passOn} comes next. */
  public void vacate() {
    leaderWakesNs.set(Deadlines.NEVER);
    leader.set(null);
  }

  /**
   * Wakes the first follower if there is no leader: the follower takes the seat, or leaves and
   * passes it on. If only threads wait that never lead, wakes the stand-in.
   */
  public void passOn() {
    if (leader.get() != null) {
      return;
    }
    Thread follower = followers.peek();
    if (follower != null) {
      parking.unpark(follower);
    } else if (!dependants.isEmpty()) {
      parking.unpark(standIn);
    }
  }

  /**
   * Sleeps while another thread leads; may return early.
   *
   * @param condition what the caller waits for
   * @param limitNs the longest sleep
   */
  public void follow(BooleanSupplier condition, long limitNs) {
    Thread me = Thread.currentThread();
    followers.add(me);
    try {
      if (!condition.getAsBoolean() && leader.get() != null) {
        parking.park(limitNs);
      }
    } finally {
      followers.remove(me);
    }
  }

  // ---- threads that wait and never lead

  /**
   * The caller waits from now on and follows without ever leading, so another thread must lead. The
   * caller parks itself, because it may follow several leaders.
   */
  public void depend() {
    dependants.add(Thread.currentThread());
    if (leader.get() == null) {
      parking.unpark(standIn);
    }
  }

  /** Undoes {@link #depend}. */
  public void dependNoMore() {
    dependants.remove(Thread.currentThread());
  }

  /** Whether a thread waits that never leads. */
  public boolean hasDependants() {
    return !dependants.isEmpty();
  }

  // ---- the stand-in

  /** Takes the seat for the stand-in, unless a thread leads or is about to. */
  public boolean tryStandIn() {
    return mayStandIn() && leader.compareAndSet(null, standIn);
  }

  /** Whether no thread waits that leads instead. */
  public boolean mayStandIn() {
    return candidates.get() == 0;
  }

  // ---- waking

  /** Whether there is no leader. */
  public boolean isFree() {
    return leader.get() == null;
  }

  /**
   * Says how long the leader, its caller, sleeps. It owns the engine when it says so: a thread that
   * sets an earlier timer has owned it before, or comes after and sees this.
   */
  public void sleepUntil(long atNs) {
    leaderWakesNs.set(atNs);
  }

  /**
   * Wakes a leader that sleeps beyond a timer. Also a stand-in while something is to be sent, for
   * the caller may never come back to send it; beside another leader the background thread looks
   * in.
   *
   * @param nextNs when the next timer is due, or {@link Deadlines#NEVER}
   * @param unsent whether something is to be sent
   */
  public void wakeForTimer(long nextNs, boolean unsent) {
    Thread leads = leader.get();
    if (leads == null || leads == Thread.currentThread()) {
      return;
    }
    if ((unsent && leads == standIn)
        || Deadlines.isBefore(Deadlines.after(nextNs, TIMER_SLACK_NS), leaderWakesNs.get())) {
      wakePort.run();
    }
  }

  /** An event was delivered: wakes every thread that may wait for it. */
  public void wakeWaiting() {
    Thread leads = leader.get();
    if (leads != null && leads != standIn && leads != Thread.currentThread()) {
      wakePort.run();
    }
    if (!followers.isEmpty()) { // an iterator per event would be garbage
      followers.forEach(parking::unpark);
    }
    if (!dependants.isEmpty()) {
      dependants.forEach(parking::unpark);
    }
  }

  /** Wakes a leader that was interrupted: a system call does not end by that. */
  void wakeInterrupted() {
    Thread leads = leader.get();
    if (leads != null && leads.isInterrupted()) {
      wakePort.run();
    }
  }
}
