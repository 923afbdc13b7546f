package org.roce4j.emulator;

import java.util.concurrent.TimeUnit;

/**
 * The real time that a wait on a virtual network gets when its virtual time is over, so that a
 * thread can still act that is in a system call or about to use the network for the first time. For
 * the holder of the network's lock.
 */
final class LastCall {
  /** The time that a thread needs that is awake. */
  private static final long LEAST_NS = TimeUnit.MICROSECONDS.toNanos(100);

  /** The patience while no other thread is known. */
  private final Patience alone = new Patience(TimeUnit.MILLISECONDS.toNanos(10), LEAST_NS);

  /** The patience while threads that have used the network are elsewhere. */
  private final Patience inCompany = new Patience(TimeUnit.SECONDS.toNanos(1), LEAST_NS);

  /** The number of events when the call began. */
  private long calledAfter = -1;

  private long calledNs;

  /** The last time at which other threads were elsewhere; one of them may be on its way. */
  private long companyNs;

  private boolean answered;

  /**
   * Whether the wait should go on.
   *
   * @param now real time of {@link System#nanoTime}
   * @param happenings number of events so far
   * @param hasCompany whether a thread that has used the network is elsewhere
   * @param leftNs virtual time that is left: a wait takes no longer than on sockets
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
