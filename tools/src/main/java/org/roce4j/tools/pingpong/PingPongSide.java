package org.roce4j.tools.pingpong;

import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.side.Role;
import org.roce4j.tools.side.Side;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;

/**
 * One side of the game, and the places of its messages in memory.
 *
 * <p>A single queue pair has two buffers in each direction for messages up to 1 MiB, so that the
 * next message is written and the last one checked while the wire works; one for longer ones. Where
 * queue pairs share their receives, each has one buffer to send from, and each of the receives one.
 */
final class PingPongSide extends Side<ExchangedAddress, PingPongLane> {
  private static final long TWO_BUFFERS_UP_TO = 1 << 20;

  /** A message and a probe. */
  private static final int SEND_DEPTH = 2;

  private final PingPongService service;
  private final PingPongPlan plan;
  private final long stride;
  private final int slots;
  private final int receiveBuffers;
  private SharedReceiveQueue srq;

  /** Makes one side on an opened device, its queue pairs in INIT. */
  PingPongSide(
      Context context,
      Role role,
      PingPongService service,
      PingPongPlan plan,
      int gidIndex,
      RandomGenerator random) {
    super(context, role, gidIndex);
    this.service = service;
    this.plan = plan;
    boolean shared = service.sharesReceives();
    this.slots = !shared && plan.size() <= TWO_BUFFERS_UP_TO ? 2 : 1;
    this.receiveBuffers = shared ? 2 * plan.qps() : slots;
    this.stride = -(-Math.max(1, plan.size() + service.receiveHeadroom()) & -4096L);
    boolean complete = false;
    try {
      checkLimits();
      openMemory(((long) plan.qps() * slots + receiveBuffers) * stride, AccessFlags.LOCAL_WRITE);
      openQueue(receiveDepth() + SEND_DEPTH * plan.qps(), plan.events());
      srq = shared ? keep(pd().createSrq(new SrqInitAttr(receiveDepth(), 1))) : null;
      for (int i = 0; i < plan.qps(); i++) {
        QpCapabilities capabilities =
            new QpCapabilities(SEND_DEPTH, shared ? 0 : receiveDepth(), 1, shared ? 0 : 1);
        QueuePair qp = openQp(service.qpType(), capabilities, srq, service.access());
        int psn = random.nextInt(1 << 24);
        lanes.add(new PingPongLane(i, qp, new ExchangedAddress(0, qp.qpNum(), psn, gid())));
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  private void checkLimits() {
    mtu(context(), plan.mtu(), "--mtu");
    long most = context().queryPort(1).maxMessageSize();
    if (plan.size() > most) {
      throw ToolFailure.usage(
          "--size %d is over the limit of device %s, %d bytes"
              .formatted(plan.size(), context().device().name(), most));
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

  /** Where all queue pairs take their receives from, or null. */
  SharedReceiveQueue srq() {
    return srq;
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
