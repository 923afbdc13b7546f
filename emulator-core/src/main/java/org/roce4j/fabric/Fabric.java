package org.roce4j.fabric;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.IcrcSealer;
import org.roce4j.port.fault.FaultInjector;
import org.roce4j.port.fault.FaultLog;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.capture.CaptureExtent;
import org.roce4j.wire.capture.CaptureWriter;

/**
 * A network in virtual time. Ports are attached under addresses, datagrams travel over links with a
 * {@link LinkModel} each, and {@link #step} makes the next thing happen: a turn of a {@link Node}
 * that asked for one, or else the clock jumps to the next arrival or deadline and the node that it
 * concerns has a turn. Turns take no time.
 *
 * <p>Deterministic: the same seed and the same calls make the same packets in the same order, which
 * {@link #digest} shows. To be used by one thread at a time.
 */
public final class Fabric implements AutoCloseable {
  private final FabricOptions options;
  private final DatagramPool pool;
  private final FabricDatagram spare;
  private final DatagramSeal seal;
  private final Journal journal = new Journal();

  private final AddressTable addresses = new AddressTable();
  private final LinkTable links;
  private final List<PortGroup> groups = new ArrayList<>();
  private final Timeline time = new Timeline();
  private final UnderWay underWay = new UnderWay(time);
  private LinkModel model;
  private FabricFilter filter;
  private final PlannedFaults planned = new PlannedFaults();
  private boolean closed;

  /** A network without addresses; ports join it by {@link #attach}. */
  public Fabric(FabricOptions options) {
    this.options = options;
    model = options.link();
    seal = new DatagramSeal(options.icrc());
    pool = new DatagramPool(options.memoryBytes());
    spare = pool.spare();
    links = new LinkTable(new Ways(), options.seed());
  }

  /** What it was made with; a link's model may have changed since. */
  public FabricOptions options() {
    return options;
  }

  /** The virtual clock: nanoseconds since the fabric was made. */
  public long nowNs() {
    return time.nowNs();
  }

  /**
   * A port that has these addresses until it is closed.
   *
   * @throws VerbsException EADDRINUSE when another port has one of them, EINVAL when there is none,
   *     or one of them is no unicast address
   */
  public FabricPort attach(List<Gid> gids) {
    return attach(gids, 1, Steering.DEST_QP).getFirst();
  }

  /**
   * Several ports that share these addresses until all of them are closed.
   *
   * @param count a power of two
   * @param steering which of them receives what
   * @throws VerbsException as {@link #attach(List)}; EINVAL for another count
   */
  public List<FabricPort> attach(List<Gid> gids, int count, Steering steering) {
    return attach("", gids, count, steering);
  }

  /**
   * As {@link #attach(List, int, Steering)}.
   *
   * @param name what captures call the sender; empty: its address
   */
  public List<FabricPort> attach(String name, List<Gid> gids, int count, Steering steering) {
    PortGroup group = new PortGroup(this, addresses.vacant(gids), count, steering);
    for (Address address : group.addresses()) {
      address.takenBy(group, name);
    }
    groups.add(group);
    return group.ports();
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
    time.register(node, port);
  }

  /** Gives the node a turn before the clock moves on: it was given work. */
  public void poke(Node node) {
    time.poke(node);
  }

  /**
   * Makes the next thing happen: one turn of one node, or an arrival at a port without a node.
   *
   * @return false when nothing is left to happen, now or later
   * @throws IllegalStateException when called from within a turn, or when a node's deadline stays
   *     in the past however often it has a turn
   */
  public boolean step() {
    return time.step();
  }

  /**
   * Steps until the condition holds. Time never passes beyond the limit: with nothing to happen
   * before it, the clock is set to it.
   *
   * @param limitNs on the clock of {@link #nowNs}; {@link Deadlines#NEVER}: none, ends when nothing
   *     is left to happen
   * @return whether the condition holds
   */
  public boolean runUntil(BooleanSupplier condition, long limitNs) {
    return time.runUntil(condition, limitNs);
  }

  /** Lets {@code durationNs} pass. */
  public void run(long durationNs) {
    runUntil(() -> false, nowNs() + durationNs);
  }

  /** When the next thing happens, now or later; {@link Deadlines#NEVER}: nothing is left. */
  public long nextEventNs() {
    return time.nextEventNs();
  }

