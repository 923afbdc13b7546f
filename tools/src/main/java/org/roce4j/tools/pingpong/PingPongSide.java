package org.roce4j.tools.pingpong;

import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.side.LocalAddress;
import org.roce4j.tools.side.Role;
import org.roce4j.tools.side.Side;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * One side of the game, and the buffers of its messages.
 *
 * <p>A single queue pair has two buffers in each direction for messages up to 1 MiB, so that it
 * writes the next message and checks the last one while packets are in flight; for longer messages
 * it has one. If queue pairs share their receives, each queue pair has one send buffer, and each
 * receive has a buffer.
 *
 * <p>With XRC every lane has one queue pair for sending and one for receiving. A server has one
 * shared receive queue. Each client has its own, in the domain that all clients share, because the
 * server sends over the connections of all clients in turn, to whichever client a message is
 * addressed.
 */
final class PingPongSide extends Side<ExchangedAddress, PingPongLane> {
  private static final long TWO_BUFFERS_UP_TO = 1 << 20;

  /** A message and a probe. */
  private static final int SEND_DEPTH = 2;

  /** The messages of each queue pair that shares its receives with others. */
  private static final int SHARED_RECEIVES = 2;

  private final PingPongService service;
  private final PingPongPlan plan;
  private final long stride;
  private final int slots;
  private final int receiveBuffers;

