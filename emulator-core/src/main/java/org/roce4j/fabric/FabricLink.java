package org.roce4j.fabric;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.roce4j.engine.datagram.Ecn;
import org.roce4j.port.fault.Fate;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultInjector;
import org.roce4j.port.fault.Forgery;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bth;

/**
 * One direction between two addresses: the model, whose rules it applies, and the state. Each kind
 * of fault has its own random numbers, derived from the seed and both addresses, so another link or
 * another fault does not change them.
 */
public final class FabricLink implements Carrier {
  /**
   * A datagram is dropped if it is still in flight after this many others were sent between the two
   * addresses: PSNs have 24 bits, half of them look new, and half of those may be in flight.
   */
  static final long LIFETIME_DATAGRAMS = 1L << 22;

  /** Kinds with random numbers, in the order in which their streams are split off. */
  private static final List<Kind> DRAWN =
      List.of(Kind.LATENCY, Kind.DROP, Kind.BURST, Kind.DUPLICATE, Kind.DELAY, Kind.CORRUPT);

  private final Network network;
  private final Address from;
  private final Address to;
  private final int spread;
  private final DatagramCount exchange;
  private final FabricCounts counts = new FabricCounts();
  private final ArrayDeque<FabricDatagram> held = new ArrayDeque<>();

  /** Datagrams held back until enough others have overtaken them. */
  private final List<FabricDatagram> overtakable = new ArrayList<>();

  private final FaultInjector faults;
  private LinkModel model;
  private boolean up = true;
  private boolean paused;

  FabricLink(
      Network network,
      Address from,
      Address to,
      DatagramCount exchange,
      LinkModel model,
      long seed) {
    this.network = network;
    this.from = from;
    this.to = to;
    this.exchange = exchange;
    SplittableRandom root = new SplittableRandom(seed);
    Map<Kind, SplittableRandom> draws = new EnumMap<>(Kind.class);
    for (Kind kind : DRAWN) {
      draws.put(kind, root.split());
    }
    spread = root.nextInt();
    faults = new FaultInjector(kind -> draws.computeIfAbsent(kind, any -> root.split()));
    model(model);
  }

  /**
   * The number of datagrams that two addresses have sent each other, in both directions together.
   */
  static final class DatagramCount {
    long datagrams;
  }

  /** The address that sends over this link. */
  public Gid from() {
    return from.gid;
  }

  @Override
  public Gid to() {
    return to.gid;
  }

  /** The current model. */
  public LinkModel model() {
    return model;
  }

  /** Sets the model. Datagrams already in flight arrive as planned. */
  public void model(LinkModel model) {
    this.model = model;
    faults.rules(model.rules());
  }

  /** Holds back datagrams sent from now on, until {@link #resume}. */
  public void pause() {
    paused = true;
  }

  /** Sends the datagrams held back, in order, and no longer holds datagrams back. */
  public void resume() {
    paused = false;
    while (!held.isEmpty()) {
      transmit(held.poll());
    }
  }

  /** Takes the link down: datagrams sent, and datagrams that would arrive, are lost. */
  public void down() {
    up = false;
  }

  /** Brings the link up after {@link #down}. A new link is up. */
  public void up() {
    up = true;
  }

  /** Whether the link is up. */
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

  boolean joins(Address address) {
    return from == address || to == address;
  }

  /** Whether each datagram that it has carried, and each copy, was delivered or dropped. */
  boolean quiet() {
    return counts.carried() + counts.duplicated() == counts.delivered() + counts.dropped();
  }

  /** Shared with the link of the other direction. */
  DatagramCount exchange() {
    return exchange;
  }

  /** Ends all faults. */
  void heal() {
    model(model.healed());
    faults.heal();
    up = true;
    resume();
  }

  /**
   * Takes over a sealed datagram, which is then delivered, dropped or held back.
   *
   * @param filter null: none
   */
  void carry(FabricDatagram datagram, FabricFilter filter, PlannedFaults planned) {
    datagram.link = this;
    network.journal().carried(datagram);
    datagram.exchangedWhenSent = ++exchange.datagrams;
    datagram.fate.begin(network.nowNs());
    if (!up) {
      network.drop(datagram, DropReason.LINK_DOWN);
      return;
    }
    if (filter != null) {
      ask(filter, datagram);
    }
    planned.decide(from.gid, to.gid, datagram, network.nowNs());
    for (int i = 0; i < datagram.fate.forgeries(); i++) {
      FabricDatagram forged = forged(datagram, datagram.fate.forgery(i));
      if (forged != null) {
        send(forged);
      }
    }
    if (datagram.fate.lostBy() != null) {
      network.drop(datagram, DropReason.FILTERED);
    } else {
      send(datagram);
    }
  }

  private void send(FabricDatagram datagram) {
    if (paused) {
      held.add(datagram);
    } else {
      transmit(datagram);
    }
  }

  /** A forged packet that travels before the datagram; null: none can be made. */
  private FabricDatagram forged(FabricDatagram datagram, FaultAction action) {
    FabricDatagram forged = datagram.length < Bth.SIZE ? null : network.copy(datagram);
    if (forged == null) {
      return null;
    }
    int at = FabricDatagram.AT;
    forged.length = Forgery.write(action, datagram.buffer, at, datagram.length, forged.buffer, at);
    network.seal(forged);
    forged.fate.begin(network.nowNs());
    network.journal().forged(network.nowNs(), datagram, forged);
    network.journal().carried(forged);
    return forged;
  }

