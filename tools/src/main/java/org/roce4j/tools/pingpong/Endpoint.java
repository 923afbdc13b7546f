package org.roce4j.tools.pingpong;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.random.RandomGenerator;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;

/**
 * The verbs objects of one end: domain, memory, completion queue, queue pairs. The context belongs
 * to the caller; everything else goes with {@link #close}.
 *
 * <p>A single queue pair has two buffers in each direction for messages up to 1 MiB, so that the
 * next message is written and the last one checked while the wire works; one for longer ones. Where
 * queue pairs share their receives, each has one buffer to send from, and each of the receives one.
 */
final class Endpoint implements AutoCloseable {
  private static final int PORT = 1;
  private static final long TWO_BUFFERS_UP_TO = 1 << 20;

  /** A message and a probe. */
  private static final int SEND_DEPTH = 2;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Role role;
  private final PingPongService service;
  private final Traffic traffic;
  private final int gidIndex;
  private final Gid gid;
  private final long stride;
  private final int slots;
  private final int receiveBuffers;
  private final ProtectionDomain pd;
  private final MemoryRegion memory;
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final SharedReceiveQueue srq;
  private final List<Lane> lanes = new ArrayList<>();

  /** Makes one end on an opened device, its queue pairs in INIT. */
  Endpoint(
      Context context,
      Role role,
      PingPongService service,
      Traffic traffic,
      int gidIndex,
      RandomGenerator random) {
    this.role = role;
    this.service = service;
    this.traffic = traffic;
    this.gidIndex = gidIndex;
    this.gid = localGid(context, gidIndex);
    checkLimits(context, traffic);
    boolean shared = service.sharesReceives();
    this.slots = !shared && traffic.size() <= TWO_BUFFERS_UP_TO ? 2 : 1;
    this.receiveBuffers = shared ? 2 * traffic.qps() : slots;
    this.stride = -(-Math.max(1, traffic.size() + service.receiveHeadroom()) & -4096L);
    boolean complete = false;
    try {
      Arena arena = keep(Arena.ofShared());
      long bytes = ((long) traffic.qps() * slots + receiveBuffers) * stride;
      pd = keep(context.allocPd());
      memory = keep(pd.registerMemory(arena.allocate(bytes, 4096), AccessFlags.LOCAL_WRITE));
      channel = traffic.events() ? keep(context.createCompletionChannel()) : null;
      cq = keep(context.createCq(receiveDepth() + SEND_DEPTH * traffic.qps(), null, channel, 0));
      srq = shared ? keep(pd.createSrq(new SrqInitAttr(receiveDepth(), 1))) : null;
      for (int i = 0; i < traffic.qps(); i++) {
        QueuePair qp =
            keep(
                pd.createQp(
                    new QpInitAttr()
                        .cq(cq)
                        .srq(srq)
                        .qpType(service.qpType())
                        .cap(
                            new QpCapabilities(
                                SEND_DEPTH, shared ? 0 : receiveDepth(), 1, shared ? 0 : 1))));
        qp.modify(service.initialise());
        lanes.add(
            new Lane(i, qp, new ExchangedAddress(0, qp.qpNum(), random.nextInt(1 << 24), gid)));
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  /** Connects each queue pair to the peer's with the same index: from INIT to RTS. */
  void connect(List<ExchangedAddress> peers) {
    for (Lane lane : lanes) {
      connect(lane, peers.get(lane.index()));
    }
  }

  private void connect(Lane lane, ExchangedAddress to) {
    if (to.gid().isIpv4Mapped() != gid.isIpv4Mapped()) {
      throw ToolFailure.atRunTime(
          "the peer's address "
              + plain(to.gid())
              + " and ours, "
              + plain(gid)
              + ", are not of the same IP version; choose a local address with --bind (for "
              + service.program()
              + ": with -g)");
    }
    boolean datagrams = service.qpType() == QpType.UD;
    lane.plays(to, datagrams ? keep(pd.createAh(AhAttr.roce(to.gid(), gidIndex))) : null);
    service.connect(lane.qp(), lane.address(), to, gidIndex, traffic);
  }

  Role role() {
    return role;
  }

  PingPongService service() {
    return service;
  }

  Traffic traffic() {
    return traffic;
  }

  /** The device's own address. */
  Gid gid() {
    return gid;
  }

  /** The queue pairs. */
  List<Lane> lanes() {
    return lanes;
  }

  /** Our queue pairs, as the peer is told of them. */
  List<ExchangedAddress> addresses() {
    return lanes.stream().map(Lane::address).toList();
  }

  /** The device. */
  Context context() {
    return pd.context();
  }

  /** Where all queue pairs take their receives from, or null. */
  SharedReceiveQueue srq() {
    return srq;
  }

  CompletionQueue cq() {
    return cq;
  }

  /** Null when the queue is polled. */
  CompletionChannel channel() {
    return channel;
  }

  /** Buffers to send from, for each queue pair. */
  int slots() {
    return slots;
  }

  /** Buffers to receive in. */
  int receiveBuffers() {
    return receiveBuffers;
  }

  /** Receives to keep posted. */
  int receiveDepth() {
    return service.sharesReceives() ? receiveBuffers : Traffic.RECEIVE_DEPTH;
  }

  MemoryRegion memory() {
    return memory;
  }

  /** The payload of message {@code number} of a queue pair, to send. */
  MemorySegment sendBuffer(Lane lane, long number) {
    return memory.memory().asSlice(sendOffset(lane, number), traffic.size());
  }

  /** The payload in a buffer of received bytes. */
  MemorySegment receiveBuffer(int buffer) {
    return memory
        .memory()
        .asSlice(receiveOffset(buffer) + service.receiveHeadroom(), traffic.size());
  }

  long sendOffset(Lane lane, long number) {
    return (receiveBuffers + (long) lane.index() * slots + number % slots) * stride;
  }

  long receiveOffset(int buffer) {
    return buffer * stride;
  }

  /** An address as people write it. */
  static String plain(Gid gid) {
    return gid.toInetAddress().getHostAddress();
  }

  private static Gid localGid(Context context, int gidIndex) {
    for (GidEntry entry : context.queryGidTable()) {
      if (entry.portNum() == PORT && entry.gidIndex() == gidIndex) {
        return entry.gid();
      }
    }
    StringBuilder table = new StringBuilder();
    for (GidEntry entry : context.queryGidTable()) {
      table.append(table.isEmpty() ? "" : ", ");
      table.append(entry.gidIndex()).append(" is ").append(plain(entry.gid()));
    }
    throw ToolFailure.atRunTime(
        "device "
            + context.device().name()
            + " has no GID with index "
            + gidIndex
            + " ("
            + (table.isEmpty() ? "its table is empty" : table)
            + ")");
  }

  private static void checkLimits(Context context, Traffic traffic) {
    PortAttr port = context.queryPort(PORT);
    if (traffic.mtu().bytes() > port.activeMtu().bytes()) {
      throw ToolFailure.atRunTime(
          "path MTU "
              + traffic.mtu().bytes()
              + " is more than device "
              + context.device().name()
              + " carries, "
              + port.activeMtu().bytes()
              + "; choose --mtu "
              + port.activeMtu().bytes()
              + " or less, on both sides");
    }
    if (traffic.size() > port.maxMessageSize()) {
      throw ToolFailure.usage(
          "--size "
              + traffic.size()
              + " is over the limit of device "
              + context.device().name()
              + ", "
              + port.maxMessageSize()
              + " bytes");
    }
  }

  private <T extends AutoCloseable> T keep(T object) {
    opened.push(object);
    return object;
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      try {
        opened.pop().close();
      } catch (Exception e) {
        throw ToolFailure.atRunTime("cannot release the " + role + "'s objects: " + e, e);
      }
    }
  }
}
