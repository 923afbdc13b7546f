package org.roce4j.drive;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.roce4j.engine.time.Deadlines;

/**
 * Until when an engine's requests are held, for its background thread, which lets them go when the
 * program that posted them neither posts nor polls any more. While requests are held from time to
 * time it wakes by itself; else it sleeps long and has to be woken, which costs the thread that
 * posts a system call.
 *
 * <p>How often it wakes depends on the program. After a burst whose end waited for it, it looks
 * every {@value #LEAST_SLEEP_NS} ns. Where looks find nothing left, since the program posts on or
 * polls, the time between them doubles up to {@value #MOST_SLEEP_NS} ns: every wake-up takes the
 * processor from a thread that posts.
 *
 * <p>A deadline is never slept over: who sets one does so first, then looks whether the background
 * thread sleeps long; that thread says so first, then looks for a deadline. This class knows no
 * thread, so that jcstress tests it alone.
 */
public final class HoldWatch {
  /**
   * The time between two looks at a program whose bursts end in silence. Each look takes the
   * processor from another thread for some microseconds.
   */
  static final long LEAST_SLEEP_NS = 40_000;

  /** The time between two looks at a program that always sends by itself what it has posted. */
  static final long MOST_SLEEP_NS = 320_000;

  /** Looks in a row that were not needed before the time between them doubles. */
  static final int LOOKS_TO_TRUST = 16;

  /** When the requests that are held must leave, or {@link Deadlines#NEVER}. */
  private final AtomicLong untilNs = new AtomicLong(Deadlines.NEVER);

  /** The time between two looks; the background thread. */
  private long sleepNs = LEAST_SLEEP_NS;

  /** Looks in a row that were not needed; the background thread. */
  private int unneeded;

  /** Whether the background thread sleeps long, so that a new deadline must wake it. */
  private final AtomicBoolean sleepsLong = new AtomicBoolean();

  /**
   * Requests are held; the engine's owner.
   *
   * @return whether the background thread must be woken
   */
  public boolean until(long deadlineNs) {
    untilNs.set(deadlineNs);
    return sleepsLong.get() && sleepsLong.compareAndSet(true, false);
  }

  // ---- the background thread

  /**
   * Whether requests may be held whose time is over; if so, they are forgotten, for the caller lets
   * them go.
   */
  public boolean takeDue(long nowNs) {
    long until = untilNs.get();
    return Deadlines.isDue(until, nowNs) && untilNs.compareAndSet(until, Deadlines.NEVER);
  }

  /**
   * The background thread has looked.
   *
   * @param needed whether requests would have waited on without it: if not for a while, it looks
   *     less often, else as often as it may
   */
  public void looked(boolean needed) {
    if (needed) {
      sleepNs = LEAST_SLEEP_NS;
      unneeded = 0;
    } else if (sleepNs < MOST_SLEEP_NS && ++unneeded == LOOKS_TO_TRUST) {
      sleepNs *= 2;
      unneeded = 0;
    }
  }

  /** Whether requests may be held. */
  public boolean isHeld() {
    return Deadlines.isSet(untilNs.get());
  }

  /**
   * The time for the caller to sleep, ns. If it is long, a thread that sets a deadline from now on
   * is told to wake the caller.
   *
   * @param longestNs the sleep while nothing is held
   */
  public long sleepNs(long nowNs, long longestNs) {
    if (!Deadlines.isSet(untilNs.get())) {
      sleepsLong.set(true);
      if (!Deadlines.isSet(untilNs.get())) {
        return longestNs;
      }
    }
    sleepsLong.set(false);
    return Math.max(sleepNs, Deadlines.left(untilNs.get(), nowNs));
  }
}
