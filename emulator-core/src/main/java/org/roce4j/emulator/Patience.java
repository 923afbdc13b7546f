package org.roce4j.emulator;

/**
 * How long virtual time waits, in real time, for a thread that may come. A wait in vain halves the
 * later ones: what never comes must cost little. A thread that came restores it. For the holder of
 * the network's lock.
 */
final class Patience {
  private final long fullNs;
  private long ns;

  /**
   * @param fullNs the longest wait, and the first
   */
  Patience(long fullNs) {
    this.fullNs = fullNs;
    ns = fullNs;
  }

  /** The longest wait from now on. */
  long ns() {
    return ns;
  }

  void inVain() {
    ns /= 2;
  }

  void rewarded() {
    ns = fullNs;
  }
}
