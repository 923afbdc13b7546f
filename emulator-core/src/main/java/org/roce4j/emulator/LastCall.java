package org.roce4j.emulator;

import java.util.concurrent.TimeUnit;

/**
 * The real time that a wait on a virtual network gets after its virtual time is over. In it a
 * thread can come that is busy elsewhere: it may be in a system call, or use the network for the
 * first time. A call that no thread answers halves later ones; an answer restores them. For the
 * holder of the network's lock.
 */
final class LastCall {
  /** The longest while no other thread is known. */
  private static final long ALONE_NS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The longest while threads that have used the network are elsewhere. */
  private static final long IN_COMPANY_NS = TimeUnit.SECONDS.toNanos(1);

  private long aloneNs = ALONE_NS;
  private long inCompanyNs = IN_COMPANY_NS;

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
   * @param inCompany whether another thread that has used the network may come
   * @param leftNs the virtual time that is left: a wait lasts no longer than on sockets
   */
  boolean lasts(long now, long happenings, boolean inCompany, long leftNs) {
    if (calledAfter != happenings) {
      if (answered) {
        aloneNs = ALONE_NS;
        inCompanyNs = IN_COMPANY_NS;
      }
      calledAfter = happenings;
      calledNs = now;
      companyNs = now;
      answered = true;
    }
    if (inCompany) {
      companyNs = now;
    }
    long longestNs = inCompany ? inCompanyNs : aloneNs;
    long beganNs = inCompany ? calledNs : companyNs;
    if (now - beganNs < Math.min(longestNs, leftNs)) {
      return true;
    }
    answered = false;
    if (!inCompany) {
      aloneNs /= 2;
    } else if (leftNs >= longestNs) {
      inCompanyNs /= 2;
    }
    return false;
  }
}
