package org.roce4j.tools.perf.traffic;

import org.roce4j.verbs.SendRequestList;

/** Either side of a SEND latency test: each message answers one, the client's first none. */
final class SendPingPong extends Player {
  private final PerfLane lane = lanes[0];
  private final SendRequestList quiet;
  private final SendRequestList signaled;
  private long sent;
  private long taken;
  private long postedNs;

  /** The arrival time of the message to be answered; 0 if it was answered. */
  private long arrivedNs;

  SendPingPong(PerfSide side) {
    super(side);
    quiet = requests(lane, 0, 1, 0);
    signaled = requests(lane, 0, 1, 1);
  }

  @Override
  void beginRound() {
    sent = 0;
    taken = 0;
    arrivedNs = 0;
  }

  @Override
  boolean step() {
    boolean moved = poll() > 0;
    boolean due = side.client() ? lane.received == sent : lane.received > sent;
    boolean may = side.client() ? sent < target && !stopped : true;
    if (due && may && lane.posted - lane.completed < room()) {
      send();
      moved = true;
    }
    if (taken < lane.received) {
      taken = lane.received;
      repost(lane);
    }
    return moved;
  }

  /**
   * One send buffer if the peer looks at the data; otherwise one for each slot of the queue, so
   * that no completion is waited for.
   */
  private int room() {
    return bytes != null ? 1 : plan.txDepth() + plan.signalEvery() - 1;
  }

  private void send() {
    // The time of the arrival to which it replies: reading the clock is a part of the measured
    // work.
    long nowNs = arrivedNs != 0 ? arrivedNs : clock.getAsLong();
    arrivedNs = 0;
    if (bytes != null) {
      bytes.fill(direction(true), lane.before + sent, side.sent(lane, 0));
    }
    boolean signal = bytes != null || (sent + 1) % plan.signalEvery() == 0 || sent + 1 == target;
    SendRequestList list = signal ? signaled : quiet;
    if (bytes != null) {
      add(list.clear(), lane, 0, true, side.sent(lane, 0));
    }
    post(lane.qp, list);
    if (sent > 0) {
      measurement.latency((nowNs - postedNs) / 2);
    }
    postedNs = nowNs;
    sent++;
    lane.posted++;
  }

  /** Both directions have bytes of their own. */
  private int direction(boolean ours) {
    return side.client() == ours ? 0 : 1;
  }

  @Override
  void completed(PerfLane of, long nowNs) {
    lane.completed =
        bytes != null ? lane.posted : Math.min(lane.completed + plan.signalEvery(), lane.posted);
  }

  @Override
  void arrived(PerfLane of, int byteLength, long nowNs) {
    demandSize(byteLength);
    if (bytes != null) {
      long number = lane.before + lane.received;
      bytes.check(direction(false), number, side.received(lane, number));
    }
    lane.received++;
    arrivedNs = nowNs;
    measurement.done(1, nowNs);
  }

  @Override
  boolean finished() {
    if (side.client()) {
      return (sent >= target || stopped) && lane.received >= sent && settled();
    }
    return (lane.received >= target && sent >= target || stopped) && settled();
  }

  /** A reply shows that the requests without a completion are done. */
  private boolean settled() {
    return side.client() || stopped || plan.lossy() || lane.completed >= lane.posted;
  }
}
