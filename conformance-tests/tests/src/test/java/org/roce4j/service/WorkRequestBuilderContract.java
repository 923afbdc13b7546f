package org.roce4j.service;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.channels.FileChannel.MapMode.READ_WRITE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.verbs.layout.SgeLayout;

/** {@code ibv_wr_*}: every operation, built and posted by a queue pair that is its own peer. */
@Timeout(60)
abstract class WorkRequestBuilderContract {
  private static final int SIGNALED = SendFlags.SIGNALED;

  private static MemorySegment bytes(int... values) {
    MemorySegment data = MemorySegment.ofArray(new byte[values.length]);
    for (int i = 0; i < values.length; i++) {
      data.set(JAVA_BYTE, i, (byte) values[i]);
    }
    return data;
  }

  private static void assertBytes(MemorySegment memory, long at, int... values) {
    assertEquals(-1, memory.asSlice(at, values.length).mismatch(bytes(values)));
  }

  @Test
  @Tag("ibv_create_qp_ex")
  @Tag("ibv_qp_to_qp_ex")
  @Tag("ibv_wr_start")
  @Tag("ibv_wr_complete")
  @Tag("ibv_wr_rdma_write")
  @Tag("ibv_wr_rdma_write_imm")
  @Tag("ibv_wr_set_sge")
  void aBatchOfAWriteAndAWriteWithImmediateIsPostedTogether(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    loop.receive();
    loop.memory.set(JAVA_BYTE, 0, (byte) 5);
    loop.memory.set(JAVA_BYTE, 1, (byte) 6);
    assertSame(loop.wr, loop.qp.builder());
    assertSame(loop.qp, loop.wr.queuePair());
    loop.wr.start();
    loop.wr.wrId(1).flags(0);
    loop.wr.rdmaWrite(loop.region.rkey(), loop.remote()).setSge(loop.region, 0, 1);
    loop.wr.wrId(2).flags(SIGNALED);
    loop.wr
        .rdmaWriteImmediate(loop.region.rkey(), loop.remote() + 1, 0x0102_0304)
        .setSge(loop.region.lkey(), loop.region.iova() + 1, 1);
    assertEquals(0, loop.wr.complete());
    WorkCompletions received = loop.arrived();
    assertEquals(0x0102_0304, received.immediate(0));
    assertBytes(loop.memory, BuilderLoop.HALF, 5, 6);
  }

  @Test
  @Tag("ibv_wr_send")
  @Tag("ibv_wr_send_imm")
  @Tag("ibv_wr_set_sge_list")
  @Tag("ibv_wr_set_inline_data")
  @Tag("ibv_wr_set_inline_data_list")
  void aSendTakesItsBytesFromElementsOrInline(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    MemorySegment list = loop.arena.allocate(2 * SgeLayout.SIZE);
    for (int i = 0; i < 2; i++) {
      loop.memory.set(JAVA_BYTE, 8L * i, (byte) (1 + i));
      SgeLayout.addr(list, (long) i * SgeLayout.SIZE, loop.region.iova() + 8L * i);
      SgeLayout.length(list, (long) i * SgeLayout.SIZE, 1);
      SgeLayout.lkey(list, (long) i * SgeLayout.SIZE, loop.region.lkey());
    }
    loop.wr.start();
    loop.wr.flags(SIGNALED).send().setSgeList(list, 2);
    post(loop, 2);
    assertBytes(loop.memory, BuilderLoop.HALF, 1, 2);

    loop.wr.start();
    loop.wr.send().setInlineData(bytes(3, 4, 5));
    post(loop, 3);
    assertBytes(loop.memory, BuilderLoop.HALF, 3, 4, 5);

    MemorySegment changed = bytes(6);
    loop.wr.start();
    loop.wr.sendImmediate(77).setInlineDataList(List.of(changed, bytes(), bytes(7, 8)));
    changed.fill((byte) 0);
    assertEquals(77, post(loop, 3).immediate(0));
    assertBytes(loop.memory, BuilderLoop.HALF, 6, 7, 8);

    loop.wr.start();
    loop.wr.send().setInlineData(bytes(1)).setSge(loop.region, 8, 1);
    post(loop, 1);
    assertBytes(loop.memory, BuilderLoop.HALF, 2);
  }

  @Test
  void aRequestHasNothingOfTheOneBefore(Context context) {
    for (boolean inline : new boolean[] {false, true}) {
      for (boolean together : new boolean[] {false, true}) {
        BuilderLoop loop = new BuilderLoop(context);
        loop.receive();
        loop.receive();
        loop.wr.start();
        loop.wr.flags(SIGNALED).sendImmediate(77);
        if (inline) {
          loop.wr.setInlineData(bytes(1, 2));
        } else {
          loop.wr.setSge(loop.region, 0, 2);
        }
        if (!together) {
          loop.wr.completeOrThrow();
          loop.wr.start();
        }
        bind(loop, loop.pd.allocMemoryWindow(MwType.TYPE_2)); // may have no elements
        loop.wr.send();
        loop.wr.completeOrThrow();
        assertEquals(2, loop.arrived().byteLength(0));
        WorkCompletions second = loop.arrived();
        assertEquals(0, second.byteLength(0));
        assertEquals(0, second.flags(0));
      }
    }
  }

