package org.roce4j.hardware;

import org.roce4j.verbs.VerbsException;

/**
 * Events of an object that were delivered and are not acknowledged. libibverbs does not destroy an
 * object before, and counts on never getting more acknowledgements than it delivered.
 */
final class EventDebt {
  private int owed;

  synchronized void delivered() {
    owed++;
  }

  /** How many of these acknowledgements are due; they count as given. */
  synchronized int acknowledge(int count) {
    int due = Math.max(0, Math.min(count, owed));
    owed -= due;
    if (owed == 0) {
      notifyAll();
    }
    return due;
  }

  /**
   * Waits until nothing is owed.
   *
   * @throws VerbsException EINTR if the thread is interrupted
   */
  synchronized void awaitNone() {
    while (owed > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw VerbsException.interrupted();
      }
    }
  }
}
