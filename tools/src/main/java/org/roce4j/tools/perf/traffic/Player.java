package org.roce4j.tools.perf.traffic;

import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * One side's part of a test. The identifier of each request is the number of its queue pair. It
 * waits for nothing but where {@link #sleep} says so: a loop calls {@link #step} until {@link
 * #finished}. A round begins with {@link #begin} and may be ended early with {@link #stop}. Used by
 * one thread.
 */
public abstract class Player {
  private static final int BATCH = 32;
  private static final int REPOST = 16;
  private static final int RECEIVED = 128;

  final End end;
  final Plan plan;
  final Lane[] lanes;
  final MessageBytes bytes;
  final Tally tally = new Tally();

  /** Messages of each queue pair in this round. */
  long target;

  LongSupplier clock = System::nanoTime;
  boolean stopped;
  private final WorkCompletions completions;
  private final RecvRequestList receives;
  private boolean armed;

  Player(End end) {
    this.end = end;
    this.plan = end.plan();
    this.lanes = end.lanes().toArray(new Lane[0]);
    this.bytes = end.bytes();
    this.completions = new WorkCompletions(end.arena(), BATCH);
    this.receives = new RecvRequestList(end.arena(), REPOST, 1);
    if (plan.receives() && (!end.client() || plan.test() == PerfTest.SEND_LAT)) {
      for (Lane lane : lanes) {
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
    for (Lane lane : lanes) {
      lane.beginRound(done(lane));
    }
    long total = messages == Long.MAX_VALUE ? 0 : messages * lanes.length;
    tally.begin(total, clock.getAsLong());
    beginRound();
  }

  /** What a round begins with. */
  void beginRound() {}

  /** Messages of the round that a queue pair has seen. */
  long done(Lane lane) {
    return lane.posted;
  }

  /**
   * Does what can be done without waiting.
   *
   * @return whether that was anything
   */
  abstract boolean step();

  /** Whether the round is over on this side. */
  abstract boolean finished();

  /** Ends the round as soon as nothing is under way: the time is up, or the peer has finished. */
  void stop() {
    stopped = true;
  }

  /** How far the round is, for people. */
  String progress() {
    return tally.messages() + " messages";
  }

  /** Whether silence of the peer means that something is wrong. */
  boolean expectsMore() {
    return true;
  }

  /** Messages of the round that did not arrive. */
  public long missing() {
    return 0;
  }

  /** What was measured. */
  public Tally tally() {
    return tally;
  }

  /** Takes completions; how many. */
  final int poll() {
    int count = end.cq().poll(completions);
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
      Lane lane = lanes[(int) completions.wrId(i)];
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

  /** A request with a completion, and those before it, are done. */
  void completed(Lane lane, long nowNs) {}

  /** A receive is done. */
  void arrived(Lane lane, int byteLength, long nowNs) {}

  final void demandSize(int byteLength) {
    int expected = plan.verb() == Verb.SEND ? plan.size() + plan.headroom() : plan.size();
    if (byteLength != expected) {
      throw ToolFailure.atRunTime(
          "the peer's message has "
              + (byteLength - plan.headroom())
              + " bytes, ours have "
              + plan.size()
              + "; give both sides the same -s");
    }
  }

  /** Posts receives into the next places of a queue pair; at most 16. */
  final void postReceives(Lane lane, int count) {
    receives.clear();
    for (int i = 0; i < count; i++) {
      receives.add().wrId(lane.index);
      int length = plan.verb() == Verb.SEND ? plan.size() + plan.headroom() : 0;
      if (length > 0) {
        long offset = end.layout().receiveOffset(lane.index, lane.receivesPosted);
        receives.sge(end.memory().iova() + offset, length, end.memory().lkey());
      }
      lane.receivesPosted++;
    }
    demandPosted("receive", lane.qp.postRecv(receives));
  }

  /** Posts receives for what has been received, as soon as that is worth a call. */
  final void repost(Lane lane) {
    long due = lane.before + lane.received + plan.rxDepth() - lane.receivesPosted;
    int worth = plan.verify() ? 1 : Math.clamp(plan.rxDepth() / 4, 1, REPOST);
    if (due >= worth) {
      postReceives(lane, (int) Math.min(due, REPOST));
    }
  }

  /** Requests to send {@code count} messages of a queue pair, from place {@code place} on. */
  final SendRequestList requests(Lane lane, int place, int count, int signalEvery) {
    SendRequestList list =
        new SendRequestList(end.arena(), count, 1, end.copies() ? Math.max(1, plan.size()) : 0);
    for (int i = 0; i < count; i++) {
      boolean signal = signalEvery > 0 && (i + 1) % signalEvery == 0;
      add(list, lane, place + i, signal, end.sent(lane, place + i));
    }
    return list;
  }

  /**
   * Adds a request to a list.
   *
   * @param data what is in that place; copied now where the device copies at posting
   */
  final void add(SendRequestList list, Lane lane, long place, boolean signal, MemorySegment data) {
    list.add().wrId(lane.index).opcode(opcode()).flags(signal ? SendFlags.SIGNALED : 0);
    if (plan.size() > 0 && end.copies()) {
      list.inline(data);
    } else if (plan.size() > 0) {
      long offset = end.layout().sendOffset(lane.index, place);
      list.sge(end.memory().iova() + offset, plan.size(), end.memory().lkey());
    }
    if (plan.verb() == Verb.ATOMIC) {
      list.atomic(lane.peer.address(), lane.peer.rkey(), 1, 0);
    } else if (plan.verb() != Verb.SEND) {
      list.remote(remoteAddress(lane, place), lane.peer.rkey());
    } else if (lane.route != null) {
      list.ud(lane.route, lane.peer.qpn(), end.qkey());
    }
  }

  private WrOpcode opcode() {
    boolean tells = plan.receives() && plan.verb() == Verb.WRITE;
    return tells ? WrOpcode.RDMA_WRITE_WITH_IMM : plan.verb().opcode();
  }

  final long remoteAddress(Lane lane, long message) {
    BufferLayout layout = end.layout();
    return lane.peer.address() + message % layout.receiveSlots() * layout.distance();
  }

  final void post(QueuePair qp, SendRequestList list) {
    demandPosted("send", qp.postSend(list));
  }

  private void demandPosted(String what, int errno) {
    if (errno != 0) {
      Errno known = Errno.of(errno);
      throw ToolFailure.atRunTime(
          "the "
              + (end.client() ? "client" : "server")
              + " cannot post a "
              + what
              + ": "
              + (known == null ? "errno " + errno : known + ", " + known.text()));
    }
  }

  /** Sleeps until a completion comes, at most for so long; with events only. */
  final void sleep(long mostNs) {
    CompletionQueue cq = end.cq();
    if (!armed) {
      cq.requestNotification(false);
      armed = true;
      return;
    }
    CompletionQueue ready = end.channel().getCqEvent(mostNs);
    if (ready != null) {
      ready.ackEvents(1);
      armed = false;
    }
  }

  private ToolFailure failed(int index) {
    int status = completions.statusValue(index);
    Lane lane = lanes[(int) completions.wrId(index)];
    String peer =
        End.plain(lane.peer.gid()) + " (QP 0x" + Integer.toHexString(lane.peer.qpn()) + ")";
    String hint =
        switch (WcStatus.of(status)) {
          case RETRY_EXC_ERR ->
              tally.messages() == 0
                  ? "; nothing ever came back: look for a firewall in front of UDP port 4791, a"
                      + " wrong route or a NAT"
                  : "; it stopped answering";
          case REM_ACCESS_ERR, REM_INV_REQ_ERR, REM_OP_ERR, LOC_LEN_ERR, WR_FLUSH_ERR ->
              "; both sides need the same test, -s, -m and -c";
          case null, default -> "";
        };
    return ToolFailure.atRunTime(
        plan.test()
            + " with peer "
            + peer
            + " failed after "
            + progress()
            + ": "
            + WcStatus.describe(status)
            + hint);
  }
}
