package org.roce4j.emulator.cm;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.roce4j.device.CmDevice;
import org.roce4j.engine.cm.Route;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.ProviderChannel;
import org.roce4j.verbs.cm.ProviderId;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.RejectReason;
import org.roce4j.verbs.cm.UdParam;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Bytes;

/**
 * An id on emulated devices. Its monitor guards addresses, route and listening; its peering belongs
 * to the owner of the engine that has queue pair 1. The monitor is taken before the engine, and
 * never by the engine's owner.
 */
final class EmulatedCmId implements ProviderId {
  private static final int MOST_BACKLOG = 1024;
  private static final InetAddress ANY = InetAddress.ofLiteral("0.0.0.0");

  /** The state of an id ({@code enum rdma_cm_state}). */
  enum State {
    IDLE,
    ADDR_BOUND,
    ADDR_RESOLVED,
    ROUTE_RESOLVED,
    LISTEN,
    CONNECT,
    CLOSED
  }

  private final CmDevice home;
  private final PortSpace ps;
  private final QpType qpType;
  private final IdOptions options = new IdOptions();
  private final JoinedGroups groups = new JoinedGroups(this);
  private final Farewells farewells = new Farewells(this::deviceCloses);
  private final List<Listening> listening = new CopyOnWriteArrayList<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile EmulatedCmChannel channel;
  private volatile State state = State.IDLE;
  private volatile CmDevice device;

  /** The device's port that has, or had, the local address; 0: none yet. */
  private volatile int port;

  private volatile InetSocketAddress local;
  private volatile InetSocketAddress peer;
  private volatile Peering peering;

  private IdBinding binding;

  /**
   * An id in state IDLE.
   *
   * @param home the device that reports it as an open object
   */
  EmulatedCmId(EmulatedCmChannel channel, CmDevice home, PortSpace ps, QpType qpType) {
    this.channel = channel;
    this.home = home;
    this.ps = ps;
    this.qpType = qpType;
  }

  /** The id of a connection request, which is bound and has a peer. For the engine's owner. */
  EmulatedCmId child(CmDevice device, int port, InetSocketAddress local, InetSocketAddress peer) {
    EmulatedCmId child = new EmulatedCmId(channel, device, ps, qpType);
    child.livesOn(device, port);
    child.local = local;
    child.peer = peer;
    child.state = State.CONNECT;
    return child;
  }

  /** The calling thread passes it to the program, which must close it. */
  void isGiven() {
    home.remember(this);
  }

  private void livesOn(CmDevice on, int portNum) {
    device = on;
    port = portNum;
    farewells.promise(on);
  }

  private void livesOn(CmDevice on, Gid address) {
    livesOn(on, on.portOf(address));
  }

  /** The context closes: informs the peer and the program. For the owner of all engines. */
  private void deviceCloses(CmDevice gone) {
    listening.removeIf(each -> each.stopOn(gone));
    if (device == gone) {
      Peering with = peering;
      if (with != null) {
        with.close();
      }
      report(gone, ProviderReport.of(CmEventType.DEVICE_REMOVAL, this, 0));
    }
  }

  void peering(Peering with) {
    peering = with;
  }

  QpType qpType() {
    return qpType;
  }

  @Override
  public Context context() {
    CmDevice bound = device;
    return bound == null ? null : bound.context();
  }

  @Override
  public int portNum() {
    return port;
  }

  @Override
  public InetSocketAddress localAddr() {
    return local;
  }

  @Override
  public InetSocketAddress peerAddr() {
    return peer;
  }

  // ---- options

  @Override
  public synchronized void setOption(CmOption option, int value) {
    options.set(option, value, qpType, state);
    if (binding != null && state != State.LISTEN) {
      binding.allow(options);
    }
  }

  @Override
  public void setIbPath(byte[] pathRecords) {
    throw Errno.ENOSYS.refusal("a route of RoCE is always resolved: resolveRoute");
  }

  // ---- addresses and routes

  @Override
  public synchronized void bindAddr(InetSocketAddress address) {
    require(State.IDLE);
    binding = IdBinding.take(ps, address, options, channel.devices());
    local = binding.address();
    if (!address.getAddress().isAnyLocalAddress()) {
      livesOn(binding.devices().getFirst(), Gid.of(address.getAddress()));
    }
    state = State.ADDR_BOUND;
  }

