package org.roce4j.engine.qp;

import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.Waiter;
import org.roce4j.engine.requester.Requester;
import org.roce4j.engine.requester.TransmitOutcome;
import org.roce4j.engine.time.Deadline;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.engine.time.Timed;
import org.roce4j.verbs.QpRateLimitAttr;

/**
 * Limits the rate of a queue pair: after each burst its requests wait for the time that the burst
 * takes at the rate. Confined to the engine's owner.
 */
final class Pacing implements Timed {
  /** Nanoseconds that one byte takes at one kbit/s. */
  private static final long NS_KBIT_PER_BYTE = 8_000_000;

  /** The greatest delay of a turn, in nanoseconds, that the next bursts make up for. */
  private static final long LATE_NS = 1_000_000;

  private final Waiter sender;
  private final Requester requester;
  private final DeadlineHeap deadlines;
  private final Deadline deadline = new Deadline(this);

  /** The rate in kbit/s; 0: no limit. */
  private long kbps;

  /** The number of packets of a burst. */
  private int burst;

  /** The time at which the rate allows the next burst. */
  private long freeAtNs;

  /** Whether requests wait for {@link #freeAtNs}, so that a late turn is made up for. */
  private boolean waiting;

  /**
   * @param sender the queue pair, which is resumed when its requests need not wait
   */
  Pacing(Waiter sender, Requester requester, DeadlineHeap deadlines) {
    this.sender = sender;
    this.requester = requester;
    this.deadlines = deadlines;
  }

  /**
   * Sets the rate.
   *
   * @param pathMtu packet size in bytes if the program gives no typical size
   */
  void limit(QpRateLimitAttr attr, int pathMtu) {
    stop();
    kbps = Integer.toUnsignedLong(attr.rateLimit());
    int packet = attr.typicalPacketSize() == 0 ? pathMtu : attr.typicalPacketSize();
    burst = Math.clamp(attr.maxBurstSize() / packet, 1, Transmit.MAX_SEGMENTS);
    freeAtNs = Long.MIN_VALUE;
  }

  /** Kilobits a second, unsigned; 0: none. */
  int rateLimit() {
    return (int) kbps;
  }

  /** Ends the wait of requests. */
  void stop() {
    deadlines.cancel(deadline);
    waiting = false;
  }

  /** Adds the requester's packets to a train, as far as the rate allows now. */
  TransmitOutcome transmit(long nowNs, Transmit out) {
    return kbps == 0 ? requester.transmit(out) : burst(nowNs, out);
  }

  private TransmitOutcome burst(long nowNs, Transmit out) {
    freeAtNs = Math.max(freeAtNs, waiting ? nowNs - LATE_NS : nowNs);
    while (freeAtNs <= nowNs) {
      int before = out.length();
      out.allow(burst);
      TransmitOutcome outcome = requester.transmit(out);
      out.allow(Transmit.MAX_SEGMENTS);
      int sent = out.length() - before;
      freeAtNs += sent * NS_KBIT_PER_BYTE / kbps;
      if (sent == 0 || outcome != TransmitOutcome.FULL) {
        waiting = false;
        return outcome;
      }
      if (out.full()) {
        waiting = true; // the next train makes up for the rest
        return outcome;
      }
    }
    waiting = true;
    deadlines.want(deadline, freeAtNs);
    return TransmitOutcome.IDLE;
  }

  /** Whether requests wait for the rate, so that the queue pair has something to send. */
  boolean waiting() {
    return waiting;
  }

  @Override
  public void handleTimeout(long nowNs) {
    sender.resume();
  }
}
