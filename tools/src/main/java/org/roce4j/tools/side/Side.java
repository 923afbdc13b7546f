package org.roce4j.tools.side;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.roce4j.connect.QpAddress;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;

/**
 * The verbs objects of one side: domain, memory, completion queue, queue pairs. The context belongs
 * to the caller; everything else goes with {@link #close}.
 *
 * @param <A> a queue pair's address, as the sides exchange it
 * @param <L> a queue pair with the command's own state
 */
public abstract class Side<A extends QpAddress, L extends Lane<A>> implements AutoCloseable {
  private static final int PAGE = 4096;

  protected final DeviceAttr limits;
  protected final List<L> lanes = new ArrayList<>();
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Context context;
  private final Role role;
  private final LocalAddress local;
  private final Gid gid;
  private final Arena arena;
  private final ProtectionDomain pd;
  private MemoryRegion memory;
  private CompletionChannel channel;
  private CompletionQueue cq;

  /**
   * A side without memory and queues.
   *
   * @param local the port and address of its queue pairs
   */
  protected Side(Context context, Role role, LocalAddress local) {
    this.context = context;
    this.role = role;
    this.local = local;
    this.gid = gid(context, local);
    this.limits = context.queryDevice();
    this.arena = keep(Arena.ofShared());
    this.pd = keep(context.allocPd());
  }

  /** Registers {@code bytes} bytes of memory. */
  protected final MemoryRegion openMemory(long bytes, int access) {
    memory = keep(pd.registerMemory(arena.allocate(bytes, PAGE), access));
    return memory;
  }

  /**
   * Makes the completion queue.
   *
   * @param completions entries, as far as the device has them
   * @param events whether completion events are waited for
   */
  protected final void openQueue(long completions, boolean events) {
    channel = events ? keep(context.createCompletionChannel()) : null;
    cq = keep(context.createCq((int) Math.min(completions, limits.maxCqe()), null, channel, 0));
  }

  /** Makes a queue pair, in INIT. */
  protected final QueuePair openQp(
      QpType type, QpCapabilities capabilities, SharedReceiveQueue srq, int access) {
    QpInitAttr attr = new QpInitAttr().cq(cq).srq(srq).qpType(type).cap(capabilities);
    QueuePair qp = keep(pd.createQp(attr));
    QpBringUp.to(
        QpState.INIT, qp, QpBringUp.attributes().portNum(local.port()).qpAccessFlags(access));
    return qp;
  }

  /** The transport service of the queue pairs. */
  protected abstract QpType type();

  /** Path MTU of the queue pairs. */
  protected abstract Mtu mtu();

  /** Exponent of the ACK timeout: 4.096 us * 2^n. */
  protected abstract int ackTimeout();

  /** The address of a lane in the form of the C program at the other end. */
  protected abstract String addressOptionOfTheCProgram();

  /** Connects each queue pair to the peer's with the same index: from INIT to RTS. */
  public final void connect(List<A> peers) {
    for (L lane : lanes) {
      connect(lane, peers.get(lane.index));
    }
  }

  /** Notes the peer's addresses; the queue pairs are connected by other means. */
  public final void learn(List<A> peers) {
    lanes.forEach(lane -> lane.connected(peers.get(lane.index)));
  }

  private void connect(L lane, A peer) {
    QpAttr attr = attributes(lane, peer, peer.qpn());
    if (type() == QpType.UD) {
      lane.reached(keep(pd.createAh(attr.ahAttr())), peer.qpn(), QpBringUp.QKEY);
    }
    lane.connected(peer);
    QpBringUp.toRts(
        lane.qp,
        attr.maxDestRdAtomic(lane.own.outReads())
            .maxRdAtomic(Math.min(peer.outReads(), Math.max(1, limits.maxQpInitRdAtomic()))));
  }

  /** The path to the peer, if both have addresses of one kind. */
  private AhAttr path(A peer) {
    if (peer.gid().isIpv4Mapped() != gid.isIpv4Mapped()) {
      throw ToolFailure.atRunTime(
          "the peer's address %s and ours, %s, are not of the same IP version; choose with"
              + " --bind (%s)",
          peer.gid().addressText(), gid.addressText(), addressOptionOfTheCProgram());
    }
    return AhAttr.roce(peer.gid(), local.gidIndex()).onPort(local.port());
  }