  private void ask(FabricFilter filter, FabricDatagram datagram) {
    List<FaultAction> actions =
        network
            .journal()
            .decided(
                () ->
                    filter.decide(
                        from.gid,
                        to.gid,
                        datagram.buffer,
                        FabricDatagram.AT,
                        datagram.length,
                        counts.carried()));
    for (FaultAction action : actions) {
      faults.apply(action, datagram.packetBytes(), network.nowNs(), datagram.fate);
    }
  }

  @Override
  public void arrive(FabricDatagram datagram) {
    AddressHolder holder = to.holder;
    overtakable.remove(datagram);
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

  /** Whether its PSN may look new, because {@link #LIFETIME_DATAGRAMS} others were sent since. */
  private boolean expired(FabricDatagram datagram) {
    return exchange.datagrams - datagram.exchangedWhenSent > LIFETIME_DATAGRAMS;
  }

  private void transmit(FabricDatagram datagram) {
    Fate fate = datagram.fate;
    long nowNs = network.nowNs();
    fate.arrivalNs(Math.max(fate.arrivalNs(), nowNs));
    faults.decide(
        FaultDirection.OUT,
        datagram.buffer,
        FabricDatagram.AT,
        datagram.length,
        datagram.packetBytes(),
        nowNs,
        fate);
    if (fate.lostBy() != null) {
      network.drop(datagram, reason(fate.lostBy()));
      return;
    }
    suffer(datagram);
    overtake(datagram.arrivalNs);
    if (fate.overtakenBy() > 0) {
      datagram.overtakenBy = fate.overtakenBy();
      overtakable.add(datagram);
    }
  }

  @Override
  public void strike(FabricDatagram datagram, FaultAction action) {
    Fate fate = datagram.fate;
    overtakable.remove(datagram);
    fate.begin(datagram.arrivalNs);
    faults.apply(action, datagram.packetBytes(), datagram.arrivalNs, fate);
    for (int i = 0; i < fate.forgeries(); i++) {
      FabricDatagram forged = forged(datagram, fate.forgery(i));
      if (forged != null) {
        schedule(forged, datagram.arrivalNs);
      }
    }
    if (fate.lostBy() != null) {
      network.drop(datagram, DropReason.FILTERED);
      return;
    }
    suffer(datagram);
    if (fate.overtakenBy() > 0) {
      datagram.overtakenBy = fate.overtakenBy();
      overtakable.add(datagram);
    }
  }

  /**
   * Applies the fate of a datagram that is not lost: marks, cuts, copies, damages and delays it.
   */
  private void suffer(FabricDatagram datagram) {
    Fate fate = datagram.fate;
    long nowNs = network.nowNs();
    if (fate.congested()) {
      datagram.trafficClass = Ecn.marked(datagram.trafficClass);
      network.journal().marked(nowNs, datagram);
    }
    int cut = fate.cutBytes(datagram.length);
    if (cut > 0) {
      datagram.length -= cut;
      datagram.damaged = true;
      network.journal().cut(nowNs, datagram, cut);
    }
    for (int i = 0; i < fate.copies(); i++) {
      duplicate(datagram, fate.arrivalNs() + fate.copyLaterNs(i));
    }
    damage(datagram, fate);
    if (fate.laterNs() > 0) {
      network.journal().delayed(nowNs, datagram, fate.laterNs());
    }
    schedule(datagram, fate.arrivalNs() + fate.laterNs());
  }

  private static DropReason reason(Kind lostBy) {
    return switch (lostBy) {
      case RATE -> DropReason.QUEUE_FULL;
      case BURST -> DropReason.BURST;
      default -> DropReason.LOSS;
    };
  }

  /**
   * A datagram has been scheduled: each datagram held back has been overtaken once more, and
   * arrives after it if that was the last time.
   */
  private void overtake(long arrivalNs) {
    for (int i = 0; i < overtakable.size(); ) {
      FabricDatagram waiting = overtakable.get(i);
      if (--waiting.overtakenBy == 0) {
        overtakable.remove(i);
        network.reschedule(waiting, Math.min(waiting.arrivalNs, arrivalNs));
      } else {
        i++;
      }
    }
  }

  private void duplicate(FabricDatagram datagram, long arrivalNs) {
    FabricDatagram copy = network.copy(datagram);
    if (copy != null) {
      network.journal().duplicated(network.nowNs(), datagram, copy);
      damage(copy, datagram.fate);
      schedule(copy, arrivalNs);
    }
  }

  private void damage(FabricDatagram datagram, Fate fate) {
    int bits = FaultInjector.damage(fate, datagram.buffer, FabricDatagram.AT, datagram.length);
    if (bits > 0) {
      datagram.damaged = true;
      network.journal().corrupted(network.nowNs(), datagram, bits);
    }
  }

  private void schedule(FabricDatagram datagram, long arrivalNs) {
    datagram.arrivalNs = arrivalNs;
    network.schedule(datagram);
  }
}
