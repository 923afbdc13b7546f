package org.roce4j.connect;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.roce4j.verbs.PoolWorker;
import org.roce4j.verbs.VerbsException;

/** Threads that use one half of an end after each other. Each waits for its turn in real time. */
final class Turns {
  /** What {@link #begin} answers if the turn did not come in time. */
  static final long NONE = -1;

  private final ReentrantLock lock = new ReentrantLock();

  /**
   * Waits for the turn.
   *
   * @param timeoutNs longest wait, in nanoseconds
   * @return what is left of it, or {@link #NONE}
   * @throws VerbsException EINTR if the thread is interrupted while another has the turn
   */
  long begin(long timeoutNs) {
    if (lock.tryLock()) {
      return timeoutNs; // the same in every run
    }
    return PoolWorker.await(() -> beginLater(timeoutNs));
  }

  private long beginLater(long timeoutNs) {
    long startNs = System.nanoTime();
    try {
      return lock.tryLock(timeoutNs, TimeUnit.NANOSECONDS)
          ? Math.max(0, timeoutNs - (System.nanoTime() - startNs))
          : NONE;
    } catch (InterruptedException e) {
      throw VerbsException.interrupted();
    }
  }

  /** Waits for the turn without a limit. */
  void beginAtLast() {
    if (lock.tryLock()) {
      return;
    }
    PoolWorker.await(
        () -> {
          lock.lock();
          return null;
        });
  }

  void end() {
    lock.unlock();
  }

  /** Whether a thread has the turn. */
  boolean isTaken() {
    return lock.isLocked();
  }
}
