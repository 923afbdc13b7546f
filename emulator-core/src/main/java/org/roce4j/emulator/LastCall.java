package org.roce4j.emulator;

import java.util.concurrent.TimeUnit;

/**
 * The real time that a wait on a virtual network gets after its virtual time is over. In it a
 * thread can come that is busy elsewhere: it may be in a system call, or use the network for the
 * first time. For the holder of the network's lock.
 */
final class LastCall {
  /** Enough for a thread that is awake. */
  private static final long LEAST_NS = TimeUnit.MICROSECONDS.toNanos(100);

  /** While no other thread is known. */
  private final Patience alone = new Patience(TimeUnit.MILLISECONDS.toNanos(10), LEAST_NS);

  /** While threads that have used the network are elsewhere. */
  private final Patience inCompany = new Patience(TimeUnit.SECONDS.toNanos(1), LEAST_NS);

  /** The count of happenings when the call began. */
  private long calledAfter = -1;

  private long calledNs;

  /** When there was company for the last time: who was delayed may be on the way. */
  private long companyNs;

  private boolean answered;

  /**
   * Whether the wait should go on.
   *
   * @param now the real time, as {@link System#nanoTime} gives it
   * @param happenings the count so far
   * @param hasCompany whether another thread that has used the network may come
   * @param leftNs the virtual time that is left: a wait lasts no longer than on sockets
   */
  boolean lasts(long now, long happenings, boolean hasCompany, long leftNs) {
    if (calledAfter != happenings) {
      if (answered) {
        alone.rewarded();
        inCompany.rewarded();
      }
      calledAfter = happenings;
      calledNs = now;
      companyNs = now;
      answered = true;
    }
    if (hasCompany) {
      companyNs = now;
    }
    long longestNs = (hasCompany ? inCompany : alone).ns();
    long beganNs = hasCompany ? calledNs : companyNs;
    if (now - beganNs < Math.min(longestNs, leftNs)) {
      return true;
    }
    answered = false;
    if (!hasCompany) {
      alone.inVain();
    } else if (leftNs >= longestNs) {
      inCompany.inVain();
    }
    return false;
  }
}
