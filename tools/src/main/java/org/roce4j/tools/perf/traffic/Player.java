package org.roce4j.tools.perf.traffic;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * One side's part of a test. The identifier of each request is the number of its queue pair. It
 * waits only in {@link #sleep}: a loop calls {@link #step} until {@link #finished}. A round begins
 * with {@link #begin} and may be ended early with {@link #stop}. Used by one thread.
 */
public abstract class Player {
  private static final int BATCH = 32;
  private static final int REPOST = 16;
  private static final int RECEIVED = 128;

  final PerfSide side;
  final PerfPlan plan;
  final PerfLane[] lanes;
  final MessageBytes bytes;
  final Measurement measurement = new Measurement();

  /** Messages of each queue pair in this round. */
  long target;

  LongSupplier clock = System::nanoTime;
  boolean stopped;
  private final WorkCompletions completions;
  private final RecvRequestList receives;
  private boolean armed;

  Player(PerfSide side) {
    this.side = side;
    this.plan = side.plan();
    this.lanes = side.lanes().toArray(new PerfLane[0]);
    this.bytes = side.bytes();
    this.completions = new WorkCompletions(side.arena(), BATCH);
    this.receives = new RecvRequestList(side.arena(), REPOST, 1);
    if (plan.receives() && (!side.client() || plan.test() == PerfTest.SEND_LAT)) {
      for (PerfLane lane : lanes) {
        for (int left = plan.rxDepth(); left > 0; left -= REPOST) {
          postReceives(lane, Math.min(left, REPOST));
        }
      }
    }
  }

  /**
   * Begins a round.
   *
   * @param messages of each queue pair, or {@link Long#MAX_VALUE} to go on until {@link #stop}
   */
  final void begin(long messages, LongSupplier nanoseconds) {
    clock = nanoseconds;
    target = messages;
    stopped = false;
    for (PerfLane lane : lanes) {
      lane.beginRound(done(lane));
    }
    long total = messages == Long.MAX_VALUE ? 0 : messages * lanes.length;
    measurement.begin(total, clock.getAsLong());
    beginRound();
  }

  /** The actions at the beginning of a round. */
  void beginRound() {}

  /** Messages of the round that a queue pair has seen. */
  long done(PerfLane lane) {
    return lane.posted;
  }

  /**
   * Does all work that needs no waiting.
   *
   * @return whether there was any
   */
  abstract boolean step();

  /** Whether the round is over on this side. */
  abstract boolean finished();

  /** Ends the round as soon as nothing is under way: the time is up, or the peer has finished. */
  void stop() {
    stopped = true;
  }

  /** The progress of the round in words. */
  String progress() {
    return measurement.messages() + " messages";
  }

  /** Whether silence of the peer is a failure. */
  boolean expectsMore() {
    return true;
  }

  /** Messages of the round that did not arrive. */
  public long missing() {
    return 0;
  }

  /** The measurement of the round. */
  public Measurement measurement() {
    return measurement;
  }

  /** Takes completions; returns their number. */
  final int poll() {
    int count = side.cq().poll(completions);
    if (count <= 0) {
      if (count < 0) {
        throw ToolFailure.atRunTime("the completion queue overflowed");
      }
      return 0;
    }
    long nowNs = clock.getAsLong();
    for (int i = 0; i < count; i++) {
      if (completions.statusValue(i) != WcStatus.SUCCESS.value()) {
        throw failed(i);
      }
      PerfLane lane = lanes[(int) completions.wrId(i)];
      if (completions.opcodeValue(i) >= RECEIVED) {
        arrived(lane, completions.byteLength(i), nowNs);
      } else {
        completed(lane, nowNs);
      }
    }
    return count;
  }

  /** Lends the device this thread for a moment. */
  public final void lend() {
    poll();
  }

  /** Handles the completion of a request and those before it. */
  void completed(PerfLane lane, long nowNs) {}

  /** Handles the completion of a receive. */
  void arrived(PerfLane lane, int byteLength, long nowNs) {}

  final void demandSize(int byteLength) {
    int expected = plan.verb() == Verb.SEND ? plan.size() + plan.headroom() : plan.size();
    if (byteLength != expected) {
      throw ToolFailure.atRunTime(
          "the peer's message has %d bytes, ours have %d; give both sides the same -s",
          byteLength - plan.headroom(), plan.size());
    }
  }

  /** Posts receives into the next places of a queue pair; at most 16. */
  final void postReceives(PerfLane lane, int count) {
    receives.clear();
    for (int i = 0; i < count; i++) {
      receives.add().wrId(lane.index);
      int length = plan.verb() == Verb.SEND ? plan.size() + plan.headroom() : 0;
      if (length > 0) {
        long offset = side.layout().receiveOffset(lane.index, lane.receivesPosted);
        receives.sge(side.memory().iova() + offset, length, side.memory().lkey());
      }
      lane.receivesPosted++;
    }
    side.demandPosted("receive", lane.qp.postRecv(receives));
  }

  /** Posts receives again as soon as there are enough for a call. */
  final void repost(PerfLane lane) {
    long due = lane.before + lane.received + plan.rxDepth() - lane.receivesPosted;
    int worth = plan.verify() ? 1 : Math.clamp(plan.rxDepth() / 4, 1, REPOST);
    if (due >= worth) {
      postReceives(lane, (int) Math.min(due, REPOST));
    }
  }

  /** Requests to send {@code count} messages of a queue pair, from place {@code place} on. */
  final SendRequestList requests(PerfLane lane, int place, int count, int signalEvery) {
    SendRequestList list =
        new SendRequestList(side.arena(), count, 1, side.copies() ? Math.max(1, plan.size()) : 0);
    for (int i = 0; i < count; i++) {
      boolean signal = signalEvery > 0 && (i + 1) % signalEvery == 0;
      add(list, lane, place + i, signal, side.sent(lane, place + i));
    }
    return list;
  }

  /**
   * Adds a request to a list.
   *
   * @param data the place's bytes; copied now if the device copies when it posts
   */
  final void add(
      SendRequestList list, PerfLane lane, long place, boolean signal, MemorySegment data) {
    list.add().wrId(lane.index).opcode(opcode()).flags(signal ? SendFlags.SIGNALED : 0);
    if (plan.size() > 0 && side.copies()) {
      list.inline(data);
    } else if (plan.size() > 0) {
      long offset = side.layout().sendOffset(lane.index, place);
      list.sge(side.memory().iova() + offset, plan.size(), side.memory().lkey());
    }
    if (plan.verb() == Verb.ATOMIC) {
      list.atomic(lane.peer().address(), lane.peer().rkey(), 1, 0);
    } else if (plan.verb() != Verb.SEND) {
      list.remote(remoteAddress(lane, place), lane.peer().rkey());
    } else if (lane.route() != null) {
      list.ud(lane.route(), lane.peerQpn(), lane.peerQkey());
    }
  }

  private WrOpcode opcode() {
    boolean tells = plan.receives() && plan.verb() == Verb.WRITE;
    return tells ? WrOpcode.RDMA_WRITE_WITH_IMM : plan.verb().opcode();
  }

  final long remoteAddress(PerfLane lane, long message) {
    BufferLayout layout = side.layout();
    return lane.peer().address() + message % layout.receiveSlots() * layout.distance();
  }

  final void post(QueuePair qp, SendRequestList list) {
    side.demandPosted("send", qp.postSend(list));
  }

  /** Sleeps until a completion comes, at most {@code mostNs}; with events only. */
  final void sleep(long mostNs) {
    CompletionQueue cq = side.cq();
    if (!armed) {
      cq.requestNotification(false);
      armed = true;
      return;
    }
    CompletionQueue ready = side.channel().getCqEvent(mostNs);
    if (ready != null) {
      ready.ackEvents(1);
      armed = false;
    }
  }

  private ToolFailure failed(int index) {
    int status = completions.statusValue(index);
    String peer = lanes[(int) completions.wrId(index)].peerName();
    String hint =
        switch (WcStatus.of(status)) {
          case RETRY_EXC_ERR ->
              measurement.messages() == 0
                  ? "; nothing ever came back: look for a firewall in front of UDP port 4791, a"
                      + " wrong route or a NAT"
                  : "; it stopped answering";
          case REM_ACCESS_ERR, REM_INV_REQ_ERR, REM_OP_ERR, LOC_LEN_ERR, WR_FLUSH_ERR ->
              "; both sides need the same test, -s, -m and -c";
          case null, default -> "";
        };
    return ToolFailure.atRunTime(
        "%s with peer %s failed after %s: %s%s",
        plan.test(), peer, progress(), WcStatus.describe(status), hint);
  }
}
