package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;

/** A queue pair with a builder and with itself as its peer. */
final class BuilderLoop {
  static final int SENDS = 8;
  static final int INLINE = 16;
  static final int ELEMENTS = 2;
  static final int QKEY = 0x11;
  static final int HALF = 2048;

  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE
          | AccessFlags.REMOTE_WRITE
          | AccessFlags.REMOTE_READ
          | AccessFlags.REMOTE_ATOMIC
          | AccessFlags.MW_BIND
          | AccessFlags.FLUSH_GLOBAL
          | AccessFlags.FLUSH_PERSISTENT;

  static final long DATAGRAMS = SendOpsFlags.WITH_SEND | SendOpsFlags.WITH_SEND_WITH_IMM;

  /** All operations of an RC queue pair. */
  static final long ALL =
      DATAGRAMS
          | SendOpsFlags.WITH_RDMA_WRITE
          | SendOpsFlags.WITH_RDMA_WRITE_WITH_IMM
          | SendOpsFlags.WITH_RDMA_READ
          | SendOpsFlags.WITH_ATOMIC_CMP_AND_SWP
          | SendOpsFlags.WITH_ATOMIC_FETCH_AND_ADD
          | SendOpsFlags.WITH_LOCAL_INV
          | SendOpsFlags.WITH_BIND_MW
          | SendOpsFlags.WITH_SEND_WITH_INV
          | SendOpsFlags.WITH_ATOMIC_WRITE
          | SendOpsFlags.WITH_FLUSH;

  final Context context;
  final Arena arena = Arena.ofAuto();
  final ProtectionDomain pd;
  final CompletionQueue cq;
  final QueuePair qp;
  final MemorySegment memory = arena.allocate(2 * HALF, 4096);
  final MemoryRegion region;
  final WorkRequestBuilder wr;

  BuilderLoop(Context context) {
    this(context, QpType.RC, ALL);
  }

  BuilderLoop(Context context, QpType type, long operations) {
    this(context, type, operations, SENDS);
  }

  BuilderLoop(Context context, QpType type, long operations, int sends) {
    this.context = context;
    pd = context.allocPd();
    cq = context.createCq(2 * sends);
    region = pd.registerMemory(memory, RIGHTS);
    qp =
        pd.createQp(
            new QpInitAttr()
                .cq(cq)
                .qpType(type)
                .cap(new QpCapabilities(sends, SENDS, ELEMENTS, ELEMENTS, INLINE))
                .sendOps(operations));
    wr = qp.builder();
    QpBringUp.toRts(qp, QpBringUp.attributes(path(), qp.qpNum()).qpAccessFlags(RIGHTS).qkey(QKEY));
  }

  AhAttr path() {
    return AhAttr.roce(context.queryGid(1, 0), 0);
  }

  /** Posts a receive into the upper half. */
  void receive() {
    RecvRequestList list = new RecvRequestList(arena, 1, 1);
    qp.postRecvOrThrow(list.add().wrId(100).sge(region, HALF, HALF));
  }

  /** The address for remote operations: the upper half. */
  long remote() {
    return region.iova() + HALF;
  }

  /** The wr_ids of {@code count} completions, which must have succeeded. */
  List<Long> drain(int count) {
    WorkCompletions completions = new WorkCompletions(arena, 1);
    List<Long> ids = new ArrayList<>();
    while (ids.size() < count) {
      if (cq.poll(completions) == 1) {
        assertEquals(WcStatus.SUCCESS, completions.status(0), () -> completions.toString(0));
        ids.add(completions.wrId(0));
      }
    }
    return ids;
  }

  /** The next completion, with any status. */
  WorkCompletions next() {
    WorkCompletions completion = new WorkCompletions(arena, 1);
    Arrival.await(cq, completion);
    return completion;
  }

  /** The receive's completion; the send's may come before or after it. */
  WorkCompletions arrived() {
    WorkCompletions completion;
    do {
      completion = next();
      assertEquals(WcStatus.SUCCESS, completion.status(0), completion.toString(0));
    } while (completion.wrId(0) != 100);
    return completion;
  }
}
