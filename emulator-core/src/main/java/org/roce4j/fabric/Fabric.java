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
 * {@link LinkModel} each, and {@link #step} executes the next event: a turn of a {@link Node} that
 * asked for one; if there is none, the clock jumps to the next arrival or deadline, and its node
 * takes a turn. Turns take no time.
 *
 * <p>Deterministic: the same seed and the same calls produce the same packets in the same order;
 * {@link #digest} shows it. One thread at a time may use it.
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

  /** A network without ports; {@link #attach} adds them. */
  public Fabric(FabricOptions options) {
    this.options = options;
    model = options.link();
    seal = new DatagramSeal(options.icrc());
    pool = new DatagramPool(options.memoryBytes());
    spare = pool.spare();
    links = new LinkTable(new Ways(), options.seed());
  }

  /** The options it was created with. Models of links may have changed since. */
  public FabricOptions options() {
    return options;
  }

  /** The virtual clock: nanoseconds since the fabric was made. */
  public long nowNs() {
    return time.nowNs();
  }

  /**
   * Attaches a port, which holds these addresses until it is closed.
   *
   * @throws VerbsException EADDRINUSE if another port holds one of them, EINVAL if the list is
   *     empty or has an address that is not unicast
   */
  public FabricPort attach(List<Gid> gids) {
    return attach(gids, 1, Steering.DEST_QP).getFirst();
  }

  /**
   * Attaches several ports, which share these addresses until all of them are closed.
   *
   * @param count a power of two
   * @param steering chooses the port that receives a datagram
   * @throws VerbsException as {@link #attach(List)}; EINVAL for another count
   */
  public List<FabricPort> attach(List<Gid> gids, int count, Steering steering) {
    return attach("", gids, count, steering);
  }

  /**
   * As {@link #attach(List, int, Steering)}.
   *
   * @param name the sender's name in captures; empty: its address
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
   * Registers the node that drives a port. It takes a turn when a datagram arrives at the port, and
   * a first one in the next step.
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

  /** Gives the node a turn before the clock advances, because it has new work. */
  public void poke(Node node) {
    time.poke(node);
  }

  /**
   * Executes the next event: a turn of a node, or an arrival at a port without one.
   *
   * @return false if there is none
   * @throws IllegalStateException from within a turn, or if a deadline stays in the past
   */
  public boolean step() {
    return time.step();
  }

  /**
   * Steps until the condition holds or time reaches the limit. If no event is left before the
   * limit, the clock is set to the limit.
   *
   * @param limitNs limit on the clock of {@link #nowNs}; {@link Deadlines#NEVER}: none, so that it
   *     ends when there are no further events
   * @return whether the condition holds
   */
  public boolean runUntil(BooleanSupplier condition, long limitNs) {
    return time.runUntil(condition, limitNs);
  }

  /** Lets {@code durationNs} pass. */
  public void run(long durationNs) {
    runUntil(() -> false, nowNs() + durationNs);
  }

  /** The time of the next event; {@link Deadlines#NEVER} if there is none. */
  public long nextEventNs() {
    return time.nextEventNs();
  }

  /** Whether only deadlines are left: no turn is due and no datagram is in flight. */
  public boolean isIdle() {
    return time.isIdle();
  }

  /**
   * Bounds virtual time: a step beyond is refused, as are calls that wait for one.
   *
   * @param endNs end on the clock of {@link #nowNs}; {@link Deadlines#NEVER}: none
   * @param datagrams the largest number of datagrams; each costs real time
   * @param goingOn describes what the devices wait for at the end
   */
  public void endOfTime(long endNs, long datagrams, Supplier<String> goingOn) {
    time.end(endNs, datagrams, goingOn);
  }

  /**
   * The link from one address to another; neither need have a port yet.
   *
   * @throws VerbsException EINVAL if one is an IPv4 and the other an IPv6 address
   */
  public FabricLink link(Gid from, Gid to) {
    if (from.isIpv4Mapped() != to.isIpv4Mapped()) {
      throw new VerbsException(Errno.EINVAL, "no link joins IPv4 and IPv6: " + from + ", " + to);
    }
    return links.kept(addresses.of(from), addresses.of(to), model);
  }

  /** Takes down all links between two ports, in both directions. */
  public void partition(FabricPort a, FabricPort b) {
    forEachLink(a, b, FabricLink::down);
  }

  /** Brings up all links between two ports. */
  public void rejoin(FabricPort a, FabricPort b) {
    forEachLink(a, b, FabricLink::up);
  }

  /** Sets the filter that decides about every datagram from now on; null: none. */
  public void filter(FabricFilter filter) {
    this.filter = filter;
  }

  /**
   * Applies a plan to all datagrams from now on, before the faults of the links; {@link
   * FaultPlan#NONE}: none.
   *
   * @param end the address for which the plan's directions are meant: it sends {@code out} and
   *     receives {@code in}, and other datagrams meet no fault; null: every datagram is {@code out}
   * @return the injector of the plan
   */
  public FaultInjector faults(FaultPlan plan, Gid end) {
    return planned.plan(plan, end == null ? null : List.of(end), nowNs());
  }

  /** As {@link #faults(FaultPlan, Gid)}, for a device that has all these addresses. */
  public FaultInjector faultsAt(FaultPlan plan, Collection<Gid> ends) {
    return planned.plan(plan, List.copyOf(ends), nowNs());
  }

  /**
   * Applies a second plan, before the program's own {@link #faultsAt plan}, and records it in a
   * log.
   */
  public void impose(FaultPlan plan, Collection<Gid> ends, FaultLog log) {
    planned.impose(plan, List.copyOf(ends), nowNs(), log);
  }

  /**
   * Ends all faults: links come up and resume; they no longer lose, copy, reorder or corrupt
   * datagrams, and their queues are unlimited. Delay, jitter and bandwidth stay. Filter and plan
   * are removed.
   */
  public void heal() {
    model = model.healed();
    filter = null;
    planned.heal();
    links.forEach(FabricLink::heal);
  }

  /**
   * Sets the listener for exceptions of filters and observers. Such an exception has no other
   * effect: the datagram passes, and other observers are called. The default listener is the
   * uncaught exception handler of the thread that runs the fabric. An exception of the listener
   * itself ends that thread's call and fails the device that sends.
   */
  public void onThrown(Consumer<? super Throwable> listener) {
    journal.onThrown(listener);
  }

  /** Adds an observer. */
  public void tap(FabricObserver observer) {
    journal.tap(observer);
  }

  /** Removes an observer; does nothing if it was not added. */
  public void untap(FabricObserver observer) {
    journal.untap(observer);
  }

  /**
   * Captures every datagram sent from now on: pcap if the name ends in {@code .pcap}, else pcapng.
   * Closing the capture completes the file.
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

  /** The counts of all links together. */
  public FabricCounts counts() {
    return journal.counts();
  }

  /** A hash over time, direction, fate and bytes of every delivered and dropped datagram so far. */
  public long digest() {
    return journal.digest();
  }

  /** The number of datagrams in flight or waiting in a port. */
  public int inFlight() {
    return pool.inUse();
  }

  /** The memory taken for datagrams, in bytes; that of the busiest moment so far. */
  public long memoryBytes() {
    return pool.allocatedBytes();
  }

  /** The datagrams in flight, one by one. */
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
    datagram.sourcePort = train.sourcePortHint() != 0 ? train.sourcePortHint() : UdpSourcePort.MIN;
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
      addresses.forget(links::forget);
    }
  }

  void detach(FabricPort port) {
    if (port.group().closed()) {
      addresses.detach(port.group().addresses());
      addresses.forget(links::forget);
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
      link = links.link(source, to, model);
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
        links.link(source, group.member(i), model).carry(copy, filter, planned);
      }
    }
  }

  private void forEachLink(FabricPort a, FabricPort b, Consumer<FabricLink> action) {
    for (Address one : a.attached()) {
      for (Address other : b.attached()) {
        if (one.gid.isIpv4Mapped() == other.gid.isIpv4Mapped()) {
          action.accept(links.kept(one, other, model));
          action.accept(links.kept(other, one, model));
        }
      }
    }
  }

  @Override
  public String toString() {
    return "virtual network of seed " + options.seed() + " at " + nowNs() + " ns";
  }
}
