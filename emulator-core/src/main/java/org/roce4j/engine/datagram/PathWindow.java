package org.roce4j.engine.datagram;

import org.roce4j.engine.time.Deadline;

/**
 * What may be in flight to one peer address, over all queue pairs: a socket's receive buffer holds
 * only so much, and what overruns it is lost by our own fault. Counted in bytes of payload plus a
 * fixed charge per packet, because the kernel's bookkeeping weighs more than a small payload.
 * Additive increase while acknowledgements come, a quarter less on loss.
 *
 * <p>Queue pairs that find no room wait in line. Where nothing is acknowledged for long, what is in
 * flight keeps nobody out any more: it may be of one whose peer is gone and which, with ACK timeout
 * 0, waits for ever. Confined to the engine's owner.
 */
public final class PathWindow {
  /** Charge per packet beside its payload, bytes. */
  public static final int PACKET_CHARGE = 256;

  /** How long a path may stand still while somebody waits; a peer that is there answers sooner. */
  public static final long STANDSTILL_NS = 100_000_000;

  /** What a default Linux receive buffer holds of trained 4 KiB packets, with room to spare. */
  private static final long INITIAL_BYTES = 32L * (4096 + PACKET_CHARGE);

  private static final long LEAST_BYTES = 8L * (4096 + PACKET_CHARGE);

  private final long leastBytes;
  private final long mostBytes;
  private long limitBytes;
  private long inFlightBytes;
  private long forgivenBytes;
  private long acknowledgedBytes;
  private long deliveredBytes;
  private boolean usedUp;
  private boolean admitting;
  private final PathWaiter line = new PathWaiter(this);
  private final Deadline look = new Deadline(this);
  private long deliveredBefore;
  private final RoundTrip roundTrip = new RoundTrip();

  /**
   * @param leastBytes the window never falls below this
   * @param initialBytes where it starts
   * @param mostBytes it never grows above this
   */
  public PathWindow(long leastBytes, long initialBytes, long mostBytes) {
    this.leastBytes = leastBytes;
    this.limitBytes = initialBytes;
    this.mostBytes = mostBytes;
  }

  /** The window of a path of which nothing is known yet. */
  public static PathWindow upTo(long mostBytes) {
    return new PathWindow(LEAST_BYTES, INITIAL_BYTES, Math.max(mostBytes, INITIAL_BYTES));
  }

  /** What that many packets of this much payload in all weigh. */
  public static long charge(long packets, long payloadBytes) {
    return payloadBytes + packets * PACKET_CHARGE;
  }

  /** Whether so much more may be sent now; an empty path always takes one packet. */
  public boolean admits(long chargeBytes) {
    return inFlightBytes == 0 || inFlightBytes + chargeBytes <= limitBytes;
  }

  public void sent(long chargeBytes) {
    inFlightBytes += chargeBytes;
  }

  /** Acknowledged: leaves the window and lets it grow by one packet per window acknowledged. */
  public void acknowledged(long chargeBytes) {
    withdrawn(chargeBytes);
    deliveredBytes += chargeBytes;
    acknowledgedBytes += chargeBytes;
    if (acknowledgedBytes >= limitBytes) {
      acknowledgedBytes = 0;
      limitBytes = Math.min(mostBytes, limitBytes + 4096 + PACKET_CHARGE);
    }
  }

  /** No longer in flight and not acknowledged: to be sent again, or given up. */
  public void withdrawn(long chargeBytes) {
    usedUp &= chargeBytes == 0;
    long counted = Math.min(inFlightBytes, chargeBytes);
    inFlightBytes -= counted;
    forgivenBytes -= chargeBytes - counted;
    assert forgivenBytes >= 0 : "path window below zero";
  }

  /**
   * A loss was seen on this path. Halved, as TCP once did, the window settles at two thirds of this
   * where loss is random, and trains are shorter.
   */
  public void lost() {
    acknowledgedBytes = 0;
    limitBytes = Math.max(leastBytes, limitBytes - limitBytes / 4);
  }

  /** Queues a queue pair that found no room; nobody is admitted until some is made. */
  public void await(PathWaiter queuePair) {
    queuePair.queue(line);
    usedUp = true;
    if (!look.isSet()) {
      deliveredBefore = deliveredBytes;
    }
  }

  /** When {@link #standsStill} is to be asked, which is while somebody waits. */
  public Deadline look() {
    return look;
  }

  /**
   * Lets those that wait go past what is in flight, if nothing was acknowledged since the last
   * call.
   *
   * @return whether to ask again after {@link #STANDSTILL_NS}: somebody waits
   */
  public boolean standsStill() {
    if (!line.isWaiting()) {
      return false;
    }
    if (deliveredBytes == deliveredBefore) {
      forgivenBytes += inFlightBytes;
      inFlightBytes = 0;
      usedUp = false;
      lost();
    }
    deliveredBefore = deliveredBytes;
    return true;
  }

  /**
   * There may be room again.
   *
   * @return whether somebody waits and {@link #admitNext} is to be called now until it returns null
   */
  public boolean mayAdmit() {
    if (!line.isWaiting() || usedUp || admitting) {
      return false;
    }
    admitting = true;
    return true;
  }

  /** A queue pair that may try again, or null: no room, or nobody waits. */
  public Object admitNext() {
    admitting = line.isWaiting() && !usedUp && inFlightBytes < limitBytes;
    if (!admitting) {
      return null;
    }
    PathWaiter first = line.after();
    first.leave();
    return first.queuePair();
  }

  /** A queue pair that is gone waits no more. */
  public void forget(PathWaiter queuePair) {
    queuePair.leave();
  }

  /** What was acknowledged since the path is known; what {@link #limitBytes} is measured in. */
  public long deliveredBytes() {
    return deliveredBytes;
  }

  public RoundTrip roundTrip() {
    return roundTrip;
  }

  public long limitBytes() {
    return limitBytes;
  }

  public long inFlightBytes() {
    return inFlightBytes;
  }
}
