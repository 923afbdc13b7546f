package org.roce4j.tools.perf.traffic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.roce4j.verbs.SendRequestList;

/**
 * Either side of a WRITE latency test: writes a message whose last byte is its number into the
 * peer's memory, and looks at its own memory until the next one is there. The server begins, as in
 * perftest. A client that is stopped leaves the server's last message unanswered; it is answered
 * when the next round begins.
 */
final class WritePingPong extends Player {
  private static final VarHandle BYTE = JAVA_BYTE.varHandle();
  private static final long SETTLED_NS = 50_000_000L;

  private final PerfLane lane = lanes[0];
  private final SendRequestList request;
  private final MemorySegment memory;
  private final MemorySegment message;
  private final long lastSent;
  private final long lastReceived;

  /** Messages of all rounds. */
  private long sent;

  private long received;

  /** The number of answers, which the client sends, at the beginning of the round. */
  private long answeredBefore;

  private long postedNs;

  WritePingPong(PerfSide side) {
    super(side);
    request = requests(lane, 0, 1, 1);
    memory = side.memory().memory();
    message = side.sent(lane, 0);
    lastSent = side.layout().sendOffset(0, 0) + plan.size() - 1;
    lastReceived = side.layout().receiveOffset(0, 0) + plan.size() - 1;
  }

  @Override
  void beginRound() {
    answeredBefore = answers();
    postedNs = 0;
  }

  private long answers() {
    return side.client() ? sent : received;
  }

  @Override
  boolean step() {
    boolean moved = poll() > 0;
    boolean awaits = side.client() ? received == sent : received < sent;
    if (awaits && (byte) BYTE.getAcquire(memory, lastReceived) == (byte) (received + 1)) {
      arrived();
      moved = true;
    }
    boolean due = side.client() ? received > sent : received == sent;
    int depth = side.copies() ? plan.txDepth() : 1;
    if (due && !stopped && roundsLeft() && lane.posted - lane.completed < depth) {
      send();
      moved = true;
    }
    return moved;
  }

  private boolean roundsLeft() {
    return answers() - answeredBefore < target;
  }

  private void arrived() {
    if (bytes != null) {
      check(received);
    }
    received++;
    if (!side.client()) {
      measurement.done(1, clock.getAsLong());
    }
  }

  /** Another thread may still be writing the bytes before the last one. */
  private void check(long number) {
    MemorySegment arrived = side.received(lane, 0).asSlice(0, plan.size() - 1L);
    int peer = side.client() ? 1 : 0;
    long endNs = System.nanoTime() + SETTLED_NS;
    while (!bytes.matches(peer, number, arrived) && System.nanoTime() - endNs < 0) {
      Thread.onSpinWait();
    }
    bytes.check(peer, number, arrived);
    bytes.count(1);
  }

  private void send() {
    long nowNs = clock.getAsLong();
    if (bytes != null) {
      bytes.fill(side.client() ? 0 : 1, sent, message);
    }
    sent++;
    memory.set(JAVA_BYTE, lastSent, (byte) sent);
    if (side.copies()) {
      add(request.clear(), lane, 0, true, message);
    }
    post(lane.qp, request);
    lane.posted++;
    if (postedNs != 0) {
      measurement.latency((nowNs - postedNs) / 2);
    }
    postedNs = nowNs;
    if (side.client()) {
      measurement.done(1, nowNs);
    }
  }

  @Override
  void completed(PerfLane of, long nowNs) {
    lane.completed++;
  }

  @Override
  boolean finished() {
    return (stopped || !roundsLeft()) && (lane.completed == lane.posted || plan.lossy());
  }
}
