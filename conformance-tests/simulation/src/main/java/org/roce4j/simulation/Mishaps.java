package org.roce4j.simulation;

/**
 * Counts the fates of packets: those of one requester and their answers, or all between two
 * addresses.
 */
final class Mishaps {
  private long count;
  private long pauses;
  private long emptySinceNs;
  private int underWay;
  private long outages;
  private int outagesNow;

  /** A packet was sent or copied. */
  void departed(long nowNs) {
    if (underWay == 0 && nowNs > emptySinceNs) {
      pauses++;
    }
    underWay++;
  }

  /** A packet arrived or was dropped. */
  void arrived(long nowNs) {
    underWay--;
    emptySinceNs = nowNs;
  }

  /** A packet was lost, damaged, copied or held back, or it reached a port that was down. */
  void happened() {
    count++;
  }

  /** An outage begins. */
  void outageBegins() {
    outages++;
    outagesNow++;
    happened();
  }

  /** An outage ends. Packets sent meanwhile are lost or late. */
  void outageEnds() {
    outages++;
    outagesNow--;
    happened();
  }

  /** Begins and ends of outages. */
  long outages() {
    return outages;
  }

  boolean isOut() {
    return outagesNow > 0;
  }

  long count() {
    return count;
  }

  /** The number of times at which nothing was under way, not even the answer to the last packet. */
  long pauses() {
    return pauses;
  }

  boolean anyUnderWay() {
    return underWay > 0;
  }
}
