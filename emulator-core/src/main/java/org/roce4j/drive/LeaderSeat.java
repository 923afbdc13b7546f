package org.roce4j.drive;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.time.Deadlines;

/**
 * The seat of the one thread that sleeps in an engine's port. One of the waiting threads takes the
 * seat and leads: datagrams and timers wake it, and it runs the engine. The others follow: they
 * sleep outside the port until a turn delivers an event, or until the leader leaves and wakes one
 * of them to lead. While no thread waits that may lead, the engine's background thread stands in.
 * Two kinds of threads never lead and depend on others: a thread that would have to sleep in
 * several ports, and a virtual thread, which would block its carrier.
 *
 * <p>No wake-up is lost. A thread that is about to sleep first announces it and then checks its
 * condition once more; a thread that changes something changes it first and then checks which
 * threads sleep. This class knows neither engine nor port, so that jcstress tests it alone.
 * Thread-safe.
 */
public final class LeaderSeat {
  /**
   * The tolerated delay of a timer: for less the leader is not woken, which would cost 18 us and a
   * system call. Only the four shortest RNR waits (10 to 40 us) are shorter.
   */
  private static final long TIMER_SLACK_NS = 50_000;

  /** The way in which followers sleep. */
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

    /**
     * Puts the calling thread to sleep until it is unparked or the time has passed. Returns at once
     * if it was unparked before.
     */
    void park(long limitNs);

    /** Ends the current or the next sleep of a thread. */
    void unpark(Thread follower);
  }

  /** The thread that leads while no other does; it steps down for every thread that may lead. */
  private final Thread standIn;

  /** Ends the leader's sleep in the port. */
  private final Runnable wakePort;

  /** The way in which followers sleep and are woken. */
  private final Parking parking;

  /** The thread that leads, or null. */
  private final AtomicReference<Thread> leader = new AtomicReference<>();

  /**
   * The end of the leader's sleep if nothing wakes it; {@link Deadlines#NEVER} also if there is no
   * leader.
   */
  private final AtomicLong leaderWakesNs = new AtomicLong(Deadlines.NEVER);

  /** The followers, which sleep or are about to, in the order of their arrival. */
  private final ConcurrentLinkedQueue<Thread> followers = new ConcurrentLinkedQueue<>();

  /** The number of threads in a waiting call that lead when the seat is free. */
  private final AtomicInteger candidates = new AtomicInteger();

  /**
   * The threads that wait and never lead, so that another thread must; they sleep or are about to.
   */
  private final ConcurrentLinkedQueue<Thread> dependants = new ConcurrentLinkedQueue<>();

  /** As {@link #LeaderSeat(Thread, Runnable, Parking)}, with {@link Parking#THREADS}. */
  LeaderSeat(Thread standIn, Runnable wakePort) {
    this(standIn, wakePort, Parking.THREADS);
  }

  /**
   * @param standIn thread that leads while no thread waits that may lead
   * @param wakePort ends the current or the next sleep in the port
   */
  public LeaderSeat(Thread standIn, Runnable wakePort, Parking parking) {
    this.standIn = standIn;
    this.wakePort = wakePort;
    this.parking = parking;
  }

  // ---- for threads that wait and may lead

  /** The caller begins to wait and leads when the seat is free. */
  public void enter() {
    candidates.incrementAndGet();
  }

  /**
   * Ends the wait of the caller, begun by {@link #enter}. Wakes another thread to lead, whether or
   * not the caller led.
   */
  public void leave() {
    candidates.decrementAndGet();
    passOn();
  }

  /** Takes the seat if it is free. A stand-in is woken and steps down. */
  public boolean tryTake() {
    Thread current = leader.get();
    if (current == standIn) {
      wakePort.run();
    }
    return current == null && leader.compareAndSet(null, Thread.currentThread());
  }

  /** Gives the seat up. {@link #leave} or {@link #passOn} must follow. */
  public void vacate() {
    leaderWakesNs.set(Deadlines.NEVER);
    leader.set(null);
  }

  /**
   * Wakes the first follower if there is no leader; it takes the seat, or leaves and passes it on.
   * If all waiting threads never lead, wakes the stand-in.
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
   * Sleeps while another thread leads. May return early.
   *
   * @param condition condition for which the caller waits
   * @param limitNs longest sleep in nanoseconds
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

  // ---- for threads that wait and never lead

  /**
   * The caller begins to wait without ever leading, so that another thread must lead. The caller
   * parks itself, because it may depend on several leaders.
   */
  public void depend() {
    dependants.add(Thread.currentThread());
    if (leader.get() == null) {
      parking.unpark(standIn);
    }
  }

  /** Ends the wait begun by {@link #depend}. */
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

  /** Whether no thread waits that may lead. */
  public boolean mayStandIn() {
    return candidates.get() == 0;
  }

  // ---- waking

  /** Whether there is no leader. */
  public boolean isFree() {
    return leader.get() == null;
  }

  /**
   * Announces how long its caller, the leader, sleeps. The caller owns the engine, so a thread that
   * sets an earlier timer has either owned the engine before, or owns it later and sees this time.
   */
  public void sleepUntil(long atNs) {
    leaderWakesNs.set(atNs);
  }

  /**
   * Wakes a leader that would sleep past a timer. Also wakes a stand-in if something is to be sent,
   * because the caller may never return to send it; if another thread leads, the background thread
   * looks in.
   *
   * @param nextNs deadline of the next timer; {@link Deadlines#NEVER}: none
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

  /** Wakes a leader that was interrupted, because an interrupt does not end a system call. */
  void wakeInterrupted() {
    Thread leads = leader.get();
    if (leads != null && leads.isInterrupted()) {
      wakePort.run();
    }
  }
}