  /** Makes one side on an opened device, its queue pairs in INIT. */
  PingPongSide(
      Context context,
      Role role,
      PingPongService service,
      PingPongPlan plan,
      LocalAddress local,
      RandomGenerator random) {
    super(context, role, local);
    this.service = service;
    this.plan = plan;
    boolean shared = service.sharesReceives();
    this.slots = !shared && plan.size() <= TWO_BUFFERS_UP_TO ? 2 : 1;
    this.receiveBuffers = shared ? SHARED_RECEIVES * plan.qps() : slots;
    this.stride = -(-Math.max(1, plan.size() + service.receiveHeadroom()) & -4096L);
    boolean complete = false;
    try {
      checkLimits();
      openMemory(((long) plan.qps() * slots + receiveBuffers) * stride, AccessFlags.LOCAL_WRITE);
      openQueue(receiveDepth() + SEND_DEPTH * plan.qps(), plan.events());
      if (service == PingPongService.XRC) {
        openXrcLanes(random);
      } else {
        openLanes(random);
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private void openLanes(RandomGenerator random) {
    boolean shared = service.sharesReceives();
    SharedReceiveQueue srq =
        shared ? keep(pd().createSrq(new SrqInitAttr(receiveDepth(), 1))) : null;
    for (int i = 0; i < plan.qps(); i++) {
      QpCapabilities capabilities =
          new QpCapabilities(SEND_DEPTH, shared ? 0 : receiveDepth(), 1, shared ? 0 : 1);
      QueuePair qp = openQp(service.qpType(), capabilities, srq, service.access());
      lanes.add(new PingPongLane(i, qp, srq, address(qp, random)));
    }
  }

  private void openXrcLanes(RandomGenerator random) {
    XrcDomain domain = keep(context().openXrcd(new XrcdInitAttr()));
    SharedReceiveQueue one = client() ? null : openXrcSrq(domain, receiveBuffers);
    for (int i = 0; i < plan.qps(); i++) {
      SharedReceiveQueue srq = client() ? openXrcSrq(domain, SHARED_RECEIVES) : one;
      QueuePair target =
          openXrcQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(domain), service.access());
      QpCapabilities capabilities = new QpCapabilities(SEND_DEPTH * plan.qps(), 0, 1, 0);
      QueuePair sender =
          openXrcQp(
              new QpInitAttr().qpType(QpType.XRC_SEND).pd(pd()).sendCq(cq()).cap(capabilities), 0);
      lanes.add(new PingPongLane(i, target, sender, srq, address(target, random)));
    }
  }

  private SharedReceiveQueue openXrcSrq(XrcDomain domain, int depth) {
    return keep(
        context()
            .createSrq(
                new SrqInitAttrEx()
                    .srqType(SrqType.XRC)
                    .pd(pd())
                    .xrcd(domain)
                    .cq(cq())
                    .maxWr(depth)));
  }

  private QueuePair openXrcQp(QpInitAttr attr, int access) {
    QueuePair qp = keep(context().createQp(attr));
    QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes().qpAccessFlags(access));
    return qp;
  }

  private ExchangedAddress address(QueuePair qp, RandomGenerator random) {
    return new ExchangedAddress(0, qp.qpNum(), random.nextInt(1 << 24), gid());
  }

  /** The address that is sent to the peer of an XRC lane. */
  XrcAddress xrcAddress(PingPongLane lane) {
    return new XrcAddress(lane.own, lane.sender.qpNum(), lane.srq.srqNum());
  }

  /** Connects both queue pairs of an XRC lane, each with the peer's opposite one. */
  void connect(PingPongLane lane, XrcAddress peer) {
    lane.peerSrqn = peer.srqn();
    connectBothWays(lane, lane.sender, peer.target(), peer.senderQpn());
  }

  /** Connects both sides of a game in one process. */
  static void connect(PingPongSide one, PingPongSide other) {
    if (one.service != PingPongService.XRC) {
      one.connect(other.addresses());
      other.connect(one.addresses());
      return;
    }
    for (int i = 0; i < one.lanes.size(); i++) {
      one.connect(one.lanes.get(i), other.xrcAddress(other.lanes.get(i)));
      other.connect(other.lanes.get(i), one.xrcAddress(one.lanes.get(i)));
    }
  }

  private void checkLimits() {
    mtu(context(), local().port(), plan.mtu(), "--mtu");
    long most = context().queryPort(local().port()).maxMessageSize();
    if (plan.size() > most) {
      throw ToolFailure.usage(
          "--size %d is over the limit of device %s, %d bytes",
          plan.size(), context().device().name(), most);
    }
  }

  @Override
  protected QpType type() {
    return service.qpType();
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
    return service.program() + ": -g";
  }

  PingPongService service() {
    return service;
  }

  PingPongPlan plan() {
    return plan;
  }

  /** Whether a receive belongs to one lane although its queue is shared. */
  private boolean receivesOfLanes() {
    return service == PingPongService.XRC && client();
  }

  /** The lane whose message is in a buffer; null if only the completion's queue pair tells. */
  PingPongLane laneOf(int buffer) {
    return receivesOfLanes() ? lanes.get(buffer / SHARED_RECEIVES) : null;
  }

  /** The shared queue that a buffer is posted to. */
  SharedReceiveQueue srq(int buffer) {
    return lanes.get(buffer / SHARED_RECEIVES).srq;
  }

  /** The queue pair that sends the next message of a lane; an XRC server uses all in turn. */
  QueuePair sender(PingPongLane lane) {
    boolean inTurn = service == PingPongService.XRC && !client();
    return inTurn
        ? lanes.get((int) ((lane.index + lane.posted) % lanes.size())).sender
        : lane.sender;
  }

  /** Whether this side sends the first message. */
  boolean starts() {
    return role() == service.starter();
  }

  /** The number of send buffers of each queue pair. */
  int slots() {
    return slots;
  }

  /** Buffers to receive in. */
  int receiveBuffers() {
    return receiveBuffers;
  }

  /** Receives to keep posted. */
  int receiveDepth() {
    return service.sharesReceives() ? receiveBuffers : PingPongPlan.RECEIVE_DEPTH;
  }

  /** The payload of message {@code number} of a queue pair, to send. */
  MemorySegment sendBuffer(PingPongLane lane, long number) {
    return memory().memory().asSlice(sendOffset(lane, number), plan.size());
  }

  /** The payload in a buffer of received bytes. */
  MemorySegment receiveBuffer(int buffer) {
    long offset = receiveOffset(buffer) + service.receiveHeadroom();
    return memory().memory().asSlice(offset, plan.size());
  }

  long sendOffset(PingPongLane lane, long number) {
    return (receiveBuffers + (long) lane.index * slots + number % slots) * stride;
  }

  long receiveOffset(int buffer) {
    return buffer * stride;
  }
}
