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
 * The rate that a queue pair sends at most: after each burst its requests wait for as long as the
 * burst takes at that rate. Confined to the engine's owner.
 */
final class Pacing implements Timed {
  /** From bytes and kbit/s to nanoseconds. */
  private static final long NS_KBIT_PER_BYTE = 8_000_000;

  /** How late a turn may be for the next bursts to make up for it. */
  private static final long LATE_NS = 1_000_000;

  private final Waiter sender;
  private final Requester requester;
  private final DeadlineHeap deadlines;
  private final Deadline deadline = new Deadline(this);

  /** 0: requests leave as fast as they can. */
  private long kbps;

  /** Packets that leave one behind the other. */
  private int burst;

  /** When the rate allows the next burst. */
  private long freeAtNs;

  /** Whether requests wait for that moment, so that a late turn makes up. */
  private boolean waiting;

  /**
   * @param sender the queue pair, which goes on when its requests need not wait
   */
  Pacing(Waiter sender, Requester requester, DeadlineHeap deadlines) {
    this.sender = sender;
    this.requester = requester;
    this.deadlines = deadlines;
  }

  /**
   * Sets the rate.
   *
   * @param pathMtu bytes, for packets of no typical size
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

  /** Nothing waits any more. */
  void stop() {
    deadlines.cancel(deadline);
    waiting = false;
  }

  /** Adds the requester's packets to a train, as far as the rate allows now. */
  TransmitOutcome transmit(long nowNs, Transmit out) {
    return kbps == 0 ? requester.transmit(nowNs, out) : burst(nowNs, out);
  }

  private TransmitOutcome burst(long nowNs, Transmit out) {
    freeAtNs = Math.max(freeAtNs, waiting ? nowNs - LATE_NS : nowNs);
    while (freeAtNs <= nowNs) {
      int before = out.length();
      out.allow(burst);
      TransmitOutcome outcome = requester.transmit(nowNs, out);
      out.allow(Transmit.MAX_SEGMENTS);
      int sent = out.length() - before;
      freeAtNs += sent * NS_KBIT_PER_BYTE / kbps;
      if (sent == 0 || outcome != TransmitOutcome.FULL || out.full()) {
        waiting = false;
        return outcome;
      }
    }
    waiting = true;
    deadlines.want(deadline, freeAtNs);
    return TransmitOutcome.IDLE;
  }

  /** Whether requests wait for their time; the queue pair has something to send then. */
  boolean waiting() {
    return waiting;
  }

  @Override
  public void handleTimeout(long nowNs) {
    sender.resume();
  }
}
