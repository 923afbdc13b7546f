package org.roce4j.tools.pingpong;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * One side of the game. Each of its queue pairs sends the next message when its last one has
 * completed and one has come from the peer; one side starts, on all of them. It waits for nothing:
 * a loop calls
 *
 * <ul>
 *   <li>{@link #poll} to take completions,
 *   <li>{@link #post} to send the next message if it is due,
 *   <li>{@link #settle} to check what came and to write the next message,
 *   <li>{@link #idle} when there was nothing to take.
 * </ul>
 *
 * <p>Not thread-safe.
 */
final class PingPongPlayer implements AutoCloseable {
  /** In the lowest bits of a request's identifier, as in the C programs. */
  private static final long RECEIVE_ID = 1;

  private static final long SEND_ID = 2;
  private static final long PROBE_ID = 3;
  private static final long KIND = 3;

  /** Above the kind: the buffer of a receive, the lane of a message. */
  private static final int NUMBER_SHIFT = 2;

  private static final long PROBE_AFTER_NS = 500_000_000L;
  private static final int BATCH = 16;

  private final PingPongSide side;
  private final PayloadCheck check;
  private final LongSupplier clock;
  private final long patienceNs;
  private final boolean mayProbe;
  private final boolean shared;
  private final boolean starts;
  private final long iterations;

  /** Messages that each lane may receive and may send. */
  private final long perLane;

  private final PingPongLane[] lanes;
  private final Map<Integer, PingPongLane> laneByQpNum = new HashMap<>();
  private final Arena arena = Arena.ofShared();
  private final WorkCompletions completions = new WorkCompletions(arena, BATCH);
  private final RecvRequestList receives;
  private final SendRequestList probe = new SendRequestList(arena, 1, 1, 0);
  private final Latencies latencies = new Latencies();

  private long receivesPosted;
  private long received;
  private long settled;
  private long posted;
  private long completed;
  private boolean probing;
  private long postedNs;
  private long heardNs;
  private long movedNs;

  /** The network's time at the last look, and the real time when it first had that value. */
  private long stillNs = Long.MIN_VALUE;

  private long stillSinceNs;

  /**
   * One side on still unconnected objects; its receives are posted at once.
   *
   * @param clock nanoseconds, of the network it plays on
   * @param patienceNs how long the peer may send nothing
   * @param remotePeer whether the peer may die without us
   */
  PingPongPlayer(
      PingPongSide side,
      PayloadCheck check,
      LongSupplier clock,
      long patienceNs,
      boolean remotePeer) {
    this.side = side;
    this.check = check;
    this.clock = clock;
    this.patienceNs = patienceNs;
    this.mayProbe = remotePeer && side.service().reliable();
    this.shared = side.service().sharesReceives();
    this.starts = side.starts();
    this.iterations = side.plan().iterations();
    this.perLane = perLane(side);
    this.lanes = side.lanes().toArray(new PingPongLane[0]);
    for (PingPongLane lane : lanes) {
      laneByQpNum.put(lane.qp.qpNum(), lane);
    }
    receives = new RecvRequestList(arena, side.receiveDepth(), 1);
    probe.add().wrId(PROBE_ID).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    postFirstReceives();
  }

  /**
   * Each client of XRC has its share. Otherwise messages use all queue pairs, and a C program may
   * start one message more on each queue pair than it needs.
   */
  private static long perLane(PingPongSide side) {
    PingPongPlan plan = side.plan();
    return switch (side.service()) {
      case XRC -> plan.iterations() / plan.qps();
      case SRQ -> Long.MAX_VALUE;
      case RC, UC, UD -> plan.iterations();
    };
  }

  private void postFirstReceives() {
    if (shared) {
      for (int buffer = 0; buffer < side.receiveBuffers(); buffer++) {
        postShared(buffer);
      }
    } else {
      fillReceives();
    }
  }

  /** Starts the clocks; call it when the queue pairs are connected and the peer may speak. */
  void start() {
    for (PingPongLane lane : lanes) {
      prepareSends(lane);
      write(lane);
    }
    heardNs = clock.getAsLong();
    movedNs = heardNs;
  }

  private void prepareSends(PingPongLane lane) {
    lane.sends = new SendRequestList[side.slots()];
    for (int slot = 0; slot < lane.sends.length; slot++) {
      SendRequestList send = new SendRequestList(arena, 1, 1, 0);
      send.add()
          .wrId(SEND_ID | (long) lane.index << NUMBER_SHIFT)
          .opcode(WrOpcode.SEND)
          .flags(SendFlags.SIGNALED);
      name(send, lane);
      if (lane.route() != null) {
        send.ud(lane.route(), lane.peer().qpn(), QpBringUp.QKEY);
      }
      if (side.plan().size() > 0) {
        send.sge(
            side.memory().iova() + side.sendOffset(lane, slot),
            (int) side.plan().size(),
            side.memory().lkey());
      }
      lane.sends[slot] = send;
    }
  }

  /** An XRC request names the peer's shared receive queue. */
  private static void name(SendRequestList request, PingPongLane lane) {
    if (lane.sender != lane.qp) {
      request.xrc(lane.peerSrqn);
    }
  }

  /**
   * Takes completions.
   *
   * @return whether there were any
   * @throws ToolFailure if a request failed
   */
  boolean poll() {
    int count = side.cq().poll(completions);
    if (count == 0) {
      return false;
    }
    if (count < 0) {
      throw ToolFailure.atRunTime("the completion queue of the " + side.role() + " overflowed");
    }
    long nowNs = clock.getAsLong();
    heardNs = nowNs;
    for (int i = 0; i < count; i++) {
      if (completions.statusValue(i) != WcStatus.SUCCESS.value()) {
        throw failed(i, count, nowNs);
      }
      take(i, nowNs);
    }
    return true;
  }

  private void take(int index, long nowNs) {
    long id = completions.wrId(index);
    if (id == PROBE_ID) {
      probing = false;
      return;
    }
    movedNs = nowNs;
    if ((id & KIND) == SEND_ID) {
      PingPongLane lane = lanes[(int) (id >>> NUMBER_SHIFT)];
      check.echo().acknowledged(number(lane, lane.completed));
      lane.completed++;
      completed++;
      return;
    }
    long payload =
        Integer.toUnsignedLong(completions.byteLength(index)) - side.service().receiveHeadroom();
    if (payload != side.plan().size()) {
      throw ToolFailure.atRunTime(
          "the peer's message has %d bytes, ours have %d; give both sides the same --size",
          payload, side.plan().size());
    }
    PingPongLane lane = receiver(index, id);
    if (lane.received >= mayReceive(lane)) {
      throw ToolFailure.atRunTime(
          "the peer sent message %d before it was due; give both sides the same --iters",
          received + 1);
    }
    lane.received++;
    received++;
    if (starts) {
      latencies.record((nowNs - lane.postedNs) / 2);
    }
    refill(lane, id);
  }

  private PingPongLane receiver(int index, long id) {
    if (lanes.length == 1) {
      return lanes[0];
    }
    PingPongLane lane = side.laneOf((int) (id >>> NUMBER_SHIFT));
    return lane == null ? laneByQpNum.get(completions.qpNum(index)) : lane;
  }

  /** Posts receives again: each buffer at once to a shared queue, half a queue to an own one. */
  private void refill(PingPongLane lane, long id) {
    if (shared) {
      int buffer = (int) (id >>> NUMBER_SHIFT);
      settle(lane, buffer);
      postShared(buffer);
    } else if (receivesPosted - received <= PingPongPlan.RECEIVE_DEPTH / 2) {
      fillReceives();
    }
  }

  private long mayReceive(PingPongLane lane) {
    return Math.min(perLane, starts ? lane.posted : lane.posted + 1);
  }

  /** The number of a queue pair's message, counted over all queue pairs. */
  private long number(PingPongLane lane, long message) {
    return message * lanes.length + lane.index;
  }

  /** Sends the next message of each queue pair where it is due. */
  void post() {
    for (PingPongLane lane : lanes) {
      boolean due =
          posted < iterations
              && lane.posted < perLane
              && lane.completed == lane.posted
              && (starts ? lane.received == lane.posted : lane.received > lane.posted);
      if (due) {
        post(lane);
      }
    }
  }

  private void post(PingPongLane lane) {
    if (lane.written == lane.posted) {
      settle(lane);
    }
    postedNs = clock.getAsLong();
    lane.postedNs = postedNs;
    check.echo().posted(number(lane, lane.posted));
    send(side.sender(lane), lane.sends[(int) (lane.posted % lane.sends.length)]);
    lane.posted++;
    posted++;
  }

  /** Checks the messages that have arrived and writes the next ones, as far as a buffer is free. */
  void settle() {
    for (PingPongLane lane : lanes) {
      settle(lane);
    }
  }

  private void settle(PingPongLane lane) {
    while (lane.settled < lane.received) {
      settle(lane, (int) (lane.settled % side.receiveBuffers()));
    }
    write(lane);
  }

  private void settle(PingPongLane lane, int buffer) {
    check.check(number(lane, lane.settled), side.receiveBuffer(buffer));
    lane.settled++;
    settled++;
  }

  private void write(PingPongLane lane) {
    if (lane.written == lane.posted
        && lane.written < iterations
        && (side.slots() > 1 || lane.completed == lane.posted)) {
      check.ours().fill(number(lane, lane.written), side.sendBuffer(lane, lane.written));
      lane.written++;
    }
  }

  /**
   * Watches a silent peer. A roce4j peer is probed with an RDMA WRITE of no bytes, which fails if
   * the peer died in its turn; any other is given up when patience ends.
   */
  void idle() {
    long nowNs = clock.getAsLong();
    if (nowNs - heardNs > PROBE_AFTER_NS
        && mayProbe
        && !probing
        && completed == posted
        && check.peer() == PayloadCheck.PeerProgram.ROCE4J) {
      probing = true;
      postedNs = nowNs;
      name(probe, lanes[0]);
      send(lanes[0].sender, probe);
    }
    if (nowNs - movedNs > patienceNs || standsStill(nowNs)) {
      throw ToolFailure.atRunTime(
          "peer %s has been silent for %d s, after %d of %d messages; %sboth sides need the"
              + " same --iters%s and --size",
          peerName(),
          patienceNs / 1_000_000_000L,
          received,
          iterations,
          side.service().reliable()
              ? ""
              : side.service().label() + " does not repeat what is lost; ",
          side.service() == PingPongService.XRC ? ", --clients" : "");
    }
  }

  /** Virtual time does not pass when nothing is left to happen; then real time counts. */
  private boolean standsStill(long nowNs) {
    long realNs = System.nanoTime();
    if (nowNs != stillNs) {
      stillNs = nowNs;
      stillSinceNs = realNs;
    }
    return realNs - stillSinceNs > patienceNs;
  }

  /** Whether everything is sent, acknowledged, received and checked. */
  boolean finished() {
    return completed == iterations && settled >= iterations;
  }

  /** When the last message was acknowledged or received. */
  long lastNs() {
    return movedNs;
  }

  /** Messages sent, acknowledged or not. */
  long posted() {
    return posted;
  }

  /** Whether a message has been received that is not answered yet. */
  boolean owes() {
    return posted < received;
  }

  /** Messages received. */
  long received() {
    return received;
  }

  PingPongSide side() {
    return side;
  }

  PayloadCheck check() {
    return check;
  }

  /** Half round trips, measured by the side that starts. */
  Latencies latencies() {
    return latencies;
  }

  private void addReceive(int buffer) {
    receives.add().wrId(RECEIVE_ID | (long) buffer << NUMBER_SHIFT);
    int length = (int) (side.plan().size() + side.service().receiveHeadroom());
    if (length != 0) {
      receives.sge(side.memory().iova() + side.receiveOffset(buffer), length, side.memory().lkey());
    }
    receivesPosted++;
  }

  private void postShared(int buffer) {
    receives.clear();
    addReceive(buffer);
    side.demandPosted("receive", side.srq(buffer).postRecv(receives));
  }

  private void fillReceives() {
    receives.clear();
    while (receivesPosted - received < PingPongPlan.RECEIVE_DEPTH) {
      addReceive((int) (receivesPosted % side.receiveBuffers()));
    }
    side.demandPosted("receive", lanes[0].qp.postRecv(receives));
  }

  private void send(QueuePair qp, SendRequestList request) {
    side.demandPosted("send", qp.postSend(request));
  }

  private ToolFailure failed(int index, int count, long nowNs) {
    int flushed = 0;
    for (int i = index + 1; i < count; i++) {
      flushed += flushedAt(i);
    }
    int status = completions.statusValue(index);
    long id = completions.wrId(index);
    long outstanding =
        (shared ? 0 : receivesPosted - received) + posted - completed + (probing ? 1 : 0);
    flushed += drain(outstanding - (count - index));
    boolean receive = (id & KIND) == RECEIVE_ID;
    String request =
        receive
            ? FailedRequest.RECEIVE
            : (id & KIND) == SEND_ID ? FailedRequest.MESSAGE : FailedRequest.PROBE;
    return FailedRequest.failure(
        status,
        request,
        side.service(),
        peerName(),
        receive ? 0 : nowNs - postedNs,
        received,
        flushed);
  }

  /** Polls the flushed requests of the queue pair, for at most a second of real time. */
  private int drain(long outstanding) {
    int flushed = 0;
    long left = outstanding;
    long endNs = System.nanoTime() + 1_000_000_000L;
    while (left > 0 && System.nanoTime() - endNs < 0) {
      int count = side.cq().poll(completions);
      for (int i = 0; i < count; i++) {
        flushed += flushedAt(i);
      }
      left -= Math.max(0, count);
    }
    return flushed;
  }

  private int flushedAt(int index) {
    return completions.statusValue(index) == WcStatus.WR_FLUSH_ERR.value() ? 1 : 0;
  }

  private String peerName() {
    return lanes[0].peerName();
  }

  @Override
  public void close() {
    try (arena) {
      side.close();
    }
  }
}
