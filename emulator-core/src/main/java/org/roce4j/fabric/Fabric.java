package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Bth;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.UdpSourcePort;

/**
 * A network in virtual time. Ports are attached under addresses, datagrams travel over links with a
 * {@link LinkModel} each, and {@link #step} makes the next thing happen: a turn of a {@link Node}
 * that asked for one, or else the clock jumps to the next arrival or deadline and whoever it
 * concerns has a turn. Turns take no time.
 *
 * <p>Deterministic: the same seed and the same calls make the same packets in the same order, which
 * {@link #digest} shows. To be used by one thread at a time.
 */
public final class Fabric implements AutoCloseable {
  /** So many turns for deadlines alone without the clock moving are a node that runs in circles. */
  private static final int MAX_TURNS_IN_PLACE = 1_000_000;

  private final FabricOptions options;
  private final DatagramPool pool;
  private final FabricDatagram spare;
  private final Icrc icrc = new Icrc();
  private final RunDigest digest = new RunDigest();
  private final FabricCounts counts = new FabricCounts();

  private final Map<Gid, Address> addresses = new HashMap<>();
  private final List<FabricLink> links = new ArrayList<>();
  private final List<MulticastGroup> groups = new ArrayList<>();
  private final List<FabricPort> registered = new ArrayList<>();
  private final List<FabricObserver> observers = new ArrayList<>();
  private final PriorityQueue<FabricDatagram> underWay =
      new PriorityQueue<>(
          64,
          (a, b) ->
              a.arrivalNs != b.arrivalNs
                  ? Long.compare(a.arrivalNs, b.arrivalNs)
                  : Long.compare(a.sequence, b.sequence));

  private LinkModel model;
  private FabricFilter filter;
  private long nowNs;
  private long sequence;
  private int nextTurn;
  private int turnsInPlace;
  private boolean running;
  private boolean closed;

  public Fabric(FabricOptions options) {
    this.options = options;
    model = options.link();
    pool = new DatagramPool(options.memoryBytes());
    spare = pool.spare();
  }

  public FabricOptions options() {
    return options;
  }

  /** The virtual clock: nanoseconds since the fabric was made. */
  public long nowNs() {
    return nowNs;
  }

  // Ports and nodes

  /**
   * A port that has these addresses until it is closed.
   *
   * @throws VerbsException EADDRINUSE when another port has one of them, EINVAL when there is none,
   *     or one of them is no unicast address
   */
  public FabricPort attach(List<Gid> gids) {
    if (gids.isEmpty()) {
      throw new VerbsException(Errno.EINVAL, "a port needs at least one address");
    }
    List<Address> own = new ArrayList<>();
    for (Gid gid : gids) {
      if (gid.isZero() || gid.isMulticast()) {
        throw new VerbsException(Errno.EINVAL, gid + " is no address that a port can have");
      }
      Address address = addresses.computeIfAbsent(gid, Address::new);
      if (address.port != null || own.contains(address)) {
        throw new VerbsException(
            Errno.EADDRINUSE, gid + " is taken on this fabric: close its port, or use another");
      }
      own.add(address);
    }
    FabricPort port = new FabricPort(this, List.copyOf(own));
    own.forEach(address -> address.port = port);
    return port;
  }

  /**
   * That node has its turn when something arrives at the port; it has its first one in the next
   * step.
   */
  public void register(Node node, FabricPort port) {
    if (port.fabric() != this || port.closed()) {
      throw new VerbsException(Errno.EINVAL, port + " is not attached to this fabric");
    }
    if (port.node != null) {
      throw new VerbsException(Errno.EBUSY, port + " has a node already: close it first");
    }
    port.node = node;
    port.attention = true;
    registered.add(port);
  }

  /** Gives the node a turn before the clock moves on: it was given work. */
  public void poke(Node node) {
    for (int i = 0; i < registered.size(); i++) {
      if (registered.get(i).node == node) {
        registered.get(i).attention = true;
      }
    }
  }

  // Time