  @Test
  void whatIsSetWithoutInlineDataIsNotInlineWhateverTheFlags(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    loop.memory.set(JAVA_BYTE, 8, (byte) 9);
    loop.wr.start();
    loop.wr.flags(SIGNALED | SendFlags.INLINE).send().setSge(loop.region, 8, 1);
    post(loop, 1);
    assertBytes(loop.memory, BuilderLoop.HALF, 9);
    loop.wr.start();
    loop.wr.rdmaRead(loop.region.rkey(), loop.remote()).setSge(loop.region, 0, 8);
    assertEquals(0, loop.wr.complete());
  }

  @Test
  void lengthsHaveNoSign(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    loop.wr.start();
    loop.wr.wrId(1).flags(0).send();
    loop.wr.setSge(loop.region.lkey(), loop.region.iova(), Integer.MIN_VALUE + 1);
    loop.wr.completeOrThrow();
    assertEquals(WcStatus.LOC_LEN_ERR, loop.next().status(0));
  }

  private static WorkCompletions post(BuilderLoop loop, int expected) {
    loop.receive();
    loop.wr.completeOrThrow();
    WorkCompletions received = loop.arrived();
    assertEquals(expected, received.byteLength(0));
    return received;
  }

  @Test
  @Tag("ibv_wr_rdma_read")
  @Tag("ibv_wr_atomic_cmp_swp")
  @Tag("ibv_wr_atomic_fetch_add")
  @Tag("ibv_wr_atomic_write")
  void memoryOfThePeerIsReadSwappedAddedToAndWritten(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    int rkey = loop.region.rkey();
    long there = BuilderLoop.HALF;
    loop.memory.set(JAVA_LONG, there, 40);
    loop.wr.start();
    loop.wr.flags(SIGNALED);
    loop.wr.wrId(1).rdmaRead(rkey, loop.remote()).setSge(loop.region, 0, 8);
    loop.wr.wrId(2).fetchAndAdd(rkey, loop.remote(), 2).setSge(loop.region, 8, 8);
    loop.wr.wrId(3).compareAndSwap(rkey, loop.remote(), 42, 50).setSge(loop.region, 16, 8);
    loop.wr.wrId(4).compareAndSwap(rkey, loop.remote(), 42, 60).setSge(loop.region, 24, 8);
    loop.wr.wrId(5).atomicWrite(rkey, loop.remote() + 8, 0x1122_3344_5566_7788L);
    loop.wr.completeOrThrow();
    assertEquals(List.of(1L, 2L, 3L, 4L, 5L), loop.drain(5));
    assertEquals(40, loop.memory.get(JAVA_LONG, 0));
    assertEquals(40, loop.memory.get(JAVA_LONG, 8));
    assertEquals(42, loop.memory.get(JAVA_LONG, 16));
    assertEquals(50, loop.memory.get(JAVA_LONG, 24));
    assertEquals(50, loop.memory.get(JAVA_LONG, there));
    assertEquals(0x1122_3344_5566_7788L, loop.memory.get(JAVA_LONG, there + 8));
  }

