package org.roce4j.tools.perf.traffic;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.SendRequestList;

/** The client of a READ or ATOMIC latency test: a request, its answer, the next request. */
final class OneAtATime extends Player {
  private static final byte WIPED = 0x5a;

  private final PerfLane lane = lanes[0];
  private final SendRequestList request;
  private long postedNs;

  OneAtATime(PerfSide side) {
    super(side);
    request = requests(lane, 0, 1, 1);
  }

  @Override
  boolean step() {
    boolean moved = poll() > 0;
    if (lane.posted == lane.completed && lane.posted < target && !stopped) {
      if (bytes != null) {
        side.sent(lane, 0).fill(WIPED);
      }
      postedNs = clock.getAsLong();
      post(lane.qp, request);
      lane.posted++;
      return true;
    }
    return moved;
  }

  @Override
  void completed(PerfLane of, long nowNs) {
    measurement.latency(nowNs - postedNs);
    measurement.done(1, nowNs);
    if (bytes != null) {
      check();
    }
    lane.completed++;
  }

  private void check() {
    MemorySegment place = side.sent(lane, 0);
    if (plan.verb() == Verb.READ) {
      bytes.check(0, 0, place);
      return;
    }
    long expected = lane.before + lane.completed;
    long original = place.get(ValueLayout.JAVA_LONG, 0);
    if (original != expected) {
      throw ToolFailure.atRunTime("wrong data: FETCH_AND_ADD " + expected + " found " + original);
    }
    bytes.count(Long.BYTES);
  }

  @Override
  boolean finished() {
    return (lane.posted >= target || stopped) && lane.completed == lane.posted;
  }
}