  /**
   * Makes the next thing happen: one turn of one node, or an arrival at a port without a node.
   *
   * @return false when nothing is left to happen, now or later
   * @throws IllegalStateException when called from within a turn, or when a node's deadline stays
   *     in the past however often it has a turn
   */
  public boolean step() {
    if (running) {
      throw new IllegalStateException("a node's turn must not step the fabric");
    }
    FabricPort port = nextAttentive();
    if (port == null) {
      long next = nextEventNs();
      if (next == Long.MAX_VALUE) {
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

  /**
   * Steps until the condition holds. Time never passes beyond the limit: with nothing to happen
   * before it, the clock is set to it.
   *
   * @param limitNs on the clock of {@link #nowNs}; {@link Long#MAX_VALUE}: none, ends when nothing
   *     is left to happen
   * @return whether the condition holds
   */
  public boolean runUntil(BooleanSupplier condition, long limitNs) {
    while (!condition.getAsBoolean()) {
      long next = nextEventNs();
      if (next > limitNs || next == Long.MAX_VALUE) {
        if (limitNs != Long.MAX_VALUE) {
          nowNs = Math.max(nowNs, limitNs);
        }
        return condition.getAsBoolean();
      }
      step();
    }
    return true;
  }

  /** Lets so much time pass. */
  public void run(long durationNs) {
    runUntil(() -> false, nowNs + durationNs);
  }

  /** When the next thing happens, now or later; {@link Long#MAX_VALUE}: nothing is left. */
  public long nextEventNs() {
    long next = underWay.isEmpty() ? Long.MAX_VALUE : underWay.peek().arrivalNs;
    for (int i = 0; i < registered.size(); i++) {
      FabricPort port = registered.get(i);
      next = Math.min(next, port.attention ? nowNs : port.node.nextDeadlineNs());
    }
    return next == Long.MAX_VALUE ? next : Math.max(next, nowNs);
  }

  // Links

  /**
   * The link from one address to another; both need not be attached yet.
   *
   * @throws VerbsException EINVAL when one speaks IPv4 and the other IPv6
   */
  public FabricLink link(Gid from, Gid to) {
    if (from.isIpv4Mapped() != to.isIpv4Mapped()) {
      throw new VerbsException(Errno.EINVAL, "no link joins IPv4 and IPv6: " + from + ", " + to);
    }
    return link(
        addresses.computeIfAbsent(from, Address::new), addresses.computeIfAbsent(to, Address::new));
  }

  /** Takes all links between two ports down, both ways. */
  public void partition(FabricPort a, FabricPort b) {
    forEachLink(a, b, FabricLink::down);
  }

  /** Takes all links between two ports up again. */
  public void rejoin(FabricPort a, FabricPort b) {
    forEachLink(a, b, FabricLink::up);
  }

  /** Asked about every datagram from now on; null: none. */
  public void filter(FabricFilter filter) {
    this.filter = filter;
  }

  /**
   * Ends all faults for good: links come up and resume, lose, copy, reorder and corrupt nothing and
   * have unlimited queues; delay, jitter and bandwidth stay. The filter is removed.
   */
  public void heal() {
    model = model.healed();
    filter = null;
    for (int i = 0; i < links.size(); i++) {
      links.get(i).heal();
    }
  }

  // What happened

  /** Tells the observer of each datagram from now on. */
  public void tap(FabricObserver observer) {
    observers.add(observer);
  }

  public void untap(FabricObserver observer) {
    observers.remove(observer);
  }

  /** Of all links together. */
  public FabricCounts counts() {
    return counts;
  }

  /** A hash over time, direction, fate and bytes of every delivered and dropped datagram so far. */
  public long digest() {
    return digest.value();
  }

  /** Datagrams that are under way or wait in a port. */
  public int inFlight() {
    return pool.inUse();
  }

  /** Memory taken for datagrams; it does not grow beyond the busiest moment. */
  public long memoryBytes() {
    return pool.allocatedBytes();
  }

  /** Closes all ports and releases the memory of all datagrams. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      for (Address address : addresses.values()) {
        if (address.port != null) {
          address.port.close();
        }
      }
      underWay.clear();
      pool.close();
    }
  }

  // From ports

  void send(Address source, Transmit train, int at, int length, int identification) {
    Path path = train.path();
    FabricDatagram datagram = pool.take(length);
    boolean room = datagram != null;
    if (!room) {
      datagram = spare;
      datagram.length = length;
    }
    datagram.sourceHigh = source.high;
    datagram.sourceLow = source.low;
    datagram.destinationHigh = path.remoteHigh();
    datagram.destinationLow = path.remoteLow();
    datagram.sourcePort =
        train.sourcePortHint() != 0 ? train.sourcePortHint() & 0xFFFF : UdpSourcePort.MIN;
    datagram.identification = path.ipv4() ? identification : 0;
    datagram.trafficClass = path.trafficClass();
    datagram.hopLimit = path.hopLimit();
    datagram.buffer.put(FabricDatagram.AT, train.buffer(), at, length);
    seal(datagram);
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).sent(nowNs, datagram);
    }
    if (!room) {
      counts.countCarried();
      drop(datagram, DropReason.MEMORY_FULL);
    } else if (GidAddress.isMulticast(datagram.destinationHigh, datagram.destinationLow)) {
      sendToGroup(source, datagram);
    } else {
      sendTo(source, datagram);
    }
  }

  IcrcVerdict judge(FabricDatagram datagram) {
    if (datagram.length < Bth.SIZE + Icrc.SIZE) {
      return IcrcVerdict.WRONG;
    }
    if (!options.icrc()) {
      return datagram.damaged ? IcrcVerdict.WRONG : IcrcVerdict.UNCHECKED;
    }
    int carried = Icrc.read(datagram.buffer, FabricDatagram.AT + datagram.length - Icrc.SIZE);
    return carried == icrcOf(datagram) ? IcrcVerdict.RIGHT : IcrcVerdict.WRONG;
  }

  void release(FabricDatagram datagram) {
    pool.release(datagram);
  }

  void join(FabricPort port, long high, long low) {
    if (!GidAddress.isMulticast(high, low)) {
      throw new VerbsException(Errno.EINVAL, new Gid(high, low) + " is no multicast group");
    }
    Address member = port.speaking(GidAddress.isIpv4Mapped(high, low));
    if (member == null) {
      throw new VerbsException(
          Errno.EINVAL, port + " has no address of the IP version of " + new Gid(high, low));
    }
    MulticastGroup group = group(high, low);
    if (group == null) {
      group = new MulticastGroup(high, low);
      groups.add(group);
    }
    group.join(member);
  }

  void leave(FabricPort port, long high, long low) {
    MulticastGroup group = group(high, low);
    Address member = port.speaking(GidAddress.isIpv4Mapped(high, low));
    if (group == null || member == null || !group.leave(member)) {
      throw new VerbsException(
          Errno.EINVAL, port + " is no member of the group " + new Gid(high, low));
    }
  }

  void detach(FabricPort port, List<Address> attached) {
    groups.forEach(group -> group.leaveAltogether(port));
    attached.forEach(address -> address.port = null);
    registered.remove(port);
  }

  // From links

  void schedule(FabricDatagram datagram) {
    datagram.sequence = sequence++;
    underWay.add(datagram);
  }

  /** A copy with the same way before it; null when the memory is used up. */
  FabricDatagram copy(FabricDatagram datagram) {
    FabricDatagram copy = pool.take(datagram.length);
    if (copy != null) {
      copy.copyOf(datagram);
    }
    return copy;
  }

  void drop(FabricDatagram datagram, DropReason reason) {
    digest.add(nowNs, 1 + reason.ordinal(), datagram);
    counts.countDropped(reason);
    if (datagram.link != null) {
      datagram.link.counts().countDropped(reason);
    }
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).dropped(nowNs, datagram, reason);
    }
    if (datagram != spare) {
      pool.release(datagram);
    }
  }

  void duplicated(FabricDatagram original, FabricDatagram copy) {
    counts.countDuplicated();
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).duplicated(nowNs, original, copy);
    }
  }

  void corrupted(FabricDatagram datagram, int bits) {
    counts.countCorrupted();
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).corrupted(nowNs, datagram, bits);
    }
  }

  void reordered(FabricDatagram datagram, long delayNs) {
    counts.countReordered();
    for (int i = 0; i < observers.size(); i++) {
      observers.get(i).delayed(nowNs, datagram, delayNs);
    }
  }

  // Turns

  /** The next port whose node is to have a turn, in rounds so that none has to wait for ever. */
  private FabricPort nextAttentive() {
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

  private void turn(FabricPort port) {
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
    boolean moved = toNs > nowNs;
    nowNs = toNs;
    while (!underWay.isEmpty() && underWay.peek().arrivalNs <= nowNs) {
      moved = true;
      arrive(underWay.poll());
    }
    for (int i = 0; i < registered.size(); i++) {
      FabricPort port = registered.get(i);
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

  private void arrive(FabricDatagram datagram) {
    FabricLink link = datagram.link;
    FabricPort port = link.to.port;
    if (!link.isUp()) {
      drop(datagram, DropReason.LINK_DOWN);
    } else if (port == null || !wants(link.to, datagram)) {
      drop(datagram, DropReason.UNREACHABLE);
    } else if (link.expired(datagram)) {
      drop(datagram, DropReason.EXPIRED);
    } else if (!port.deliver(datagram, options.receiveBufferBytes())) {
      drop(datagram, DropReason.RECEIVE_BUFFER_FULL);
    } else {
      digest.add(nowNs, 0, datagram);
      counts.countDelivered();
      link.counts().countDelivered();
      for (int i = 0; i < observers.size(); i++) {
        observers.get(i).delivered(nowNs, datagram);
      }
    }
  }

  /** Whether it was sent to this address, or to a group that it is still a member of. */
  private boolean wants(Address address, FabricDatagram datagram) {
    if (address.is(datagram.destinationHigh, datagram.destinationLow)) {
      return true;
    }
    MulticastGroup group = group(datagram.destinationHigh, datagram.destinationLow);
    return group != null && group.has(address);
  }

  // Ways

  private void sendTo(Address source, FabricDatagram datagram) {
    FabricLink link = source.linkTo(datagram.destinationHigh, datagram.destinationLow);
    if (link == null) {
      Address to = addresses.get(datagram.destination());
      if (to == null) {
        counts.countCarried();
        drop(datagram, DropReason.UNREACHABLE);
        return;
      }
      link = link(source, to);
    }
    counts.countCarried();
    link.carry(datagram, filter);
  }

  private void sendToGroup(Address source, FabricDatagram datagram) {
    MulticastGroup group = group(datagram.destinationHigh, datagram.destinationLow);
    int members = group == null ? 0 : group.size();
    if (members == 0) {
      counts.countCarried();
      drop(datagram, DropReason.UNREACHABLE);
      return;
    }
    for (int i = 0; i < members; i++) {
      FabricDatagram copy = i < members - 1 ? copy(datagram) : datagram;
      counts.countCarried();
      if (copy == null) {
        spare.copyOf(datagram);
        drop(spare, DropReason.MEMORY_FULL);
      } else {
        link(source, group.member(i)).carry(copy, filter);
      }
    }
  }

  private FabricLink link(Address from, Address to) {
    FabricLink link = from.linkTo(to.high, to.low);
    if (link == null) {
      FabricLink back = to.linkTo(from.high, from.low);
      FabricLink.Exchange exchange = back == null ? new FabricLink.Exchange() : back.exchange();
      long seed = options.seed();
      for (long half : new long[] {from.high, from.low, to.high, to.low}) {
        seed = (seed ^ half) * 0xBF58_476D_1CE4_E5B9L;
        seed ^= seed >>> 31;
      }
      link = new FabricLink(this, from, to, exchange, model, seed);
      from.add(link);
      links.add(link);
    }
    return link;
  }

  private void forEachLink(FabricPort a, FabricPort b, Consumer<FabricLink> action) {
    for (Address one : a.attached()) {
      for (Address other : b.attached()) {
        if (one.gid.isIpv4Mapped() == other.gid.isIpv4Mapped()) {
          action.accept(link(one, other));
          action.accept(link(other, one));
        }
      }
    }
  }

  private MulticastGroup group(long high, long low) {
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i).high == high && groups.get(i).low == low) {
        return groups.get(i);
      }
    }
    return null;
  }

  private void seal(FabricDatagram datagram) {
    if (datagram.length >= Bth.SIZE + Icrc.SIZE) {
      int value = options.icrc() ? icrcOf(datagram) : 0;
      Icrc.write(datagram.buffer, FabricDatagram.AT + datagram.length - Icrc.SIZE, value);
    }
  }

  private int icrcOf(FabricDatagram datagram) {
    return datagram.ipv4()
        ? icrc.ofIpv4(
            GidAddress.ipv4(datagram.sourceLow),
            GidAddress.ipv4(datagram.destinationLow),
            datagram.sourcePort,
            UdpSourcePort.ROCE_V2,
            datagram.identification,
            datagram.buffer,
            FabricDatagram.AT,
            datagram.length)
        : icrc.ofIpv6(
            datagram.sourceHigh,
            datagram.sourceLow,
            datagram.destinationHigh,
            datagram.destinationLow,
            datagram.sourcePort,
            UdpSourcePort.ROCE_V2,
            datagram.buffer,
            FabricDatagram.AT,
            datagram.length);
  }
}