  /**
   * Connects a lane that sends by one queue pair and receives by another.
   *
   * @param peer with the number of the queue pair that it receives by
   * @param peerSender the number of the queue pair that it sends by
   */
  protected final void connectBothWays(L lane, QueuePair sender, A peer, int peerSender) {
    lane.connected(peer);
    QpBringUp.toRts(lane.qp, attributes(lane, peer, peerSender));
    QpBringUp.toRts(sender, attributes(lane, peer, peer.qpn()));
  }

  private QpAttr attributes(L lane, A peer, int destination) {
    return QpBringUp.attributes(path(peer), destination)
        .pathMtu(mtu())
        .rqPsn(peer.psn())
        .sqPsn(lane.own.psn())
        .timeout(ackTimeout());
  }

  public final Role role() {
    return role;
  }

  /** Whether this side sends first. */
  public final boolean client() {
    return role == Role.CLIENT;
  }

  public final Context context() {
    return context;
  }

  protected final ProtectionDomain pd() {
    return pd;
  }

  /** Its port and the index of its address there. */
  protected final LocalAddress local() {
    return local;
  }

  /** The device's own address. */
  public final Gid gid() {
    return gid;
  }

  /** Memory that lives as long as this side, for lists of requests. */
  public final Arena arena() {
    return arena;
  }

  public final MemoryRegion memory() {
    return memory;
  }

  public final CompletionQueue cq() {
    return cq;
  }

  /** Null if the queue is polled. */
  public final CompletionChannel channel() {
    return channel;
  }

  public final List<L> lanes() {
    return lanes;
  }

  /** The addresses of the queue pairs for the peer. */
  public final List<A> addresses() {
    return lanes.stream().map(lane -> lane.own).toList();
  }

  /** The peer's queue pairs, once connected. */
  public final List<A> peerAddresses() {
    return lanes.stream().map(Lane::peer).toList();
  }

  /** Fails if a list was not posted. */
  public final void demandPosted(String what, int errno) {
    if (errno != 0) {
      Errno known = Errno.of(errno);
      throw ToolFailure.atRunTime(
          "the %s cannot post a %s: %s",
          role, what, known == null ? "errno " + errno : known + ", " + known.text());
    }
  }

  /** A device's counters, without zeros. */
  public static Map<String, Long> counters(Context context) {
    Map<String, Long> counters = new LinkedHashMap<>(context.counters());
    counters.values().removeIf(value -> value == 0);
    return counters;
  }

  /**
   * The path MTU to use.
   *
   * @param port port of the device
   * @param wanted null: the greatest that the device supports
   * @param option the option that chooses another
   */
  public static Mtu mtu(Context context, int port, Mtu wanted, String option) {
    Mtu active = context.queryPort(port).activeMtu();
    if (wanted != null && wanted.bytes() > active.bytes()) {
      throw ToolFailure.usage(
          "path MTU %d is more than device %s carries, %d; choose %s %3$d or less, on both"
              + " sides",
          wanted.bytes(), context.device().name(), active.bytes(), option);
    }
    return wanted == null ? active : wanted;
  }

  private static Gid gid(Context context, LocalAddress local) {
    int ports = context.queryDevice().physPortCount();
    if (local.port() > ports) {
      throw ToolFailure.usage(
          "device %s has %s, not port %d; choose with --ib-port",
          context.device().name(),
          ports == 1 ? "port 1 alone" : "the ports 1 to " + ports,
          local.port());
    }
    List<GidEntry> table =
        context.queryGidTable().stream().filter(entry -> entry.portNum() == local.port()).toList();
    for (GidEntry entry : table) {
      if (entry.gidIndex() == local.gidIndex()) {
        return entry.gid();
      }
    }
    String entries =
        table.stream()
            .map(entry -> entry.gidIndex() + " is " + entry.gid().addressText())
            .collect(Collectors.joining(", "));
    throw ToolFailure.usage(
        "device %s has no GID with index %d (%s); choose with --gid-index",
        context.device().name(),
        local.gidIndex(),
        entries.isEmpty() ? "its table is empty" : entries);
  }

  protected final <T extends AutoCloseable> T keep(T object) {
    opened.push(object);
    return object;
  }

  @Override
  public final void close() {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        throw ToolFailure.atRunTime(
            "cannot release what the " + role + " used: " + e.getMessage(), e);
      }
    }
  }
}
