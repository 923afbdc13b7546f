package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

/**
 * What excuses a requester whose answers do not come: something happened to a packet of the
 * exchange, a request or an answer; a port was down; the peer is gone. Answers that are late are
 * also excused by what happened to others on the same path, because all share its window, and by
 * what is still under way. On a network that carries everything in time there is no excuse.
 */
final class Excuses {
  private final String name;
  private final boolean outages;
  private final Mishaps own;
  private final Mishaps path;

  /** As they stood at the last retry. */
  private long ownThen;

  private long pathThen;

  /** And at the one before: what a mishap has begun may need two. */
  private long ownBefore;

  private long pathBefore;
  private long pausesThen;

  /** What happened up to here has no consequences any more. */
  private long past;

  private int portsDown;
  private boolean portChanged;
  private boolean peerGone;

  /**
   * @param outages whether devices stop, fall silent or lose queue pairs in this run: their silence
   *     leaves no trace on the wire that could be held against a retry
   * @param former who had its place before, or null: what that one sent may still come
   * @param path what happens between the two addresses, whosever packets they are
   */
  Excuses(String name, boolean outages, Excuses former, Mishaps path) {
    this.name = name;
    this.outages = outages;
    own = former == null ? new Mishaps() : former.own;
    if (own.anyUnderWay()) {
      own.happened();
    }
    this.path = path;
  }

  /** What happens to its requests and their answers. */
  Mishaps own() {
    return own;
  }

  /** A port of one of both went down or up. */
  void port(boolean up) {
    portsDown += up ? -1 : 1;
    portChanged = true;
  }

  /** The peer answers no more. */
  void peerGone() {
    peerGone = true;
  }

  /**
   * It waited in vain for a whole timeout: something must have happened, two retries ago at most.
   */
  void requireForTimeout(String what) {
    require(
        excused()
            || own.count() > ownBefore
            || own.anyUnderWay()
            || path.count() > pathBefore
            || path.anyUnderWay(),
        Rule.RETRY_FOR_CAUSE,
        "%s %s, but for two retries everything sent on its path has arrived",
        name,
        what);
    retried();
  }

  /** The peer, or a gap in the answers, told of a loss. */
  void requireForHint(String what) {
    forget();
    require(
        excused() || own.count() > past,
        Rule.RETRY_FOR_CAUSE,
        "%s %s, but all its packets and their answers have arrived in order",
        name,
        what);
    retried();
  }

  private boolean excused() {
    return outages || portsDown > 0 || portChanged || peerGone;
  }

  /**
   * One mishap may call for several retries, each with packets of the one before under way. What
   * was sent again is beyond that when nothing at all was under way in between.
   */
  private void forget() {
    if (own.pauses() > pausesThen) {
      past = ownBefore;
    }
  }

  private void retried() {
    forget();
    ownBefore = ownThen;
    pathBefore = pathThen;
    ownThen = own.count();
    pathThen = path.count();
    pausesThen = own.pauses();
    portChanged = false;
  }
}
