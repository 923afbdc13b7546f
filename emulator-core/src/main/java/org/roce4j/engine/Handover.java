package org.roce4j.engine;

import java.util.function.IntFunction;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.queue.HandoverRing;
import org.roce4j.verbs.QueuePair;
import org.roce4j.wire.Bth;

/**
 * Datagrams that arrive at one engine of a device for queue pairs of another: finds the engine, and
 * holds the ring of datagrams that other engines have handed to this one.
 */
final class Handover {
  /** Which engine of the device this is, from 0 on. */
  private final int index;

  /** The number of engines of the device, a power of two. */
  private final int engines;

  private final IntFunction<Handover> ofEngine;
  private final MulticastTable groups;
  private final Counters counters;
  private final HandoverRing ring = new HandoverRing();

  /** The datagram of the ring that is being taken in. */
  private final Inbound inherited = new Inbound();

  /** Engines that were handed something since {@link #takeRecipients}, as bits by index. */
  private int recipients;

  /**
   * @param index of the engine that this one belongs to
   * @param engines how many there are, a power of two
   * @param ofEngine what belongs to each of them, by index
   * @param groups of this engine's queue pairs
   */
  Handover(
      int index,
      int engines,
      IntFunction<Handover> ofEngine,
      MulticastTable groups,
      Counters counters) {
    this.index = index;
    this.engines = engines;
    this.ofEngine = ofEngine;
    this.groups = groups;
    this.counters = counters;
  }

  /**
   * Hands a datagram to the other engines that it is for.
   *
   * @return whether it is for this one, alone or too
   */
  boolean keeps(Inbound inbound) {
    int to = addressees(inbound);
    for (int left = to & ~(1 << index); left != 0; left &= left - 1) {
      int other = Integer.numberOfTrailingZeros(left);
      if (ofEngine.apply(other).ring.offer(inbound)) {
        counters.increment(Counter.HANDED_OVER);
        recipients |= 1 << other;
      } else {
        counters.increment(Counter.HANDOVER_DROPPED);
      }
    }
    return (to & 1 << index) != 0;
  }

  /** Which engines a datagram is for, as bits; this one's where that cannot be told. */
  private int addressees(Inbound inbound) {
    int own = 1 << index;
    if (inbound.length() < Bth.SIZE) {
      return own;
    }
    int destQp = Bth.destQp(inbound.buffer(), inbound.at());
    return destQp != QueuePair.MULTICAST_QPN
        ? 1 << (destQp & engines - 1)
        : members(inbound.localHigh(), inbound.localLow(), own);
  }

  /** The engines with queue pairs in a group, as bits; {@code nobody} if there is none. */
  private int members(long groupHigh, long groupLow, int nobody) {
    int bits = 0;
    for (int i = 0; i < engines; i++) {
      if (ofEngine.apply(i).groups.members(groupHigh, groupLow).iterator().hasNext()) {
        bits |= 1 << i;
      }
    }
    return bits == 0 ? nobody : bits;
  }

  /** Engines that were handed something since the last call, as bits by index. */
  int takeRecipients() {
    int bits = recipients;
    recipients = 0;
    return bits;
  }

  /** How many datagrams others have handed to this engine; any thread. */
  int size() {
    return ring.size();
  }

  /** The oldest of them, valid until {@link #retire}; there is one. */
  Inbound first() {
    ring.first(inherited);
    return inherited;
  }

  void retire() {
    ring.retire();
  }
}