  @Override
  public synchronized void resolveAddr(
      InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
    if (state == State.IDLE && source != null) {
      bindAddr(source);
    }
    require(State.IDLE, State.ADDR_BOUND);
    InetAddress to = destination.getAddress();
    if (local != null) {
      requireFamily(local.getAddress(), to);
    }
    List<CmDevice> some = isOnADevice() ? binding.devices() : channel.devices();
    SourceChoice found = SourceChoice.of(Gid.of(to), some);
    if (found == null) {
      int errno = Errno.EHOSTUNREACH.number();
      reportAtOnce(
          channel.devices().getFirst(), ProviderReport.of(CmEventType.ADDR_ERROR, this, -errno));
      return;
    }
    if (!isOnADevice()) {
      bindTo(found.address());
    }
    CmDevice by = found.device();
    livesOn(by, Gid.of(local.getAddress()));
    InetAddress at = to.isAnyLocalAddress() ? local.getAddress() : to;
    peer = new InetSocketAddress(at, destination.getPort());
    state = State.ADDR_RESOLVED;
    reportAtOnce(by, ProviderReport.of(CmEventType.ADDR_RESOLVED, this, 0));
  }

  private static void requireFamily(InetAddress own, InetAddress other) {
    if (own instanceof Inet4Address != other instanceof Inet4Address) {
      throw Errno.EINVAL.refusal(
          "%s and %s are of different families: bind to an address of the destination's",
          own.getHostAddress(), other.getHostAddress());
    }
  }

  /** Whether it is bound to the address of a device and not to the wildcard. */
  private boolean isOnADevice() {
    return local != null && !local.getAddress().isAnyLocalAddress();
  }

  private void bindTo(Gid source) {
    if (binding == null) {
      bindAddr(new InetSocketAddress(source.toInetAddress(), 0));
    } else {
      local = new InetSocketAddress(source.toInetAddress(), local.getPort());
    }
  }

  @Override
  public synchronized void resolveRoute(int timeoutMs) {
    require(State.ADDR_RESOLVED);
    state = State.ROUTE_RESOLVED;
    reportAtOnce(device, ProviderReport.of(CmEventType.ROUTE_RESOLVED, this, 0));
  }

  // ---- listening

  @Override
  public synchronized void listen(int backlog) {
    if (state == State.IDLE) {
      bindAddr(new InetSocketAddress(ANY, 0));
    }
    require(State.ADDR_BOUND);
    List<CmDevice> on = binding.devices();
    binding.listen(options);
    int most = backlog <= 0 || backlog > MOST_BACKLOG ? MOST_BACKLOG : backlog;
    long serviceId = ps.serviceId(local.getPort());
    boolean afOnly = options.afOnly(local.getAddress());
    for (CmDevice each : on) {
      farewells.promise(each);
      listening.add(new Listening(this, each, serviceId, afOnly, waiting, most));
    }
    state = State.LISTEN;
    listening.forEach(Listening::start);
  }

  /** A request was taken from the channel, so there is room for another one. */
  void requestTaken() {
    waiting.decrementAndGet();
  }

  // ---- connections

  @Override
  public synchronized void connect(ConnParam param) {
    require(State.ROUTE_RESOLVED);
    PeerRoute way = new PeerRoute(device, local, peer);
    Route route = way.with(options);
    Bytes privateData = way.addresses().before(Bytes.of(param.privateData()));
    long serviceId = ps.serviceId(peer.getPort());
    onDevice(
        () -> {
          if (device.manager().full()) {
            throw Errno.ENOMEM.refusal("the device has as many connections as it can: close some");
          }
          state = State.CONNECT;
          return peering =
              qpType == QpType.UD
                  ? DatagramPeering.connecting(this, device, route, serviceId, privateData)
                  : ConnectionPeering.connecting(
                      this, device, route, serviceId, ConnectionPeering.offer(param, privateData));
        });
  }

  @Override
  public void accept(ConnParam param) {
    withPeer(with -> with.accept(param));
  }

  @Override
  public void reject(RejectReason reason, byte[] privateData) {
    withPeer(with -> with.reject(reason, privateData));
  }

  @Override
  public void establish() {
    withPeer(Peering::establish);
  }

  @Override
  public void disconnect() {
    withPeer(Peering::disconnect);
  }

  @Override
  public void notify(EventType event) {
    withPeer(with -> with.notify(event));
  }

  private void withPeer(Consumer<Peering> call) {
    require(State.CONNECT);
    onDevice(
        () -> {
          call.accept(peering);
          return null;
        });
  }

