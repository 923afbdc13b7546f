package org.roce4j.drive;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.roce4j.engine.time.Deadlines;

/**
 * The deadline of an engine's held requests, for the engine's background thread, which releases
 * them when the program neither posts nor polls any more. While requests are held now and then, the
 * background thread wakes by itself; otherwise it sleeps long, and a thread that posts must wake it
 * by a system call.
 *
 * <p>The interval of its wake-ups depends on the program. After a burst whose last requests it had
 * to release, it checks every {@value #LEAST_SLEEP_NS} ns. If checks find nothing to release,
 * because the program goes on to post or poll, the interval doubles up to {@value #MOST_SLEEP_NS}
 * ns, because every wake-up takes the processor from a thread that posts.
 *
 * <p>The background thread never sleeps past a deadline. A thread that sets a deadline sets it
 * first and then checks whether the background thread sleeps long; the background thread first
 * announces a long sleep and then checks for a deadline. This class knows no thread, so that
 * jcstress tests it alone.
 */
public final class HoldWatch {
  /**
   * The interval for a program that often falls silent after a burst. Each check takes the
   * processor from another thread for some microseconds.
   */
  static final long LEAST_SLEEP_NS = 40_000;

  /** The interval for a program that always sends its held requests by itself. */
  static final long MOST_SLEEP_NS = 320_000;

  /** The number of successive checks without need before the interval doubles. */
  static final int LOOKS_TO_TRUST = 16;

  /** The deadline of the held requests; {@link Deadlines#NEVER}: none. */
  private final AtomicLong untilNs = new AtomicLong(Deadlines.NEVER);

  /** The interval between checks. Used by the background thread. */
  private long sleepNs = LEAST_SLEEP_NS;

  /** The number of successive checks without need. Used by the background thread. */
  private int unneeded;

  /** Whether the background thread sleeps long, so that a new deadline must wake it. */
  private final AtomicBoolean sleepsLong = new AtomicBoolean();

  /**
   * Sets the deadline of held requests. Called by the engine's owner.
   *
   * @return whether the caller must wake the background thread
   */
  public boolean until(long deadlineNs) {
    untilNs.set(deadlineNs);
    return sleepsLong.get() && sleepsLong.compareAndSet(true, false);
  }

  // ---- for the background thread

  /**
   * Whether the deadline has passed. If so, it is cleared, and the caller releases the requests.
   */
  public boolean takeDue(long nowNs) {
    long until = untilNs.get();
    return Deadlines.isDue(until, nowNs) && untilNs.compareAndSet(until, Deadlines.NEVER);
  }

  /**
   * The background thread has checked.
   *
   * @param needed whether requests would otherwise have waited longer. If so, the interval becomes
   *     the least; if not for some time, it doubles
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

  /** Whether requests may be held now. */
  public boolean isHeld() {
    return Deadlines.isSet(untilNs.get());
  }

  /**
   * The time for which the caller sleeps, in nanoseconds. If it is long, a thread that sets a
   * deadline is told to wake the caller.
   *
   * @param longestNs the sleep while no request is held
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
