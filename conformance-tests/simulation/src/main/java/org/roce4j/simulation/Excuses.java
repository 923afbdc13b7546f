package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

/**
 * What excuses a requester whose answers do not come: something happened to a packet of the
 * exchange, a request or an answer; the peer is gone; one of the two devices, or the way between
 * them, is or was silent. Answers that are late are also excused by what happened to others on the
 * same path, because all share its window, and by what is still under way. On a network that
 * carries everything in time there is no excuse.
 */
final class Excuses {
  private final String name;
  private final Mishaps own;
  private final Mishaps path;

  /** As they stood at the last retry. */
  private long ownThen;

  private long pathThen;
  private long pausesThen;
  private long outagesThen;

  /** What happened up to here has no consequences any more. */
  private long past;

  private long outagesPast;

  private boolean peerGone;

  /**
   * @param own what happens to its requests and their answers; some may be under way of a life
   *     before
   * @param path what happens between the two addresses, whosever packets they are
   */
  Excuses(String name, Mishaps own, Mishaps path) {
    this.name = name;
    this.own = own;
    if (own.anyUnderWay()) {
      own.happened();
    }
    this.path = path;
  }

  /** What happens to its requests and their answers. */
  Mishaps own() {
    return own;
  }

  /** The peer answers no more. */
  void peerGone() {
    peerGone = true;
  }

  /** It waited in vain for a whole timeout: something must have happened since the last retry. */
  void requireForTimeout(String what) {
    require(
        peerGone
            || path.isOut()
            || own.count() > ownThen
            || own.anyUnderWay()
            || path.count() > pathThen
            || path.anyUnderWay(),
        Rule.RETRY_FOR_CAUSE,
        "%s %s, but since its last retry everything sent on its path has arrived",
        name,
        what);
    retried();
  }

  /** The peer, or a gap in the answers, told of a loss. */
  void requireForHint(String what) {
    forget();
    require(
        peerGone || path.isOut() || own.count() > past || path.outages() > outagesPast,
        Rule.RETRY_FOR_CAUSE,
        "%s %s, but all its packets and their answers have arrived in order",
        name,
        what);
    retried();
  }

  /**
   * One mishap may call for several retries, each with packets of the one before under way. What
   * was sent again is beyond that when nothing at all was under way in between.
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
