package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import org.roce4j.junit.Completion;
import org.roce4j.junit.RdmaEnd;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * The objects of one side: an opened device, a domain, memory, one completion queue for everything.
 * The first half of the memory is for sends, the second for receives, in pieces of {@link #PIECE}
 * bytes. The objects are closed with the context.
 */
final class End {
  static final int PIECE = 8192;
  static final int PIECES = 16;

  final Context context;
  final ProtectionDomain pd;
  final MemoryRegion memory;
  final CompletionQueue cq;
  private final RdmaEnd end;
  private final Deque<Completion> taken = new ArrayDeque<>();
  private SendRequestList request;

  End(Context context) {
    this.context = context;
    // The last engine: where a device has several, the queue pairs do not live on the first.
    int vector = context.queryDevice().numCompVectors() - 1;
    end = new RdmaEnd(context, QpType.RC, 2L * PIECES * PIECE, vector);
    pd = end.pd();
    memory = end.region();
    cq = end.cq();
  }

  Gid gid() {
    return end.gid();
  }

  // ---- queue pairs

  /** In INIT. */
  QueuePair queuePair(QpType type, SharedReceiveQueue srq) {
    QueuePair qp = end.createQp(type, srq);
    QpBringUp.to(
        QpState.INIT, qp, QpBringUp.attributes().qpAccessFlags(AccessFlags.REMOTE_WRITE).qkey(0));
    return qp;
  }

  /** A datagram queue pair, ready. */
  QueuePair datagrams(int qkey, SharedReceiveQueue srq) {
    QueuePair qp = end.createQp(QpType.UD, srq);
    QpBringUp.toRts(qp, QpBringUp.attributes().qkey(qkey).sqPsn(7));
    return qp;
  }

  /** Connects one half. */
  void connect(QueuePair qp, End to, QueuePair peer) {
    connect(qp, peer, AhAttr.roce(to.gid(), 0));
  }

  /** Connects one half, over this path. */
  void connect(QueuePair qp, QueuePair peer, AhAttr path) {
    QpBringUp.toRts(qp, RdmaEnd.toward(peer).ahAttr(path).rqPsn(0xfffffe).sqPsn(0xfffffe));
  }

  // ---- requests

  /** Posts the receive of a piece; its identifier is the piece's number. */
  void receive(QueuePair qp, int piece, int length) {
    assertEquals(0, qp.postRecv(filled(piece, length)));
  }

  void receive(SharedReceiveQueue srq, int piece, int length) {
    assertEquals(0, postReceive(srq, piece, length));
  }

  /** The answer of a shared receive queue to the receive of a piece. */
  long postReceive(SharedReceiveQueue srq, int piece, int length) {
    return srq.postRecv(filled(piece, length));
  }

  private RecvRequestList filled(int piece, int length) {
    return end.receive(piece, receiveAt(piece), length);
  }

  long receiveAt(int piece) {
    return (long) (PIECES + piece) * PIECE;
  }

  /** The one request to add to and to {@link #post}; it sends {@code length} bytes of a piece. */
  SendRequestList request(long wrId, WrOpcode opcode, int piece, int length) {
    request = end.request(wrId, opcode, (long) piece * PIECE, length);
    return request;
  }

  void post(QueuePair qp) {
    assertEquals(0, qp.postSend(request));
  }

  /** As {@link #post}, for a request that is refused. */
  void postOrThrow(QueuePair qp) {
    qp.postSendOrThrow(request);
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

  // ---- completions

  /** The next completion; fails when none comes. */
  Completion next() {
    if (taken.isEmpty()) {
      return end.next();
    }
    return taken.remove();
  }

  /** Polls completions, and lets the device work. */
  void poll() {
    taken.addAll(end.poll());
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
    return end.event();
  }

  long counter(String name) {
    return end.counter(name);
  }
}
