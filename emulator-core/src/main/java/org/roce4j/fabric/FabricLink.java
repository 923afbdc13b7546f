package org.roce4j.fabric;

import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.roce4j.verbs.Gid;

/**
 * One direction between two addresses: its model, its faults, its state. Each fault draws from a
 * random stream of its own, derived from the seed and both addresses: adding a link, or another
 * fault, changes nothing about the rest.
 */
public final class FabricLink implements Carrier {
  /**
   * A datagram that waited while more than so many were sent between the two addresses is dropped:
   * PSNs have 24 bits, half of them look new, and half of those may be in flight.
   */
  static final long LIFETIME_DATAGRAMS = 1L << 22;

  private static final long NS_PER_SECOND = 1_000_000_000L;

  private final Network network;
  private final Address from;
  private final Address to;
  private final int spread;
  private final Exchange exchange;
  private final FabricCounts counts = new FabricCounts();
  private final ArrayDeque<FabricDatagram> held = new ArrayDeque<>();

  private final SplittableRandom jitterDraw;
  private final SplittableRandom lossDraw;
  private final SplittableRandom burstDraw;
  private final SplittableRandom duplicateDraw;
  private final SplittableRandom reorderDraw;
  private final SplittableRandom corruptDraw;

  private LinkModel model;
  private boolean up = true;
  private boolean paused;
  private boolean burst;
  private long busyUntilNs;

  /** Of the serialisation that ends at {@link #busyUntilNs}: bits x 10^9 modulo the bandwidth. */
  private long serialisationRemainder;

  private long lastArrivalNs;

  FabricLink(
      Network network, Address from, Address to, Exchange exchange, LinkModel model, long seed) {
    this.network = network;
    this.from = from;
    this.to = to;
    this.exchange = exchange;
    this.model = model;
    SplittableRandom root = new SplittableRandom(seed);
    jitterDraw = root.split();
    lossDraw = root.split();
    burstDraw = root.split();
    duplicateDraw = root.split();
    reorderDraw = root.split();
    corruptDraw = root.split();
    spread = root.nextInt();
  }

  /** How many datagrams two addresses have sent each other, in both directions together. */
  static final class Exchange {
    long datagrams;
  }

  public Gid from() {
    return from.gid;
  }

  @Override
  public Gid to() {
    return to.gid;
  }

  public LinkModel model() {
    return model;
  }

  /** Behaves like that from now on; what is under way arrives as planned. */
  public void model(LinkModel model) {
    this.model = model;
  }

  /** Holds back what is sent from now on; {@link #resume} sends it on. */
  public void pause() {
    paused = true;
  }

  /** Sends on what was held back, in order, and all that follows. */
  public void resume() {
    paused = false;
    while (!held.isEmpty()) {
      transmit(held.poll());
    }
  }

  /** Loses everything: what is sent, and what would arrive while it is down. */
  public void down() {
    up = false;
  }

  public void up() {
    up = true;
  }

  public boolean isUp() {
    return up;
  }

  @Override
  public FabricCounts counts() {
    return counts;
  }

  @Override
  public String toString() {
    return from.gid + " -> " + to.gid + (up ? "" : " down") + (paused ? " paused" : "");
  }

  @Override
  public int spread() {
    return spread;
  }

  boolean leadsTo(long high, long low) {
    return to.is(high, low);
  }

  /** Shared with the link of the other direction. */
  Exchange exchange() {
    return exchange;
  }

  /** Ends all faults. */
  void heal() {
    model = model.healed();
    burst = false;
    up = true;
    resume();
  }

  /** Takes a sealed datagram; it is delivered, dropped or held from here on. */
  void carry(FabricDatagram datagram, FabricFilter filter) {
    datagram.link = this;
    network.journal().carried(datagram);
    datagram.exchangedWhenSent = ++exchange.datagrams;
    if (!up) {
      network.drop(datagram, DropReason.LINK_DOWN);
      return;
    }
    if (filter != null) {
      datagram.verdict = network.journal().decided(() -> asked(filter, datagram));
      if (datagram.verdict.drop()) {
        network.drop(datagram, DropReason.FILTERED);
        return;
      }
    }
    if (paused) {
      held.add(datagram);
    } else {
      transmit(datagram);
    }
  }

  private FabricFilter.Verdict asked(FabricFilter filter, FabricDatagram datagram) {
    return filter.decide(
        from.gid, to.gid, datagram.buffer, FabricDatagram.AT, datagram.length, counts.carried());
  }

  @Override
  public void arrive(FabricDatagram datagram) {
    AddressHolder holder = to.holder;
    if (!up) {
      network.drop(datagram, DropReason.LINK_DOWN);
    } else if (holder == null || !holder.takes(datagram) || !network.wants(to, datagram)) {
      network.drop(datagram, DropReason.UNREACHABLE);
    } else if (expired(datagram)) {
      network.drop(datagram, DropReason.EXPIRED);
    } else if (!holder.deliver(datagram)) {
      network.drop(datagram, DropReason.RECEIVE_BUFFER_FULL);
    } else {
      network.journal().delivered(network.nowNs(), datagram);
    }
  }

