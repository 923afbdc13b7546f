package org.roce4j.tools.perf.traffic;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.random.RandomGenerator;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.perf.exchange.PerftestExchange.Agreement;
import org.roce4j.tools.perf.exchange.QueuePairKey;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;

/**
 * The verbs objects of one side: domain, memory, completion queue, queue pairs. The context belongs
 * to the caller; everything else goes with {@link #close}.
 */
public final class End implements AutoCloseable {
  /** Of every path MTU, bytes. */
  private static final int ONE_PACKET = 256;

  private static final int PORT = 1;
  private static final int QKEY = 0x11111111;
  private static final int RETRIES = 7;
  private static final int RNR_RETRY_WITHOUT_END = 7;

  /** 0.64 ms. */
  private static final int MIN_RNR_TIMER = 12;

  private static final long MOST_BYTES = 4L << 30;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final boolean client;
  private final Plan plan;
  private final int gidIndex;
  private final Gid gid;
  private final DeviceAttr limits;
  private final BufferLayout layout;
  private final Arena arena;
  private final ProtectionDomain pd;
  private final MemoryRegion memory;
  private final CompletionChannel channel;
  private final CompletionQueue cq;
  private final List<Lane> lanes = new ArrayList<>();
  private final MessageBytes bytes;

  /** Makes one side on an opened device, its queue pairs in INIT. */
  public End(
      Context context,
      boolean client,
      Plan plan,
      Agreement agreement,
      int gidIndex,
      RandomGenerator random) {
    this.client = client;
    this.plan = plan;
    this.gidIndex = gidIndex;
    this.gid = localGid(context, gidIndex);
    this.limits = context.queryDevice();
    this.layout = BufferLayout.of(plan, agreement);
    checkMemory();
    this.bytes = plan.verify() ? new MessageBytes(plan.lossy()) : null;
    boolean complete = false;
    try {
      arena = keep(Arena.ofShared());
      pd = keep(context.allocPd());
      memory =
          keep(
              pd.registerMemory(
                  arena.allocate(layout.bytes(), 4096),
                  AccessFlags.LOCAL_WRITE
                      | AccessFlags.REMOTE_WRITE
                      | AccessFlags.REMOTE_READ
                      | AccessFlags.REMOTE_ATOMIC));
      channel = plan.events() ? keep(context.createCompletionChannel()) : null;
      int depth = plan.txDepth() + plan.signalEvery() + (plan.receives() ? plan.rxDepth() : 0);
      long completions = (long) depth * plan.queuePairs() + 1;
      cq = keep(context.createCq((int) Math.min(completions, limits.maxCqe()), null, channel, 0));
      for (int i = 0; i < plan.queuePairs(); i++) {
        addLane(i, random.nextInt(1 << 24));
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private void checkMemory() {
    if (layout.bytes() > MOST_BYTES) {
      throw ToolFailure.usage(
          "this needs "
              + (layout.bytes() >> 20)
              + " MiB of memory on each side: choose a smaller --size, --qps"
              + (plan.verify() ? ", --tx-depth or --rx-depth" : ""));
    }
  }

  private void addLane(int index, int psn) {
    int receives = plan.receives() ? plan.rxDepth() : 0;
    var qp =
        keep(
            pd.createQp(
                new QpInitAttr()
                    .cq(cq)
                    .qpType(plan.service())
                    .cap(
                        new QpCapabilities(
                            plan.txDepth() + plan.signalEvery(),
                            receives,
                            1,
                            1,
                            copies() ? plan.size() : 0))));
    boolean datagrams = plan.service() == QpType.UD;
    QpAttr init = new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(PORT);
    int access =
        plan.service() == QpType.RC
            ? AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC
            : AccessFlags.REMOTE_WRITE;
    qp.modify(datagrams ? init.qkey(QKEY) : init.qpAccessFlags(access));
    QueuePairKey own =
        new QueuePairKey(
            0,
            outstandingReads(),
            qp.qpNum(),
            psn,
            memory.rkey(),
            memory.iova() + layout.receiveOffset(index, 0),
            gid,
            0);
    lanes.add(new Lane(index, qp, own));
  }

  /**
   * What a responder keeps for duplicates, which costs it memory: no more than the test has under
   * way. (A long READ may be asked for in parts.)
   */
  private int outstandingReads() {
    boolean asks = plan.verb() == Verb.READ || plan.verb() == Verb.ATOMIC;
    if (!asks) {
      return 1;
    }
    int most = Math.max(1, limits.maxQpRdAtomic());
    return plan.size() > ONE_PACKET ? most : Math.min(most, plan.txDepth());
  }

  /** The keys of the queue pairs, for the peer. */
  public List<QueuePairKey> keys() {
    return lanes.stream().map(lane -> lane.own).toList();
  }

  /** The keys of the peer's queue pairs, once connected. */
  public List<QueuePairKey> peerKeys() {
    return lanes.stream().map(lane -> lane.peer).toList();
  }

  /** Connects each queue pair to the peer's with the same index: from INIT to RTS. */
  public void connect(List<QueuePairKey> peers) {
    for (Lane lane : lanes) {
      lane.peer = peers.get(lane.index);
      if (lane.peer.gid().isIpv4Mapped() != gid.isIpv4Mapped()) {
        throw ToolFailure.atRunTime(
            "the peer's address "
                + plain(lane.peer.gid())
                + " and ours, "
                + plain(gid)
                + ", are not of the same IP version; choose with --bind (perftest: with -x)");
      }
      connect(lane);
    }
  }

  private void connect(Lane lane) {
    AhAttr path = AhAttr.roce(lane.peer.gid(), gidIndex);
    QpAttr toReceive = new QpAttr().qpState(QpState.RTR);
    QpAttr toSend = new QpAttr().qpState(QpState.RTS).sqPsn(lane.own.psn());
    if (plan.service() == QpType.UD) {
      lane.route = keep(pd.createAh(path));
    } else {
      toReceive.pathMtu(plan.mtu()).destQpNum(lane.peer.qpn()).rqPsn(lane.peer.psn()).ahAttr(path);
    }
    if (plan.service() == QpType.RC) {
      toReceive.maxDestRdAtomic(lane.own.outReads()).minRnrTimer(MIN_RNR_TIMER);
      toSend
          .timeout(plan.ackTimeout())
          .retryCnt(RETRIES)
          .rnrRetry(RNR_RETRY_WITHOUT_END)
          .maxRdAtomic(Math.min(lane.peer.outReads(), Math.max(1, limits.maxQpInitRdAtomic())));
    }
    lane.qp.modify(toReceive);
    lane.qp.modify(toSend);
  }

  /** Makes this side's part of the test, with its receives posted; once, when connected. */
  public Player player() {
    return switch (plan.test()) {
      case SEND_BW -> client ? new StreamSender(this) : new StreamReceiver(this);
      case WRITE_BW ->
          client
              ? new StreamSender(this)
              : plan.receives() ? new StreamReceiver(this) : new Answerer(this);
      case READ_BW, ATOMIC_BW -> client ? new StreamSender(this) : new Answerer(this);
      case SEND_LAT -> new SendPingPong(this);
      case WRITE_LAT -> new WritePingPong(this);
      case READ_LAT, ATOMIC_LAT -> client ? new OneAtATime(this) : new Answerer(this);
    };
  }

  /** Bytes that a run which verifies has found right on this side. */
  public long verifiedBytes() {
    return bytes == null ? 0 : bytes.verified();
  }

  /** The device's own address. */
  public Gid gid() {
    return gid;
  }

  /** Whether messages are copied when they are posted. */
  boolean copies() {
    return plan.size() <= plan.inline();
  }

  boolean client() {
    return client;
  }

  Plan plan() {
    return plan;
  }

  Arena arena() {
    return arena;
  }

  BufferLayout layout() {
    return layout;
  }

  MemoryRegion memory() {
    return memory;
  }

  CompletionQueue cq() {
    return cq;
  }

  /** Null when the queue is polled. */
  CompletionChannel channel() {
    return channel;
  }

  List<Lane> lanes() {
    return lanes;
  }

  /** Null unless the run verifies. */
  MessageBytes bytes() {
    return bytes;
  }

  MemorySegment sent(Lane lane, long message) {
    return memory.memory().asSlice(layout.sendOffset(lane.index, message), plan.size());
  }

  MemorySegment received(Lane lane, long message) {
    long offset = layout.receiveOffset(lane.index, message) + plan.headroom();
    return memory.memory().asSlice(offset, plan.size());
  }

  int qkey() {
    return QKEY;
  }

  /** An address as people write it. */
  public static String plain(Gid gid) {
    return gid.toInetAddress().getHostAddress();
  }

  private static Gid localGid(Context context, int gidIndex) {
    StringBuilder table = new StringBuilder();
    for (GidEntry entry : context.queryGidTable()) {
      if (entry.portNum() == PORT && entry.gidIndex() == gidIndex) {
        return entry.gid();
      }
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
            + "); choose with --gid-index");
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
        throw ToolFailure.atRunTime("cannot release what the test used: " + e.getMessage(), e);
      }
    }
  }
}
