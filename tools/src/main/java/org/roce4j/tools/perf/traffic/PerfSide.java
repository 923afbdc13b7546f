package org.roce4j.tools.perf.traffic;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.random.RandomGenerator;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.perf.exchange.PerftestExchange.Agreement;
import org.roce4j.tools.perf.exchange.QueuePairKey;
import org.roce4j.tools.side.LocalAddress;
import org.roce4j.tools.side.Role;
import org.roce4j.tools.side.Side;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.UdParam;

/** One side of a test, and the places of its messages in memory. */
public final class PerfSide extends Side<QueuePairKey, PerfLane> {
  /** A multiple of every path MTU, bytes. */
  private static final int ONE_PACKET = 256;

  private static final int REMOTE_ACCESS =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
  private static final long MOST_BYTES = 4L << 30;

  private final PerfPlan plan;
  private final BufferLayout layout;
  private final MessageBytes bytes;

  /** Makes one side on an opened device, its queue pairs in INIT. */
  public PerfSide(
      Context context,
      Role role,
      PerfPlan plan,
      Agreement agreement,
      LocalAddress local,
      RandomGenerator random) {
    super(context, role, local);
    this.plan = plan;
    this.layout = BufferLayout.of(plan, agreement);
    this.bytes = plan.verify() ? new MessageBytes(plan.lossy()) : null;
    boolean complete = false;
    try {
      checkMemory();
      openMemory(layout.bytes(), AccessFlags.LOCAL_WRITE | REMOTE_ACCESS);
      int depth = sendDepth() + (plan.receives() ? plan.rxDepth() : 0);
      openQueue((long) depth * plan.queuePairs() + 1, plan.events());
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
          "this needs %d MiB of memory on each side: choose a smaller --size, --qps%s",
          layout.bytes() >> 20, plan.verify() ? ", --tx-depth or --rx-depth" : "");
    }
  }

  private int sendDepth() {
    return plan.txDepth() + plan.signalEvery();
  }

  private void addLane(int index, int psn) {
    int receives = plan.receives() ? plan.rxDepth() : 0;
    QpCapabilities capabilities =
        new QpCapabilities(sendDepth(), receives, 1, 1, copies() ? plan.size() : 0);
    int access = plan.service() == QpType.RC ? REMOTE_ACCESS : AccessFlags.REMOTE_WRITE;
    QueuePair qp = openQp(plan.service(), capabilities, null, access);
    long place = memory().iova() + layout.receiveOffset(index, 0);
    lanes.add(
        new PerfLane(
            index,
            qp,
            new QueuePairKey(
                0, outstandingReads(), qp.qpNum(), psn, memory().rkey(), place, gid(), 0)));
  }

  /**
   * The responder's resources for duplicates take memory, so the number is at most what the test
   * has outstanding. (A long READ may be requested in parts.)
   */
  private int outstandingReads() {
    boolean asks = plan.verb() == Verb.READ || plan.verb() == Verb.ATOMIC;
    if (!asks) {
      return 1;
    }
    int most = Math.max(1, limits.maxQpRdAtomic());
    return plan.size() > ONE_PACKET ? most : Math.min(most, plan.txDepth());
  }

  @Override
  protected QpType type() {
    return plan.service();
  }

  @Override
  protected Mtu mtu() {
    return plan.mtu();
  }

  @Override
  protected int ackTimeout() {
    return plan.ackTimeout();
  }

  @Override
  protected String addressOptionOfTheCProgram() {
    return "perftest: -x";
  }

  /** Makes this side's part of the test, with its receives posted; once, when connected. */
  public Player player() {
    return switch (plan.test()) {
      case SEND_BW -> client() ? new StreamSender(this) : new StreamReceiver(this);
      case WRITE_BW ->
          client()
              ? new StreamSender(this)
              : plan.receives() ? new StreamReceiver(this) : new Answerer(this);
      case READ_BW, ATOMIC_BW -> client() ? new StreamSender(this) : new Answerer(this);
      case SEND_LAT -> new SendPingPong(this);
      case WRITE_LAT -> new WritePingPong(this);
      case READ_LAT, ATOMIC_LAT -> client() ? new OneAtATime(this) : new Answerer(this);
    };
  }

  /** The number of bytes that this side has verified. */
  public long verifiedBytes() {
    return bytes == null ? 0 : bytes.verified();
  }

  /** Whether messages are copied when they are posted. */
  boolean copies() {
    return plan.size() <= plan.inline();
  }

  /** In the order of their keys. */
  public List<QueuePair> queuePairs() {
    return lanes.stream().map(lane -> lane.qp).toList();
  }

  /** Datagrams of a queue pair go where rdma_cm says. */
  public void reach(QueuePair qp, UdParam where) {
    lane(qp).reached(keep(pd().createAh(where.ahAttr())), where.qpNum(), where.qkey());
  }

  /** To the sender of a datagram that lies in the memory. */
  AddressHandle wayBack(WorkCompletions completion, long offset) {
    return keep(pd().createAhFromWc(completion, 0, memory().memory(), offset, local().port()));
  }

  private PerfLane lane(QueuePair qp) {
    return lanes.stream().filter(each -> each.qp == qp).findFirst().orElseThrow();
  }

  /** By one of them the server of a latency test learns where answers go. */
  public Introductions introductions() {
    return new Introductions(this);
  }

  PerfPlan plan() {
    return plan;
  }

  BufferLayout layout() {
    return layout;
  }

  /** Null unless the run verifies. */
  MessageBytes bytes() {
    return bytes;
  }

  MemorySegment sent(PerfLane lane, long message) {
    return memory().memory().asSlice(layout.sendOffset(lane.index, message), plan.size());
  }

  MemorySegment received(PerfLane lane, long message) {
    long offset = layout.receiveOffset(lane.index, message) + plan.headroom();
    return memory().memory().asSlice(offset, plan.size());
  }
}