  @Test
  @Tag("ibv_wr_bind_mw")
  @Tag("ibv_wr_local_inv")
  @Tag("ibv_wr_send_inv")
  void aWindowIsBoundUsedAndInvalidated(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    MemoryWindow window = loop.pd.allocMemoryWindow(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(window.rkey());
    loop.receive();
    loop.wr.start();
    loop.wr.flags(SIGNALED);
    bind(loop, window, key);
    loop.wr.wrId(2).rdmaWrite(key, loop.remote()).setInlineData(bytes(9));
    loop.wr.wrId(3).sendInvalidate(key);
    loop.wr.completeOrThrow();
    WorkCompletions received = loop.arrived();
    assertEquals(WcFlags.WITH_INV, received.flags(0));
    assertEquals(key, received.invalidatedRkey(0));
    assertBytes(loop.memory, BuilderLoop.HALF, 9);

    BuilderLoop other = new BuilderLoop(context);
    MemoryWindow mine = other.pd.allocMemoryWindow(MwType.TYPE_2);
    int bound = MemoryWindow.incrementRkey(mine.rkey());
    other.wr.start();
    other.wr.flags(SIGNALED);
    bind(other, mine, bound);
    other.wr.wrId(4).localInvalidate(bound);
    bind(other, mine, MemoryWindow.incrementRkey(bound));
    other.wr.completeOrThrow();
    assertEquals(List.of(1L, 4L, 1L), other.drain(3));
  }

  private static void bind(BuilderLoop loop, MemoryWindow window) {
    bind(loop, window, MemoryWindow.incrementRkey(window.rkey()));
  }

  private static void bind(BuilderLoop loop, MemoryWindow window, int key) {
    loop.wr
        .wrId(1)
        .bindMemoryWindow(window, key, loop.region, loop.remote(), 64, AccessFlags.REMOTE_WRITE);
  }

  @Test
  @Tag("ibv_wr_set_ud_addr")
  void aDatagramGoesWhereItsAddressSays(Context context) {
    BuilderLoop loop = new BuilderLoop(context, QpType.UD, BuilderLoop.DATAGRAMS);
    loop.receive();
    loop.wr.start();
    loop.wr.sendImmediate(3).setInlineData(bytes(1, 2));
    loop.wr.setUdAddress(loop.pd.createAh(loop.path()), loop.qp.qpNum(), BuilderLoop.QKEY);
    loop.wr.completeOrThrow();
    WorkCompletions received = loop.arrived();
    assertEquals(3, received.immediate(0));
    assertEquals(loop.qp.qpNum(), received.sourceQp(0));
    assertBytes(loop.memory, BuilderLoop.HALF + (long) GlobalRouteHeader.SIZE, 1, 2);
  }

  @Test
  @Tag("ibv_wr_set_xrc_srqn")
  void anXrcRequestNamesTheReceiveQueue(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    XrcDomain xrcd = context.openXrcd(new XrcdInitAttr());
    SharedReceiveQueue srq =
        context.createSrq(
            new SrqInitAttrEx().srqType(SrqType.XRC).pd(loop.pd).xrcd(xrcd).cq(loop.cq).maxWr(2));
    QueuePair target = context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
    QueuePair initiator =
        loop.pd.createQp(
            new QpInitAttr()
                .qpType(QpType.XRC_SEND)
                .sendCq(loop.cq)
                .cap(new QpCapabilities(4, 0, 1, 0, 8))
                .sendOps(SendOpsFlags.WITH_SEND));
    QpBringUp.toRts(initiator, QpBringUp.attributes(loop.path(), target.qpNum()));
    QpBringUp.toRts(target, QpBringUp.attributes(loop.path(), initiator.qpNum()));
    for (int i = 0; i < 2; i++) {
      RecvRequestList list = new RecvRequestList(loop.arena, 1, 1);
      assertEquals(0, srq.postRecv(list.add().wrId(100).sge(loop.region, 0, 64)));
    }
    WorkRequestBuilder wr = initiator.builder();
    wr.start();
    wr.send().setXrcSrqNumber(srq.srqNum()).setInlineData(bytes(4));
    wr.completeOrThrow();
    loop.arrived();
    assertBytes(loop.memory, 0, 4);

    wr.start();
    wr.send().setInlineData(bytes(4));
    wr.send().setXrcSrqNumber(srq.srqNum()).setInlineData(bytes(4));
    assertEquals(Errno.EINVAL.number(), wr.complete());
    assertTrue(wr.whyRefused().contains("setXrcSrqNumber"), wr.whyRefused());
  }

  @Test
  @Tag("ibv_wr_abort")
  void anAbortedBatchIsNeverPosted(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    loop.wr.start();
    loop.wr.wrId(1).flags(SIGNALED);
    loop.wr.rdmaWrite(loop.region.rkey(), loop.remote()).setInlineData(bytes(1));
    loop.wr.setInlineData(bytes(2)).send();
    loop.wr.abort();
    loop.wr.start();
    loop.wr.wrId(2).rdmaWrite(loop.region.rkey(), loop.remote()).setInlineData(bytes(3));
    assertEquals(0, loop.wr.complete());
    assertEquals(List.of(2L), loop.drain(1));
    assertBytes(loop.memory, BuilderLoop.HALF, 3);
  }

  @Test
  void aBatchThatIsTooLargeIsRefusedAsAWhole(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    for (int batch : new int[] {BuilderLoop.SENDS + 1, BuilderLoop.SENDS, BuilderLoop.SENDS}) {
      loop.wr.start();
      for (int i = 0; i < batch; i++) {
        loop.wr.wrId(i).flags(SIGNALED);
        loop.wr.rdmaWrite(loop.region.rkey(), loop.remote()).setInlineData(bytes(i));
      }
      boolean fits = batch <= BuilderLoop.SENDS;
      assertEquals(fits ? 0 : Errno.ENOMEM.number(), loop.wr.complete());
      if (fits) {
        assertEquals(List.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L), loop.drain(batch));
      }
    }
    assertBytes(loop.memory, BuilderLoop.HALF, BuilderLoop.SENDS - 1);
  }

