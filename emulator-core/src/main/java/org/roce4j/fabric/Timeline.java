package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** Virtual time: the clock, the datagrams in flight and the turns of the nodes. */
final class Timeline {
  /**
   * After this many turns for deadlines without progress of the clock, a node is taken to loop
   * without end.
   */
  private static final int MAX_TURNS_IN_PLACE = 100_000;

  private final List<Participant> registered = new ArrayList<>();
  private final PriorityQueue<FabricDatagram> underWay =
      new PriorityQueue<>(
          64,
          (a, b) ->
              a.arrivalNs != b.arrivalNs
                  ? Long.compare(a.arrivalNs, b.arrivalNs)
                  : Long.compare(a.sequence, b.sequence));

  /** The end of virtual time, and the text of the refusal. */
  private long endNs = Deadlines.NEVER;

  private long mostDatagrams = Long.MAX_VALUE;

  private Supplier<String> goingOn = () -> "";

  private long nowNs;

  /**
   * The number of the next datagram. Datagrams that arrive at one time arrive in the order of their
   * numbers.
   */
  private long sequence;

  private int nextTurn;
  private int turnsInPlace;
  private boolean running;

  long nowNs() {
    return nowNs;
  }

  void register(Node node, Participant port) {
    port.node = node;
    port.attention = true;
    registered.add(port);
  }

  void unregister(Participant port) {
    registered.remove(port);
  }

  void poke(Node node) {
    for (int i = 0; i < registered.size(); i++) {
      if (registered.get(i).node == node) {
        registered.get(i).attention = true;
      }
    }
  }

  /** As {@link Network#schedule}. */
  void schedule(FabricDatagram datagram) {
    datagram.sequence = sequence++;
    underWay.add(datagram);
  }

  /** As {@link Network#reschedule}. */
  void reschedule(FabricDatagram datagram, long arrivalNs) {
    underWay.remove(datagram);
    datagram.arrivalNs = arrivalNs;
    schedule(datagram);
  }

  /** Cancels an arrival; false if the datagram was not in flight. */
  boolean withdraw(FabricDatagram datagram) {
    return underWay.remove(datagram);
  }

  /** As {@link UnderWay#datagrams}. */
  List<FabricDatagram> underWay() {
    return underWay.stream().sorted(underWay.comparator()).toList();
  }

  void clear() {
    underWay.clear();
  }

  /** As {@link Fabric#endOfTime}. */
  void end(long endNs, long datagrams, Supplier<String> goingOn) {
    this.endNs = endNs;
    mostDatagrams = datagrams;
    this.goingOn = goingOn;
  }

  /** As {@link Fabric#step}. */
  boolean step() {
    if (running) {
      throw new IllegalStateException("a node's turn must not step the fabric");
    }
    Participant port = nextAttentive();
    if (port == null) {
      long next = nextEventNs();
      if (!Deadlines.isSet(next)) {
        return false;
      }
      advance(next);
      port = nextAttentive();
    }
    if (port != null) {
      turn(port);
    }
    return true;
  }

  /** As {@link Fabric#runUntil}. */
  boolean runUntil(BooleanSupplier condition, long limitNs) {
    while (!condition.getAsBoolean()) {
      long next = nextEventNs();
      if (next > limitNs || !Deadlines.isSet(next)) {
        if (Deadlines.isSet(limitNs)) {
          nowNs = Math.max(nowNs, limitNs);
        }
        return condition.getAsBoolean();
      }
      step();
    }
    return true;
  }

  /** As {@link Fabric#nextEventNs}. */
  long nextEventNs() {
    long next = underWay.isEmpty() ? Deadlines.NEVER : underWay.peek().arrivalNs;
    for (int i = 0; i < registered.size(); i++) {
      Participant port = registered.get(i);
      next = Math.min(next, port.attention ? nowNs : port.node.nextDeadlineNs());
    }
    return Math.max(next, nowNs);
  }

  /** As {@link Fabric#isIdle}. */
  boolean isIdle() {
    long next = nextEventNs();
    return next > nowNs && (underWay.isEmpty() || next < underWay.peek().arrivalNs);
  }

  /**
   * The next port whose node must take a turn. The search is cyclic, so that every node is reached.
   */
  private Participant nextAttentive() {
    int size = registered.size();
    for (int i = 0; i < size; i++) {
      int index = (nextTurn + i) % size;
      if (registered.get(index).attention) {
        nextTurn = index + 1;
        return registered.get(index);
      }
    }
    return null;
  }

  private void turn(Participant port) {
    int waiting = port.waiting();
    port.attention = false;
    running = true;
    try {
      port.node.run(nowNs);
    } finally {
      running = false;
    }
    if (port.waiting() > 0 && port.waiting() < waiting) {
      port.attention = true;
    }
  }

  private void advance(long toNs) {
    checkEnd(toNs);
    boolean moved = toNs > nowNs;
    nowNs = toNs;
    while (!underWay.isEmpty() && underWay.peek().arrivalNs <= nowNs) {
      moved = true;
      FabricDatagram datagram = underWay.poll();
      datagram.link.arrive(datagram);
    }
    for (int i = 0; i < registered.size(); i++) {
      Participant port = registered.get(i);
      if (port.node.nextDeadlineNs() <= nowNs) {
        port.attention = true;
      }
    }
    turnsInPlace = moved ? 0 : turnsInPlace + 1;
    if (turnsInPlace > MAX_TURNS_IN_PLACE) {
      throw new IllegalStateException(
          "a node's deadline stays in the past at " + nowNs + " ns, whatever turns it has");
    }
  }

  private void checkEnd(long toNs) {
    if (toNs > endNs) {
      throw usedUp(
          Wording.of("the virtual time of this network, %,d s, is", endNs / 1_000_000_000L));
    }
    if (sequence > mostDatagrams) {
      throw usedUp(Wording.of("the datagrams of this network, %,d, are", mostDatagrams));
    }
  }

  private VerbsException usedUp(String what) {
    return Errno.ETIMEDOUT.refusal("%s used up: %s", what, goingOn.get());
  }
}
