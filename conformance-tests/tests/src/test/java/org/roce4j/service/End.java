package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Supplier;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * What one side holds: an opened device, a domain, memory, one completion queue for everything. The
 * first half of the memory is for sends, the second for receives, cut into pieces of {@link #PIECE}
 * bytes. Its objects go with the context.
 */
final class End {
  static final int PIECE = 8192;
  static final int PIECES = 16;

  private static final long PATIENCE_NS = 20_000_000_000L;

  final Context context;
  final ProtectionDomain pd;
  final MemoryRegion memory;
  final CompletionQueue cq;
  private final WorkCompletions completions = new WorkCompletions(Arena.ofAuto(), 16);
  private final SendRequestList sends = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
  private final RecvRequestList receives = new RecvRequestList(Arena.ofAuto(), 1, 1);
  private final Deque<Completion> taken = new ArrayDeque<>();

  End(Context context) {
    this.context = context;
    pd = context.allocPd();
    memory =
        pd.registerMemory(
            Arena.ofAuto().allocate(2L * PIECES * PIECE, 4096),
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    // The last one: where a device has several engines, the queue pairs do not live on the first.
    cq = context.createCq(256, null, null, context.queryDevice().numCompVectors() - 1);
  }

  Gid gid() {
    return context.queryGid(1, 0);
  }

  // ---- queue pairs

  QueuePair queuePair(QpType type, SharedReceiveQueue srq) {
    QueuePair qp =
        pd.createQp(
            new QpInitAttr()
                .cq(cq)
                .srq(srq)
                .qpType(type)
                .cap(new QpCapabilities(64, srq == null ? 64 : 0, 1, srq == null ? 1 : 0, 0)));
    QpAttr init = new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1);
    qp.modify(type == QpType.UD ? init.qkey(0) : init.qpAccessFlags(AccessFlags.REMOTE_WRITE));
    return qp;
  }

  /** A datagram queue pair, ready. */
  QueuePair datagrams(int qkey, SharedReceiveQueue srq) {
    QueuePair qp = queuePair(QpType.UD, srq);
    qp.modify(new QpAttr().qpState(QpState.RTR).qkey(qkey));
    qp.modify(new QpAttr().qpState(QpState.RTS).sqPsn(7));
    return qp;
  }

  /** Connects one half. */
  void connect(QueuePair qp, End to, QueuePair peer) {
    connect(qp, peer, AhAttr.roce(to.gid(), 0));
  }

  /** Connects one half, over this path. */
  void connect(QueuePair qp, QueuePair peer, AhAttr path) {
    QpAttr rtr =
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(context.queryPort(1).activeMtu())
            .destQpNum(peer.qpNum())
            .rqPsn(0xfffffe)
            .ahAttr(path);
    QpAttr rts = new QpAttr().qpState(QpState.RTS).sqPsn(0xfffffe);
    if (qp.qpType() == QpType.RC) {
      rtr.maxDestRdAtomic(1).minRnrTimer(12);
      rts.timeout(14).retryCnt(7).rnrRetry(7).maxRdAtomic(1);
    }
    qp.modify(rtr);
    qp.modify(rts);
  }

  // ---- requests

  /** Posts the receive of a piece; its identifier is the piece's number. */
  void receive(QueuePair qp, int piece, int length) {
    assertEquals(0, qp.postRecv(filled(piece, length)));
  }

  void receive(SharedReceiveQueue srq, int piece, int length) {
    assertEquals(0, srq.postRecv(filled(piece, length)));
  }

  private RecvRequestList filled(int piece, int length) {
    receives.clear().add().wrId(piece);
    return length == 0 ? receives : receives.sge(memory, receiveAt(piece), length);
  }

  long receiveAt(int piece) {
    return (long) (PIECES + piece) * PIECE;
  }

  /** The one request to add to and to {@link #post}; it sends {@code length} bytes of a piece. */
  SendRequestList request(long wrId, WrOpcode opcode, int piece, int length) {
    sends.clear().add().wrId(wrId).opcode(opcode).flags(SendFlags.SIGNALED);
    return length == 0 ? sends : sends.sge(memory, (long) piece * PIECE, length);
  }

  void post(QueuePair qp) {
    assertEquals(0, qp.postSend(sends));
  }

  /** Posts a SEND of bytes that all have this value. */
  void send(QueuePair qp, long wrId, int value, int length) {
    fill(0, value, length);
    request(wrId, WrOpcode.SEND, 0, length);
    post(qp);
  }

  void fill(int piece, int value, int length) {
    memory.memory().asSlice((long) piece * PIECE, length).fill((byte) value);
  }

  /** Demands that all bytes of a received piece have this value. */
  void assertReceived(int piece, int from, int value, int length) {
    for (int i = from; i < from + length; i++) {
      assertEquals(
          (byte) value,
          memory.memory().get(ValueLayout.JAVA_BYTE, receiveAt(piece) + i),
          "byte " + i);
    }
  }

  // ---- what comes back

  /** The next completion; fails when none comes. */
  Completion next() {
    await(
        () -> {
          poll();
          return taken.isEmpty() ? null : taken;
        });
    return taken.remove();
  }

  /** Takes what has completed, and lets the device work. */
  void poll() {
    int count = cq.poll(completions);
    for (int i = 0; i < count; i++) {
      taken.add(Completion.of(completions, i));
    }
  }

  /** The next completion, which must be this and successful. */
  Completion next(long wrId) {
    Completion completion = next();
    assertEquals(wrId, completion.wrId(), completion.toString());
    assertEquals(WcStatus.SUCCESS, completion.status(), completion.toString());
    return completion;
  }

  /** Demands that nothing more has completed by now. */
  void assertNothing() {
    poll();
    assertEquals("[]", taken.toString());
  }

  /** The next asynchronous event, acknowledged. */
  AsyncEvent event() {
    AsyncEvent event =
        await(
            () -> {
              poll();
              return context.pollAsyncEvent();
            });
    event.ack();
    return event;
  }

  long counter(String name) {
    return context.counters().getOrDefault(name, 0L);
  }

  private static <T> T await(Supplier<T> what) {
    long startNs = System.nanoTime();
    T found = what.get();
    while (found == null && System.nanoTime() - startNs < PATIENCE_NS) {
      Thread.onSpinWait();
      found = what.get();
    }
    assertNotNull(found, "nothing came");
    return found;
  }
}