  @Test
  void batchesOfTwoThreadsAreNotMixed(Context context) throws InterruptedException {
    BuilderLoop loop = new BuilderLoop(context, QpType.RC, BuilderLoop.ALL, 256);
    List<Thread> threads =
        List.of(0, 1).stream().map(t -> Thread.ofPlatform().start(() -> build(loop, t))).toList();
    Set<Long> seen = new HashSet<>();
    for (int pair = 0; pair < 100; pair++) {
      List<Long> ids = loop.drain(2);
      assertEquals(ids.get(0) + 1, ids.get(1));
      assertTrue(seen.add(ids.get(0)));
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private static void build(BuilderLoop loop, int thread) {
    for (int i = 0; i < 50; i++) {
      loop.wr.start();
      for (int j = 0; j < 2; j++) {
        loop.wr.wrId(1000L * thread + 2L * i + j).flags(SIGNALED);
        loop.wr.rdmaWrite(loop.region.rkey(), loop.remote()).setInlineData(bytes(j));
      }
      loop.wr.completeOrThrow();
    }
  }

  @Test
  void aFailedRequestFailsTheQueuePairAsAPostedOneDoes(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    loop.wr.start();
    loop.wr.wrId(1).flags(0).rdmaWrite(loop.region.rkey(), loop.remote());
    loop.wr.setSge(loop.region.lkey() + 1, loop.region.iova(), 8);
    loop.wr.wrId(2).flags(0).rdmaWrite(loop.region.rkey(), loop.remote());
    loop.wr.completeOrThrow();
    for (WcStatus status : List.of(WcStatus.LOC_PROT_ERR, WcStatus.WR_FLUSH_ERR)) {
      assertEquals(status, loop.next().status(0));
    }
  }

  @Test
  void whatTheQueuePairWasNotMadeForIsRefused(Context context) {
    BuilderLoop loop = new BuilderLoop(context, QpType.RC, SendOpsFlags.WITH_SEND);
    loop.wr.start();
    loop.wr.rdmaWrite(loop.region.rkey(), loop.remote());
    assertEquals(Errno.EOPNOTSUPP.number(), loop.wr.complete());
    loop.wr.start();
    loop.wr.flush(loop.region.rkey(), loop.remote(), 8, 1, 0);
    assertEquals(Errno.EOPNOTSUPP.number(), loop.wr.complete());
    assertTrue(loop.wr.whyRefused().contains("sendOps"), loop.wr.whyRefused());
    QueuePair plain = loop.pd.createQp(new QpInitAttr().cq(loop.cq));
    refused(Errno.EOPNOTSUPP, plain::builder);
    for (long none : new long[] {SendOpsFlags.WITH_TSO, 1L << 40}) {
      QpInitAttr attr = new QpInitAttr().cq(loop.cq).sendOps(none);
      refused(Errno.EOPNOTSUPP, () -> loop.pd.createQp(attr));
    }
  }

  @Test
  @Tag("ibv_wr_flush")
  void aFlushFollowsTheWritesBeforeIt(Context context) {
    BuilderLoop loop = new BuilderLoop(context);
    loop.memory.fill((byte) 7);
    loop.wr.start();
    loop.wr.wrId(1).flags(SIGNALED);
    loop.wr.rdmaWrite(loop.region.rkey(), loop.remote()).setSge(loop.region, 0, 64);
    loop.wr.wrId(2).flush(loop.region.rkey(), loop.remote(), 64, 1, 0);
    loop.wr.wrId(3).flush(loop.region.rkey(), 0, 0, 3, 1);
    loop.wr.completeOrThrow();
    assertEquals(List.of(1L, 2L, 3L), loop.drain(3));
  }

  @Test
  void whatIsFlushedForGoodIsInTheFile(Context context, @TempDir Path directory)
      throws IOException {
    Path file = directory.resolve("kept");
    try (FileChannel channel = FileChannel.open(file, CREATE_NEW, READ, WRITE);
        Arena arena = Arena.ofShared()) {
      MemorySegment kept = channel.map(READ_WRITE, 0, 8192, arena);
      BuilderLoop loop = new BuilderLoop(context);
      int rights =
          AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.FLUSH_PERSISTENT;
      try (MemoryRegion there = loop.pd.registerMemory(kept, rights)) {
        loop.wr.start();
        loop.wr.flags(SIGNALED);
        loop.wr.rdmaWrite(there.rkey(), there.iova() + 5000).setInlineData(bytes(1, 2, 3));
        loop.wr.flush(there.rkey(), there.iova() + 5000, 3, 2, 0);
        loop.wr.completeOrThrow();
        loop.drain(2);
      }
      assertEquals(3, Files.readAllBytes(file)[5002]);
    }
  }
}
