package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

/**
 * The valid causes for a requester to miss its answers: a mishap of a request or an answer; a peer
 * that is gone; an outage, now or before, of a device or of the way between the two. Mishaps of
 * other packets on the same path, and packets under way on it, also excuse late answers, because
 * all requesters of a path share its window. On a network that delivers everything in time there is
 * no excuse.
 */
final class Excuses {
  private final String name;
  private final Mishaps own;
  private final Mishaps path;

  /** The counts at the last retry. */
  private long ownThen;

  private long pathThen;
  private long pausesThen;
  private long outagesThen;

  /** The count of mishaps up to which they have no more consequences. */
  private long past;

  private long outagesPast;

  private boolean peerGone;

  /**
   * @param own mishaps of its requests and their answers; packets of a former life may still be
   *     under way
   * @param path mishaps of all packets between the two addresses
   */
  Excuses(String name, Mishaps own, Mishaps path) {
    this.name = name;
    this.own = own;
    if (own.anyUnderWay()) {
      own.happened();
    }
    this.path = path;
  }

  /** Mishaps of its requests and their answers. */
  Mishaps own() {
    return own;
  }

  /** The peer does not answer any more. */
  void peerGone() {
    peerGone = true;
  }

  /** A whole timeout passed without progress: requires a cause since the last retry. */
  void requireForTimeout(String what) {
    require(
        peerGone
            || path.isOut()
            || own.count() > ownThen
            || own.anyUnderWay()
            || path.count() > pathThen
            || path.anyUnderWay(),
        OracleRule.RETRY_FOR_CAUSE,
        "%s %s, but since its last retry everything sent on its path has arrived",
        name,
        what);
    retried();
  }

  /**
   * The peer, or a gap in the answers, told of a loss: requires a cause that still has
   * consequences.
   */
  void requireForHint(String what) {
    forget();
    require(
        peerGone || path.isOut() || own.count() > past || path.outages() > outagesPast,
        OracleRule.RETRY_FOR_CAUSE,
        "%s %s, but all its packets and their answers have arrived in order",
        name,
        what);
    retried();
  }

  /**
   * Forgets mishaps without consequences. One mishap may cause several retries, each while packets
   * of the retry before are under way. The chain ends when nothing was under way between two
   * retries.
   */
  private void forget() {
    if (own.pauses() > pausesThen) {
      past = ownThen;
      outagesPast = outagesThen;
    }
  }

  private void retried() {
    forget();
    ownThen = own.count();
    pathThen = path.count();
    outagesThen = path.outages();
    pausesThen = own.pauses();
  }
}