  /** Whether only a deadline makes something happen next: no turn is due, and nothing arrives. */
  public boolean isIdle() {
    return time.isIdle();
  }

  /**
   * Bounds virtual time: a step that would pass the end is refused, and so is what waits for it.
   *
   * @param endNs on the clock of {@link #nowNs}; {@link Deadlines#NEVER}: none
   * @param goingOn says what the devices wait for then
   */
  public void endOfTime(long endNs, Supplier<String> goingOn) {
    time.end(endNs, goingOn);
  }

  /**
   * The link from one address to another; both need not be attached yet.
   *
   * @throws VerbsException EINVAL when one speaks IPv4 and the other IPv6
   */
  public FabricLink link(Gid from, Gid to) {
    if (from.isIpv4Mapped() != to.isIpv4Mapped()) {
      throw new VerbsException(Errno.EINVAL, "no link joins IPv4 and IPv6: " + from + ", " + to);
    }
    return link(addresses.of(from), addresses.of(to));
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
   * Datagrams suffer this plan from now on, before what the links do to them; {@link
   * FaultPlan#NONE}: none.
   *
   * @param end whose view the plan takes: what this address sends goes out, what it is sent comes
   *     in, all else is left alone; null: everything goes out
   * @return the faults from now on
   */
  public FaultInjector faults(FaultPlan plan, Gid end) {
    return planned.plan(plan, end == null ? null : List.of(end), nowNs());
  }

  /** As {@link #faults(FaultPlan, Gid)}, in the view of a device that has these addresses. */
  public FaultInjector faultsAt(FaultPlan plan, Collection<Gid> ends) {
    return planned.plan(plan, List.copyOf(ends), nowNs());
  }

  /** Beside the program's own {@link #faultsAt plan}; the log is told what is met. */
  public void impose(FaultPlan plan, Collection<Gid> ends, FaultLog log) {
    planned.impose(plan, List.copyOf(ends), nowNs(), log);
  }

  /**
   * Ends all faults for good: links come up and resume, lose, copy, reorder and corrupt nothing and
   * have unlimited queues; delay, jitter and bandwidth stay. Filter and plan are removed.
   */
  public void heal() {
    model = model.healed();
    filter = null;
    planned.heal();
    links.forEach(FabricLink::heal);
  }

  /**
   * Is told what a filter or an observer throws, from now on; nothing else changes: the datagram
   * passes, other observers are told. At first that is the uncaught exception handler of the thread
   * that makes the fabric run. What the listener throws in its turn ends that thread's call, and
   * fails the device that sends.
   */
  public void onThrown(Consumer<? super Throwable> listener) {
    journal.onThrown(listener);
  }

  /** Tells the observer of each datagram from now on. */
  public void tap(FabricObserver observer) {
    journal.tap(observer);
  }

  /** Tells the observer no more; one that was never told is no error. */
  public void untap(FabricObserver observer) {
    journal.untap(observer);
  }

  /**
   * Captures every datagram sent from now on, whole: pcap when the name ends so, else pcapng. The
   * capture is complete when it is closed.
   */
  public FabricCapture capture(java.nio.file.Path file) throws IOException {
    return capture(file, CaptureWriter.WHOLE_FRAMES);
  }

  /** Captures the first {@code snapLength} bytes of every IP packet sent from now on. */
  public FabricCapture capture(java.nio.file.Path file, int snapLength) throws IOException {
    return capture(file, snapLength, CaptureExtent.ALL);
  }

  /** As {@link #capture(java.nio.file.Path)}, of the first and the last packets. */
  public FabricCapture capture(java.nio.file.Path file, CaptureExtent extent) throws IOException {
    return capture(file, CaptureWriter.WHOLE_FRAMES, extent);
  }

  private FabricCapture capture(java.nio.file.Path file, int snapLength, CaptureExtent extent)
      throws IOException {
    FabricCapture capture =
        new FabricCapture(this::untap, addresses::nameOfSender, file, snapLength, extent);
    tap(capture);
    return capture;
  }

  /** Of all links together. */
  public FabricCounts counts() {
    return journal.counts();
  }

  /** A hash over time, direction, fate and bytes of every delivered and dropped datagram so far. */
  public long digest() {
    return journal.digest();
  }

  /** Datagrams that are under way or wait in a port. */
  public int inFlight() {
    return pool.inUse();
  }

  /** Memory taken for datagrams; it does not grow beyond the busiest moment. */
  public long memoryBytes() {
    return pool.allocatedBytes();
  }

  /** The datagrams under way, one by one. */
  public UnderWay underWay() {
    return underWay;
  }

  /** Closes all ports and releases the memory of all datagrams. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      for (PortGroup group : List.copyOf(groups)) {
        group.ports().forEach(FabricPort::close);
      }
      time.clear();
      pool.close();
    }
  }

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
    seal.seal(datagram);
    if (train.spoiled(identification)) {
      IcrcSealer.spoil(datagram.buffer, FabricDatagram.AT, length);
      datagram.damaged = true;
    }
    journal.sent(time.nowNs(), datagram);
    if (!room) {
      journal.carried(datagram);
      drop(datagram, DropReason.MEMORY_FULL);
    } else if (GidAddress.isMulticast(datagram.destinationHigh, datagram.destinationLow)) {
      sendToGroup(source, datagram);
    } else {
      sendTo(source, datagram);
    }
  }

  IcrcVerdict judge(FabricDatagram datagram) {
    return seal.judge(datagram);
  }

  void release(FabricDatagram datagram) {
    pool.release(datagram);
  }

  void join(Address member, Gid group) {
    addresses.join(member, group);
  }

  void leave(Address member, Gid group) {
    addresses.leave(member, group);
  }

  void add(PortGroup group, Gid gid) {
    if (!group.has(gid)) {
      group.addresses(addresses.add(group, group.addresses(), gid));
    }
  }

  void remove(PortGroup group, Gid gid) {
    if (group.has(gid)) {
      group.addresses(addresses.remove(group.addresses(), gid));
    }
  }

  void detach(FabricPort port) {
    if (port.group().closed()) {
      addresses.detach(port.group().addresses());
      groups.remove(port.group());
    }
    time.unregister(port);
  }

  private void drop(FabricDatagram datagram, DropReason reason) {
    journal.dropped(time.nowNs(), datagram, reason);
    if (datagram != spare) {
      pool.release(datagram);
    }
  }

  private FabricDatagram copy(FabricDatagram datagram) {
    FabricDatagram copy = pool.take(datagram.length);
    if (copy != null) {
      copy.copyOf(datagram);
    }
    return copy;
  }

  /** The fabric as its links see it. */
  private final class Ways implements Network {
    @Override
    public long nowNs() {
      return time.nowNs();
    }

    @Override
    public Journal journal() {
      return journal;
    }

    @Override
    public void schedule(FabricDatagram datagram) {
      time.schedule(datagram);
    }

    @Override
    public void reschedule(FabricDatagram datagram, long arrivalNs) {
      time.reschedule(datagram, arrivalNs);
    }

    @Override
    public FabricDatagram copy(FabricDatagram datagram) {
      return Fabric.this.copy(datagram);
    }

    @Override
    public void seal(FabricDatagram datagram) {
      seal.seal(datagram);
    }

    @Override
    public void drop(FabricDatagram datagram, DropReason reason) {
      Fabric.this.drop(datagram, reason);
    }

    @Override
    public boolean wants(Address address, FabricDatagram datagram) {
      return addresses.wants(address, datagram);
    }
  }

  private void sendTo(Address source, FabricDatagram datagram) {
    FabricLink link = links.find(source, datagram.destinationHigh, datagram.destinationLow);
    if (link == null) {
      Address to = addresses.find(datagram.destination());
      if (to == null) {
        journal.carried(datagram);
        drop(datagram, DropReason.UNREACHABLE);
        return;
      }
      link = link(source, to);
    }
    link.carry(datagram, filter, planned);
  }

  private void sendToGroup(Address source, FabricDatagram datagram) {
    MulticastGroup group = addresses.group(datagram.destinationHigh, datagram.destinationLow);
    int members = group == null ? 0 : group.size();
    if (members == 0) {
      journal.carried(datagram);
      drop(datagram, DropReason.UNREACHABLE);
      return;
    }
    for (int i = 0; i < members; i++) {
      FabricDatagram copy = i < members - 1 ? copy(datagram) : datagram;
      if (copy == null) {
        spare.copyOf(datagram);
        journal.carried(spare);
        drop(spare, DropReason.MEMORY_FULL);
      } else {
        link(source, group.member(i)).carry(copy, filter, planned);
      }
    }
  }

  private FabricLink link(Address from, Address to) {
    return links.link(from, to, model);
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
}