  private <T> T onDevice(Supplier<T> call) {
    return device.exclusively(call);
  }

  @Override
  public QpAttr initQpAttr(QpState state) {
    if (device == null) {
      throw new VerbsException(Errno.EINVAL, this + " is not bound to a device");
    }
    QpAttr attr = new QpAttr().qpState(state);
    if (state == QpState.INIT) {
      attr.pkeyIndex(device.pkeyIndex()).portNum(port);
    } else if (state != QpState.RTR && state != QpState.RTS) {
      throw new VerbsException(Errno.EINVAL, "attributes are for INIT, RTR or RTS, not " + state);
    }
    if (qpType == QpType.UD) {
      return state == QpState.INIT
          ? attr.qkey(UdParam.QKEY)
          : state == QpState.RTS ? attr.sqPsn(0) : attr;
    }
    Peering with = peering;
    if (with != null) {
      onDevice(
          () -> {
            with.describe(state, attr);
            return null;
          });
    } else if (state == QpState.INIT) {
      attr.qpAccessFlags(0);
    } else {
      throw new VerbsException(Errno.EINVAL, this + " has no peer yet");
    }
    return attr;
  }

  // ---- multicast

  @Override
  public synchronized void joinMulticast(InetAddress group, JoinFlag flag, Object join) {
    require(State.ADDR_BOUND, State.ADDR_RESOLVED);
    if (device == null) {
      throw new VerbsException(Errno.EINVAL, this + " is not bound to a device");
    }
    if (qpType != QpType.UD) {
      throw new VerbsException(Errno.EINVAL, "ids of " + qpType + " join no groups: UD ids do");
    }
    if (!group.isMulticastAddress()) {
      throw new VerbsException(Errno.EINVAL, group.getHostAddress() + " is not a group");
    }
    requireFamily(local.getAddress(), group);
    int index = device.gidIndex(Gid.of(local.getAddress()));
    AhAttr to = AhAttr.roce(Gid.of(group), index, PeerRoute.HOP_LIMIT, options.tos()).onPort(port);
    reportAtOnce(device, groups.join(group, join, to));
  }

  @Override
  public synchronized void leaveMulticast(InetAddress group, Object join) {
    groups.leave(group, join);
    channel.withdraw(report -> report.join() == join);
  }

  // ---- reports

  /** Adds a report to the channel. For the owner of engine {@code by}. */
  void report(CmDevice by, ProviderReport report) {
    if (state != State.CLOSED) {
      channel.report(by, report);
    }
  }

  private void reportAtOnce(CmDevice by, ProviderReport report) {
    by.exclusively(
        () -> {
          report(by, report);
          return null;
        });
  }

  @Override
  public synchronized void migrate(ProviderChannel to) {
    if (!(to instanceof EmulatedCmChannel other)) {
      throw Errno.EINVAL.refusal("the channel is of another provider");
    }
    EmulatedCmChannel before = channel;
    if (device != null) {
      before.move(this, other, device);
    } else {
      channel = other; // a report that an engine adds to the old channel now is moved, too
      before.devices().forEach(each -> quietly(() -> before.move(this, other, each)));
    }
  }

  void channel(EmulatedCmChannel to) {
    channel = to;
  }

  // ---- the end

  @Override
  public synchronized void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    listening.forEach(each -> quietly(each::stop));
    for (ProviderReport report : channel.withdraw(this)) {
      if (report.id() != this) {
        report.id().close(); // a request that the program did not take
      }
    }
    Peering with = peering;
    if (with != null) {
      quietly(
          () ->
              onDevice(
                  () -> {
                    with.close();
                    return null;
                  }));
    }
    if (binding != null) {
      binding.release();
    }
    farewells.withdraw();
    home.forget(this);
  }

  /** Runs a call whose refusal means that the device is closed. */
  static void quietly(Runnable call) {
    try {
      call.run();
    } catch (VerbsException e) {
      // The device is closed.
    }
  }

  private void require(State... allowed) {
    State now = state;
    if (!List.of(allowed).contains(now)) {
      throw Errno.EINVAL.refusal(
          "%s is %s, and this needs %s; see the order of calls in docs/connection-manager.md",
          this, now, Stream.of(allowed).map(State::name).collect(Collectors.joining(" or ")));
    }
  }

  @Override
  public String toString() {
    return "id " + ps + " " + Wording.endpoint(local) + " - " + Wording.endpoint(peer);
  }
}
