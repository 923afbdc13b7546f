package org.roce4j.engine;

import java.util.function.IntFunction;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.queue.HandoverRing;
import org.roce4j.verbs.QueuePair;
import org.roce4j.wire.Bth;

/**
 * Hands a datagram that arrived at one engine of a device to the engine of its queue pair. Each
 * engine has one, with the ring of the datagrams that the other engines have handed to it.
 */
final class Handover {
  /** The index of the engine that this belongs to. */
  private final int index;

  /** The number of engines of the device, a power of two. */
  private final int engines;

  private final IntFunction<Handover> ofEngine;
  private final MulticastTable groups;
  private final Counters counters;
  private final HandoverRing ring = new HandoverRing();

  /** The datagram of the ring that is being handled. */
  private final Inbound inherited = new Inbound();

  /** The engines to which datagrams were handed since {@link #takeRecipients}, as bits by index. */
  private int recipients;

  /**
   * @param index index of the engine that this belongs to
   * @param engines number of engines, a power of two
   * @param ofEngine the handover of each engine, by index
   * @param groups the multicast table of this engine
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
   * Hands a datagram to the other engines that have a queue pair for it.
   *
   * @return whether this engine has one, too
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

  /**
   * The engines that have a queue pair for a datagram, as bits by index; this engine if the
   * datagram is too short to tell.
   */
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

  /** The engines with queue pairs in a group, as bits by index; {@code nobody} if there is none. */
  private int members(long groupHigh, long groupLow, int nobody) {
    int bits = 0;
    for (int i = 0; i < engines; i++) {
      if (ofEngine.apply(i).groups.members(groupHigh, groupLow).iterator().hasNext()) {
        bits |= 1 << i;
      }
    }
    return bits == 0 ? nobody : bits;
  }

  /** The engines to which datagrams were handed since the last call, as bits by index. */
  int takeRecipients() {
    int bits = recipients;
    recipients = 0;
    return bits;
  }

  /**
   * The number of datagrams that other engines have handed to this one. Any thread may call this.
   */
  int size() {
    return ring.size();
  }

  /** The oldest datagram that was handed over, valid until {@link #retire}. There must be one. */
  Inbound first() {
    ring.first(inherited);
    return inherited;
  }

  void retire() {
    ring.retire();
  }
}
