package org.roce4j.tools.pingpong;

import java.lang.foreign.Arena;
import java.util.function.LongSupplier;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * One end of the game. It sends its next message when its last one has completed and one has come
 * from the peer; the client starts. It waits for nothing: a loop calls
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
final class PingPongEnd implements AutoCloseable {
  /** As in the C programs. */
  private static final long RECEIVE_ID = 1;

  private static final long SEND_ID = 2;
  private static final long PROBE_ID = 3;

  private static final long PROBE_AFTER_NS = 500_000_000L;
  private static final int BATCH = 16;

  private final Endpoint endpoint;
  private final PayloadCheck check;
  private final LongSupplier clock;
  private final long patienceNs;
  private final boolean mayProbe;
  private final long iterations;
  private final Arena arena = Arena.ofShared();
  private final WorkCompletions completions = new WorkCompletions(arena, BATCH);
  private final RecvRequestList receives = new RecvRequestList(arena, Traffic.RECEIVE_DEPTH, 1);
  private final SendRequestList[] sends;
  private final SendRequestList probe = new SendRequestList(arena, 1, 1, 0);
  private final Latencies latencies = new Latencies();

  private long receivesPosted;
  private long received;
  private long settled;
  private long written;
  private long posted;
  private long completed;
  private boolean probing;
  private long postedNs;
  private long heardNs;
  private long movedNs;

  /**
   * One end on connected or still unconnected objects; its receives are posted at once.
   *
   * @param clock nanoseconds, of the network it plays on
   * @param patienceNs how long the peer may send nothing
   * @param remotePeer whether the peer may die without us
   */
  PingPongEnd(
      Endpoint endpoint,
      PayloadCheck check,
      LongSupplier clock,
      long patienceNs,
      boolean remotePeer) {
    this.endpoint = endpoint;
    this.check = check;
    this.clock = clock;
    this.patienceNs = patienceNs;
    this.mayProbe = remotePeer && endpoint.service().canProbe();
    this.iterations = endpoint.traffic().iterations();
    this.sends = new SendRequestList[endpoint.slots()];
    for (int slot = 0; slot < sends.length; slot++) {
      sends[slot] = new SendRequestList(arena, 1, 1, 0);
      sends[slot].add().wrId(SEND_ID).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
      if (endpoint.traffic().size() > 0) {
        sends[slot].sge(
            endpoint.memory().iova() + endpoint.sendOffset(slot),
            (int) endpoint.traffic().size(),
            endpoint.memory().lkey());
      }
    }
    probe.add().wrId(PROBE_ID).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    postReceives();
  }

  /** Starts the clocks; call it when the peer may speak. */
  void start() {
    settle();
    heardNs = clock.getAsLong();
    movedNs = heardNs;
  }