  /** Whether it has been under way for so many datagrams that its PSN may look new. */
  private boolean expired(FabricDatagram datagram) {
    return exchange.datagrams - datagram.exchangedWhenSent > LIFETIME_DATAGRAMS;
  }

  private void transmit(FabricDatagram datagram) {
    long departureNs = serialise(datagram.packetBytes());
    if (departureNs < 0) {
      network.drop(datagram, DropReason.QUEUE_FULL);
      return;
    }
    if (burstLoses()) {
      network.drop(datagram, DropReason.BURST);
      return;
    }
    if (chance(lossDraw, model.loss())) {
      network.drop(datagram, DropReason.LOSS);
      return;
    }
    long arrivalNs = arrival(departureNs);
    int copies = datagram.verdict.copies();
    int corruptBits = datagram.verdict.corruptBits();
    boolean drawnCopy = chance(duplicateDraw, model.duplicate());
    for (int i = 0; i < copies; i++) {
      duplicate(datagram, arrivalNs);
    }
    if (drawnCopy) {
      long later = model.reorderDelayNs();
      duplicate(datagram, arrivalNs + (later > 0 ? duplicateDraw.nextLong(later + 1) : 0));
    }
    maybeCorrupt(datagram, corruptBits);
    schedule(datagram, lateness(datagram, arrivalNs));
  }

  /** When its last bit has left, or -1: the queue is full. */
  private long serialise(int packetBytes) {
    long nowNs = network.nowNs();
    long bandwidth = model.bandwidth();
    if (bandwidth == 0) {
      return Math.max(nowNs, busyUntilNs);
    }
    long backlogNs = busyUntilNs - nowNs;
    if (backlogNs <= 0) {
      busyUntilNs = nowNs;
      serialisationRemainder = 0;
    } else if (model.queueBytes() > 0) {
      long room = (long) model.queueBytes() - packetBytes;
      if (room < 0 || backlogNs > room * 8L * NS_PER_SECOND / bandwidth) {
        return -1;
      }
    }
    long scaledBits = packetBytes * 8L * NS_PER_SECOND + serialisationRemainder % bandwidth;
    busyUntilNs += scaledBits / bandwidth;
    serialisationRemainder = scaledBits % bandwidth;
    return busyUntilNs;
  }

  private boolean burstLoses() {
    if (burst) {
      burst = !chance(burstDraw, model.burstLeave());
    } else {
      burst = chance(burstDraw, model.burstEnter());
    }
    return burst && chance(burstDraw, model.burstLoss());
  }

  /** In the order of departure, whatever the jitter. */
  private long arrival(long departureNs) {
    long jitterNs = model.jitterNs() > 0 ? jitterDraw.nextLong(model.jitterNs() + 1) : 0;
    lastArrivalNs = Math.max(lastArrivalNs, departureNs + model.delayNs() + jitterNs);
    return lastArrivalNs;
  }

  private long lateness(FabricDatagram datagram, long arrivalNs) {
    long extraNs = datagram.verdict.delayNs();
    if (model.reorderDelayNs() > 0 && chance(reorderDraw, model.reorder())) {
      extraNs += 1 + reorderDraw.nextLong(model.reorderDelayNs());
    }
    if (extraNs > 0) {
      network.journal().delayed(network.nowNs(), datagram, extraNs);
    }
    return arrivalNs + extraNs;
  }

  private void duplicate(FabricDatagram datagram, long arrivalNs) {
    FabricDatagram copy = network.copy(datagram);
    if (copy != null) {
      network.journal().duplicated(network.nowNs(), datagram, copy);
      maybeCorrupt(copy, 0);
      schedule(copy, arrivalNs);
    }
  }

  private void maybeCorrupt(FabricDatagram datagram, int bitsAtLeast) {
    int bits = bitsAtLeast;
    if (chance(corruptDraw, model.corrupt())) {
      bits += 1 + corruptDraw.nextInt(model.corruptBits());
    }
    bits = Math.min(bits, datagram.length * 8);
    if (bits > 0) {
      flip(datagram, bits);
      network.journal().corrupted(network.nowNs(), datagram, bits);
    }
  }

  /** Flips so many distinct bits: Floyd's way to choose, the chosen ones being kept apart. */
  private void flip(FabricDatagram datagram, int bits) {
    int total = datagram.length * 8;
    int[] chosen = new int[bits];
    for (int i = 0; i < bits; i++) {
      int last = total - bits + i;
      int bit = corruptDraw.nextInt(last + 1);
      for (int j = 0; j < i; j++) {
        if (chosen[j] == bit) {
          bit = last;
          break;
        }
      }
      chosen[i] = bit;
      int at = FabricDatagram.AT + (bit >>> 3);
      datagram.buffer.put(at, (byte) (datagram.buffer.get(at) ^ 0x80 >>> (bit & 7)));
    }
    datagram.damaged = true;
  }

  private void schedule(FabricDatagram datagram, long arrivalNs) {
    datagram.arrivalNs = arrivalNs;
    network.schedule(datagram);
  }

  private static boolean chance(SplittableRandom draw, double probability) {
    return probability > 0 && draw.nextDouble() < probability;
  }
}
