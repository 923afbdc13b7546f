package org.roce4j.emulator;

/**
 * How long virtual time waits, in real time, for a thread that may come. A wait in vain halves the
 * later ones, down to a least: what never comes must cost little, but in a wait of no time nobody
 * could come and restore it. A thread that came restores it. For the holder of the network's lock.
 */
final class Patience {
  private final long fullNs;
  private final long leastNs;
  private long ns;

  /**
   * @param fullNs the longest wait, and the first
   * @param leastNs the shortest wait; 1 or more
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
