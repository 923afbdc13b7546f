package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.SplittableRandom;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;

/**
 * Judges the limit event of a shared receive queue: once after each arming, when fewer requests
 * than the limit are left; never without arming.
 */
final class LimitWatch {
  private final World world;
  private final String name;
  private final SharedReceiveQueue srq;
  private final ReceivePool receives;
  private final int most;
  private final SplittableRandom random;
  private int armed;
  private boolean gone;

  /** Requests that were posted before the arming and are not known to be taken. */
  private int older;

  LimitWatch(
      World world,
      String name,
      SharedReceiveQueue srq,
      ReceivePool receives,
      int most,
      SplittableRandom random) {
    this.world = world;
    this.name = name;
    this.srq = srq;
    this.receives = receives;
    this.most = most;
    this.random = random;
  }

  void arm() {
    if (gone) {
      return;
    }
    armed = 1 + random.nextInt(most);
    older = receives.posted();
    srq.modify(new SrqAttr(0, 0, armed), SrqAttrMask.LIMIT);
  }

  /** The device crashed, and its shared receive queue with it. */
  void gone() {
    gone = true;
  }

  void reached() {
    require(
        armed > 0, OracleRule.LIMIT_ONCE, "%s: the limit of its shared queue was not armed", name);
    world.counts.met(Phenomenon.SRQ_LIMIT);
    armed = 0;
    world.agenda.after(random.nextLong(100_000), this::arm);
  }

  /** A request of the shared queue completed, and all events up to now were seen. */
  void completed() {
    older--;
    require(
        armed == 0 || older >= 0 || receives.posted() >= armed,
        OracleRule.LIMIT_ONCE,
        "%s: %d requests are left, the limit of %d is reached, and no event came",
        name,
        receives.posted(),
        armed);
  }
}
