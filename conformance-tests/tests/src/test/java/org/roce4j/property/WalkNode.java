package org.roce4j.property;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** A node of a walk: its objects, its receive buffers, and the legs of its queue pairs. */
final class WalkNode {
  private static final int BUFFER = WalkLeg.SLOT + GlobalRouteHeader.SIZE;

  /** Offset of a receive's second element. */
  private static final int CUT = 100;

  final ProtectionDomain pd;
  final CompletionQueue sendCq;
  final CompletionQueue recvCq;

  /** The receive queue that all its queue pairs share, or null. */
  final SharedReceiveQueue srq;

  /** The XRC domain of its target queue pairs. */
  final XrcDomain domain;

  final SharedReceiveQueue named;

  private final Arena arena;
  private final Context context;
  private final CompletionChannel channel;
  private final WalkCompletions completions;
  private final MemorySegment buffers;
  private final MemoryRegion buffersRegion;
  private final Map<Integer, WalkLeg> senders = new HashMap<>();
  private final Map<Integer, WalkLeg> receivers = new HashMap<>();
  private final int most;
  private int buffersUsed;

  WalkNode(
      Context context,
      Arena arena,
      boolean sharedReceives,
      boolean extendedCompletions,
      int legs,
      int requests) {
    this.arena = arena;
    this.context = context;
    pd = context.allocPd();
    int all = 2 * legs * receives(requests);
    channel = context.createCompletionChannel();
    CqInitAttr sends = new CqInitAttr().cqe(2 * legs * requests).wcFlags(WcExFlags.STANDARD);
    CqInitAttr receives = new CqInitAttr().cqe(all).channel(channel).wcFlags(WcExFlags.STANDARD);
    sendCq = extendedCompletions ? context.createCqEx(sends) : context.createCq(sends.cqe());
    recvCq =
        extendedCompletions
            ? context.createCqEx(receives)
            : context.createCq(all, null, channel, 0);
    completions = new WalkCompletions(arena);
    buffers = arena.allocate((long) all * BUFFER, 4096);
    buffersRegion = pd.registerMemory(buffers, AccessFlags.LOCAL_WRITE);
    most = all;
    srq = sharedReceives ? pd.createSrq(new SrqInitAttr(all, 2)) : null;
    domain = context.openXrcd(new XrcdInitAttr());
    named =
        context.createSrq(
            new SrqInitAttrEx()
                .srqType(SrqType.XRC)
                .pd(pd)
                .xrcd(domain)
                .cq(recvCq)
                .maxWr(all)
                .maxSge(2));
    recvCq.requestNotification(true);
  }

  /** Enough receive requests for a peer's requests, which may arrive more than once. */
  static int receives(int requests) {
    return 2 * requests + 8;
  }

  Gid gid(int port) {
    return context.queryGid(port, 0);
  }

  MemorySegment memory(long bytes, SplittableRandom random) {
    MemorySegment memory = arena.allocate(bytes, 4096);
    for (long at = 0; at < bytes; at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, random.nextLong());
    }
    return memory;
  }

  void sends(WalkLeg leg) {
    senders.put(leg.sender.qpNum(), leg);
  }

  /** Posts the receives that a leg to this node may need. */
  void receives(WalkLeg leg, int requests) {
    receivers.put(leg.receiver.qpNum(), leg);
    QueuePair qp = leg.receiver;
    SharedReceiveQueue shared = sharedQueue(qp);
    try (RecvRequestList list = new RecvRequestList(1, 2)) {
      for (int i = 0; i < receives(requests); i++) {
        long at = (long) buffersUsed * BUFFER;
        list.clear().add().wrId(buffersUsed++);
        list.sge(buffersRegion, at, CUT);
        list.sge(buffersRegion, at + CUT, BUFFER - CUT);
        assertEquals(0, shared != null ? shared.postRecv(list) : qp.postRecv(list));
      }
    }
  }

  /** The shared receive queue of a queue pair, or null if it has its own. */
  private SharedReceiveQueue sharedQueue(QueuePair qp) {
    return qp.qpType() == QpType.XRC_RECV ? named : srq;
  }

  /** Resizes a leg's shared queue if the posted requests fit. */
  void resize(WalkLeg leg, int percent) {
    SharedReceiveQueue queue = sharedQueue(leg.receiver);
    if (queue == null) {
      return;
    }
    SrqAttr before = queue.query();
    int size = Math.max(1, most * percent / 100);
    try {
      queue.modify(new SrqAttr(size, 0, 0), SrqAttrMask.MAX_WR);
      assertTrue(queue.query().maxWr() >= size);
    } catch (VerbsException e) {
      assertEquals(Errno.EINVAL, e.errno());
      assertEquals(before, queue.query());
    }
  }

  /** Waits for the only outstanding send request. */
  void done() {
    List<WalkCompletions.Done> done = List.of();
    while (done.isEmpty()) {
      done = completions.of(sendCq);
      Thread.onSpinWait();
    }
    done.getFirst().succeeded();
  }

  Context context() {
    return context;
  }

  /** Polls completions; false if there were none. */
  boolean poll() {
    List<WalkCompletions.Done> sent = completions.of(sendCq);
    for (WalkCompletions.Done done : sent) {
      done.succeeded();
      senders.get(done.qpNum()).sent.add(new LegModel.Sent(done.wrId(), done.opcode()));
    }
    List<WalkCompletions.Done> received = completions.of(recvCq);
    for (WalkCompletions.Done done : received) {
      WalkLeg leg = receivers.get(done.qpNum());
      if (!tornMessage(leg, done)) {
        done.succeeded();
        received(leg, done);
      }
    }
    return !sent.isEmpty() || !received.isEmpty();
  }

  /**
   * Whether a completion is that of a torn message: it gives its request of a shared queue back,
   * because other queue pairs wait for it.
   */
  private boolean tornMessage(WalkLeg leg, WalkCompletions.Done done) {
    return srq != null && leg.model.mayBeTorn() && done.status() == WcStatus.REM_INV_REQ_ERR;
  }

  private void received(WalkLeg leg, WalkCompletions.Done done) {
    int header = (done.flags() & WcFlags.GRH) != 0 ? GlobalRouteHeader.SIZE : 0;
    int bytes = done.bytes();
    if (header > 0) {
      assertEquals(leg.sender.qpNum(), done.sourceQp(), "the datagram's sender");
    }
    long at = done.wrId() * BUFFER + header;
    byte[] payload =
        done.opcode() == WcOpcode.RECV
            ? buffers.asSlice(at, bytes - header).toArray(ValueLayout.JAVA_BYTE)
            : new byte[0];
    leg.model.received(
        new LegModel.Received(done.opcode(), bytes, done.flags(), done.immediate()), payload);
  }

  /**
   * The queue was armed for solicited messages before the first one: there is one event if there
   * was a solicited message.
   */
  void checkEvents() {
    boolean solicited = receivers.values().stream().anyMatch(leg -> leg.model.anySolicited());
    boolean told = channel.getCqEvent(0) != null;
    if (told) {
      recvCq.ackEvents(1);
    }
    assertEquals(solicited, told, "an event for a solicited message");
    assertTrue(channel.getCqEvent(0) == null, "armed once, there are two events");
  }
}
