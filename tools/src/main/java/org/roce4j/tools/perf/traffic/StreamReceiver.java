package org.roce4j.tools.perf.traffic;

import java.lang.foreign.MemorySegment;
import org.roce4j.tools.console.ToolFailure;

/**
 * The server of a SEND bandwidth test, or of a WRITE bandwidth test that verifies: keeps receives
 * posted.
 */
final class StreamReceiver extends Player {
  /** Messages under way when the sender has finished arrive within this time. */
  private static final long GRACE_NS = 50_000_000L;

  private long lastNs;
  private long stoppedNs;
  private long total;

  StreamReceiver(PerfSide side) {
    super(side);
  }

  @Override
  void beginRound() {
    lastNs = 0;
    stoppedNs = 0;
    total = 0;
  }

  @Override
  long done(PerfLane lane) {
    return lane.received;
  }

  @Override
  boolean step() {
    return poll() > 0;
  }

  @Override
  void arrived(PerfLane lane, int byteLength, long nowNs) {
    demandSize(byteLength);
    if (lastNs == 0) {
      measurement.start(nowNs);
    }
    lastNs = nowNs;
    if (bytes != null) {
      check(lane);
    }
    lane.received++;
    total++;
    measurement.done(1, nowNs);
    repost(lane);
  }

  private void check(PerfLane lane) {
    long expected = lane.before + lane.received;
    MemorySegment message = side.received(lane, expected);
    long number = bytes.number(expected, message);
    if (number < expected) {
      throw ToolFailure.atRunTime(
          "wrong data: message %d came again on queue pair %d, as number %d",
          number, lane.index, expected);
    }
    bytes.check(lane.index, number, message);
  }

  @Override
  void stop() {
    if (!stopped) {
      super.stop();
      stoppedNs = clock.getAsLong();
    }
  }

  @Override
  boolean finished() {
    if (target != Long.MAX_VALUE && total >= target * lanes.length) {
      return true;
    }
    // A reliable sender has finished when all was acknowledged, which is after its arrival here.
    return stopped
        && poll() == 0
        && (!plan.lossy() || clock.getAsLong() - Math.max(lastNs, stoppedNs) > GRACE_NS);
  }

  /** Messages that did not arrive. */
  @Override
  public long missing() {
    return target == Long.MAX_VALUE ? 0 : target * lanes.length - total;
  }
}