  /**
   * Takes completions.
   *
   * @return whether there were any
   * @throws ToolFailure if a request failed
   */
  boolean poll() {
    int count = endpoint.cq().poll(completions);
    if (count == 0) {
      return false;
    }
    if (count < 0) {
      throw ToolFailure.atRunTime("the completion queue of the " + endpoint.role() + " overflowed");
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
    if (id == SEND_ID) {
      completed++;
      return;
    }
    long payload =
        Integer.toUnsignedLong(completions.byteLength(index))
            - endpoint.service().receiveHeadroom();
    if (payload != endpoint.traffic().size()) {
      throw ToolFailure.atRunTime(
          "the peer's message has "
              + payload
              + " bytes, ours have "
              + endpoint.traffic().size()
              + "; give both sides the same --size");
    }
    if (received >= mayReceive()) {
      throw ToolFailure.atRunTime(
          "the peer sent message "
              + (received + 1)
              + " before it was due; give both sides the"
              + " same --iters");
    }
    received++;
    if (endpoint.role() == Role.CLIENT) {
      latencies.record((nowNs - postedNs) / 2);
    }
    if (receivesPosted - received <= Traffic.RECEIVE_DEPTH / 2) {
      postReceives();
    }
  }

  private long mayReceive() {
    return Math.min(iterations, endpoint.role() == Role.CLIENT ? posted : posted + 1);
  }

  /** Sends the next message if it is due. */
  void post() {
    boolean due =
        posted < iterations
            && completed == posted
            && (endpoint.role() == Role.CLIENT ? received == posted : received > posted);
    if (!due) {
      return;
    }
    if (written == posted) {
      settle();
    }
    postedNs = clock.getAsLong();
    send(sends[(int) (posted % sends.length)]);
    posted++;
  }

  /** Checks what has come and writes the next message, as far as a buffer is free. */
  void settle() {
    while (settled < received) {
      check.check(settled, endpoint.receiveBuffer(settled));
      settled++;
    }
    if (written == posted
        && written < iterations
        && (endpoint.slots() > 1 || completed == posted)) {
      check.ours().fill(written, endpoint.sendBuffer(written));
      written++;
    }
  }

  /**
   * Watches over a silent peer: one of our own is probed with an RDMA WRITE of no bytes, which
   * fails if it died while it was its turn; any other is given up when patience ends.
   */
  void idle() {
    long nowNs = clock.getAsLong();
    if (nowNs - heardNs > PROBE_AFTER_NS
        && mayProbe
        && !probing
        && completed == posted
        && check.peer() == PayloadCheck.Peer.ROCE4J) {
      probing = true;
      postedNs = nowNs;
      send(probe);
    }
    if (nowNs - movedNs > patienceNs) {
      throw ToolFailure.atRunTime(
          "peer "
              + peerName()
              + " has been silent for "
              + patienceNs / 1_000_000_000L
              + " s, after "
              + received
              + " of "
              + iterations
              + " messages; both sides need the same --iters and --size");
    }
  }

  /** Whether everything is sent, acknowledged, received and checked. */
  boolean finished() {
    return completed == iterations && settled == iterations;
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

  Endpoint endpoint() {
    return endpoint;
  }

  PayloadCheck check() {
    return check;
  }

  /** Half round trips, measured by a client. */
  Latencies latencies() {
    return latencies;
  }

  private void postReceives() {
    receives.clear();
    while (receivesPosted - received < Traffic.RECEIVE_DEPTH) {
      receives.add().wrId(RECEIVE_ID);
      int length = (int) (endpoint.traffic().size() + endpoint.service().receiveHeadroom());
      if (length != 0) {
        receives.sge(
            endpoint.memory().iova() + endpoint.receiveOffset(receivesPosted),
            length,
            endpoint.memory().lkey());
      }
      receivesPosted++;
    }
    demandPosted("receive", endpoint.qp().postRecv(receives));
  }

  private void send(SendRequestList request) {
    demandPosted("send", endpoint.qp().postSend(request));
  }

  private void demandPosted(String what, int errno) {
    if (errno != 0) {
      Errno known = Errno.of(errno);
      throw ToolFailure.atRunTime(
          "the "
              + endpoint.role()
              + " cannot post a "
              + what
              + ": "
              + (known == null ? "errno " + errno : known + ", " + known.text()));
    }
  }

  private ToolFailure failed(int index, int count, long nowNs) {
    int flushed = 0;
    for (int i = index + 1; i < count; i++) {
      flushed += flushedAt(i);
    }
    int status = completions.statusValue(index);
    long id = completions.wrId(index);
    long outstanding = receivesPosted - received + posted - completed + (probing ? 1 : 0);
    flushed += drain(outstanding - (count - index));
    String request =
        id == RECEIVE_ID
            ? FailedRequest.RECEIVE
            : id == SEND_ID ? FailedRequest.MESSAGE : FailedRequest.PROBE;
    return FailedRequest.failure(
        status, request, peerName(), id == RECEIVE_ID ? 0 : nowNs - postedNs, received, flushed);
  }

  /** Takes what the queue pair flushes, for at most a second of real time. */
  private int drain(long outstanding) {
    int flushed = 0;
    long left = outstanding;
    long endNs = System.nanoTime() + 1_000_000_000L;
    while (left > 0 && System.nanoTime() - endNs < 0) {
      int count = endpoint.cq().poll(completions);
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
    ExchangedAddress peer = endpoint.peer();
    return Endpoint.plain(peer.gid()) + " (QP 0x" + Integer.toHexString(peer.qpn()) + ")";
  }

  @Override
  public void close() {
    try (arena) {
      endpoint.close();
    }
  }
}
