package org.roce4j.emulator;

/**
 * The real time for which virtual time waits for a thread that may come. A wait in vain halves the
 * later ones, down to a minimum, because a thread that never comes must cost little, but without
 * any wait no thread could come and restore the time. A thread that came restores it. For the
 * holder of the network's lock.
 */
final class Patience {
  private final long fullNs;
  private final long leastNs;
  private long ns;

  /**
   * @param fullNs longest wait, and the first one
   * @param leastNs shortest wait, at least 1
   */
  Patience(long fullNs, long leastNs) {
    this.fullNs = fullNs;
    this.leastNs = leastNs;
    ns = fullNs;
  }

  /** The longest wait from now on. */
  long ns() {
    return ns;
  }

  void inVain() {
    ns = Math.max(leastNs, ns / 2);
  }

  void rewarded() {
    ns = fullNs;
  }
}
