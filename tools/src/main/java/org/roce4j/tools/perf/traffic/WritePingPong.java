package org.roce4j.tools.perf.traffic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.roce4j.verbs.SendRequestList;

/**
 * Either side of a WRITE latency test: writes a message whose last byte is its number into the
 * peer's memory, and looks at its own memory until the next one is there.
 */
final class WritePingPong extends Player {
  private static final VarHandle BYTE = JAVA_BYTE.varHandle();
  private static final long SETTLED_NS = 50_000_000L;

  private final Lane lane = lanes[0];
  private final SendRequestList request;
  private final MemorySegment memory;
  private final long lastSent;
  private final long lastReceived;
  private final MemorySegment message;
  private long sent;
  private long postedNs;

  WritePingPong(End end) {
    super(end);
    request = requests(lane, 0, 1, 1);
    memory = end.memory().memory();
    lastSent = end.layout().sendOffset(0, 0) + plan.size() - 1;
    lastReceived = end.layout().receiveOffset(0, 0) + plan.size() - 1;
    message = end.sent(lane, 0);
  }

  @Override
  void beginRound() {
    sent = 0;
  }

  @Override
  boolean step() {
    boolean moved = poll() > 0;
    byte next = (byte) (lane.before + lane.received + 1);
    if ((end.client() ? lane.received < sent : lane.received <= sent)
        && lane.received < target
        && (byte) BYTE.getAcquire(memory, lastReceived) == next) {
      arrived();
      moved = true;
    }
    boolean due = end.client() ? lane.received == sent && !stopped : lane.received > sent;
    int depth = end.copies() ? plan.txDepth() : 1;
    boolean room = lane.posted - lane.completed < depth;
    if (due && sent < target && room) {
      send();
      moved = true;
    }
    return moved;
  }

  private void arrived() {
    if (bytes != null) {
      check(lane.before + lane.received);
    }
    lane.received++;
    tally.done(1, clock.getAsLong());
  }

  /** Another thread may still be placing what stands before the last byte. */
  private void check(long number) {
    MemorySegment message = end.received(lane, 0).asSlice(0, plan.size() - 1L);
    int peer = end.client() ? 1 : 0;
    long endNs = System.nanoTime() + SETTLED_NS;
    while (!bytes.matches(peer, number, message) && System.nanoTime() - endNs < 0) {
      Thread.onSpinWait();
    }
    bytes.check(peer, number, message);
    bytes.count(1);
  }

  private void send() {
    long nowNs = clock.getAsLong();
    if (bytes != null) {
      bytes.fill(end.client() ? 0 : 1, lane.before + sent, message);
    }
    sent++;
    memory.set(JAVA_BYTE, lastSent, (byte) (lane.before + sent));
    if (end.copies()) {
      add(request.clear(), lane, 0, true, message);
    }
    post(lane.qp, request);
    lane.posted++;
    if (sent > 1) {
      tally.latency((nowNs - postedNs) / 2);
    }
    postedNs = nowNs;
  }

  @Override
  void completed(Lane of, long nowNs) {
    lane.completed++;
  }

  @Override
  boolean finished() {
    boolean over =
        end.client()
            ? (sent >= target || stopped) && lane.received >= sent
            : lane.received >= target && sent >= target || stopped;
    return over && (lane.completed == lane.posted || plan.lossy());
  }
}
