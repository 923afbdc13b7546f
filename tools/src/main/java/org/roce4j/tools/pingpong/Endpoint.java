package org.roce4j.tools.pingpong;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.AccessFlags;
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
import org.roce4j.verbs.QueuePair;

/**
 * The verbs objects of one end: domain, memory, completion queue, queue pair. The context belongs
 * to the caller; everything else goes with {@link #close}.
 *
 * <p>Messages up to 1 MiB have two buffers in each direction, so that the next message is written
 * and the last one checked while the wire works; longer ones have one.
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
  private final MemoryRegion memory;
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final QueuePair qp;
  private final ExchangedAddress address;
  private ExchangedAddress peer;

  /** Makes one end on an opened device, its queue pair in INIT. */
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
    this.slots = traffic.size() <= TWO_BUFFERS_UP_TO ? 2 : 1;
    this.stride = -(-Math.max(1, traffic.size() + service.receiveHeadroom()) & -4096L);
    boolean complete = false;
    try {
      Arena arena = keep(Arena.ofShared());
      ProtectionDomain pd = keep(context.allocPd());
      memory =
          keep(
              pd.registerMemory(arena.allocate(2 * slots * stride, 4096), AccessFlags.LOCAL_WRITE));
      channel = traffic.events() ? keep(context.createCompletionChannel()) : null;
      cq = keep(context.createCq(Traffic.RECEIVE_DEPTH + SEND_DEPTH, null, channel, 0));
      qp =
          keep(
              pd.createQp(
                  new QpInitAttr()
                      .cq(cq)
                      .qpType(service.qpType())
                      .cap(new QpCapabilities(SEND_DEPTH, Traffic.RECEIVE_DEPTH, 1, 1))));
      qp.modify(service.initialise());
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
    this.address = new ExchangedAddress(0, qp.qpNum(), random.nextInt(1 << 24), gid);
  }

  /** Connects the queue pair to the peer's: from INIT to RTS. */
  void connect(ExchangedAddress to) {
    if (to.gid().isIpv4Mapped() != gid.isIpv4Mapped()) {
      throw ToolFailure.atRunTime(
          "the peer's address "
              + plain(to.gid())
              + " and ours, "
              + plain(gid)
              + ", are not of the same IP version; choose a local address with --bind (for"
              + " ibv_rc_pingpong: with -g)");
    }
    peer = to;
    service.connect(qp, address, to, gidIndex, traffic.mtu());
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

  /** Our queue pair, as the peer is told of it. */
  ExchangedAddress address() {
    return address;
  }

  /** The queue pair this one is connected to. */
  ExchangedAddress peer() {
    return peer;
  }

  QueuePair qp() {
    return qp;
  }

  CompletionQueue cq() {
    return cq;
  }

  /** Null when the queue is polled. */
  CompletionChannel channel() {
    return channel;
  }

  /** Buffers in each direction. */
  int slots() {
    return slots;
  }

  MemoryRegion memory() {
    return memory;
  }

  /** The payload of message {@code number} to send. */
  MemorySegment sendBuffer(long number) {
    return memory.memory().asSlice(sendOffset(number), traffic.size());
  }

  /** The payload of message {@code number} received. */
  MemorySegment receiveBuffer(long number) {
    return memory
        .memory()
        .asSlice(receiveOffset(number) + service.receiveHeadroom(), traffic.size());
  }

  long sendOffset(long number) {
    return number % slots * stride;
  }

  long receiveOffset(long number) {
    return (slots + number % slots) * stride;
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
