package org.roce4j.simulation;

/** How packets fare: those of one requester and their answers, or all between two addresses. */
final class Mishaps {
  private long count;
  private long pauses;
  private long emptySinceNs;
  private int underWay;
  private long outages;
  private int outagesNow;

  /** A packet was sent, or a copy of it was made. */
  void departed(long nowNs) {
    if (underWay == 0 && nowNs > emptySinceNs) {
      pauses++;
    }
    underWay++;
  }

  /** It arrived or was dropped. */
  void arrived(long nowNs) {
    underWay--;
    emptySinceNs = nowNs;
  }

  /** A packet was lost, damaged, copied, held back, or came to a port that was down. */
  void happened() {
    count++;
  }

  /** It is silent from now on. */
  void outageBegins() {
    outages++;
    outagesNow++;
    happened();
  }

  /** It works again; what it said meanwhile, or heard, is lost or late. */
  void outageEnds() {
    outages++;
    outagesNow--;
    happened();
  }

  /** How many outages began, and how many ended. */
  long outages() {
    return outages;
  }

  boolean isOut() {
    return outagesNow > 0;
  }

  long count() {
    return count;
  }

  /** How often there was a time when nothing was under way: not even an answer to the last. */
  long pauses() {
    return pauses;
  }

  boolean anyUnderWay() {
    return underWay > 0;
  }
}
