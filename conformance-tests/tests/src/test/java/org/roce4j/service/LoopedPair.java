package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** A queue pair with a reliable connection to itself, and a region of the program's memory. */
final class LoopedPair {
  static final int BYTES = 8192;
  static final int ALL =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC;

  final Context context;
  final ProtectionDomain pd;
  final CompletionQueue cq;
  final QueuePair qp;
  final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 4096);
  final MemoryRegion region;
  private final SendRequestList request = new SendRequestList(Arena.ofAuto(), 1, 4, 0);
  private final WorkCompletions completions = new WorkCompletions(Arena.ofAuto(), 1);

  LoopedPair(Context context) {
    this(context, context.allocPd());
  }

  LoopedPair(Context context, ProtectionDomain pd) {
    this.context = context;
    this.pd = pd;
    cq = context.createCq(64);
    region = pd.registerMemory(memory, ALL);
    qp = pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(64, 64, 4, 4, 0)));
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(context.queryGid(1, 0), 0), qp.qpNum()));
  }

  /** A signaled request without elements. */
  SendRequestList request(WrOpcode opcode, MemoryRegion remote, long at) {
    return request
        .clear()
        .add()
        .opcode(opcode)
        .flags(SendFlags.SIGNALED)
        .remote(remote.iova() + at, remote.rkey());
  }

  /** Posts the request of {@link #request} and returns its status. */
  WcStatus status() {
    qp.postSendOrThrow(request);
    return completed();
  }

  WcStatus completed() {
    Arrival.await(cq, completions);
    return completions.status(0);
  }

  /** Sends bytes of the region and receives them with {@code receive}. */
  void sendInto(RecvRequestList receive, long from, int bytes) {
    qp.postRecvOrThrow(receive);
    request.clear().add().opcode(WrOpcode.SEND).sge(region, from, bytes);
    qp.postSendOrThrow(request);
    assertEquals(WcStatus.SUCCESS, completed());
  }
}
