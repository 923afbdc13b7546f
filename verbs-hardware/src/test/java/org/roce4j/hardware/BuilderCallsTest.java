package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvDataBuf;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvMwBindInfo;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvQpEx;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttrEx;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.WorkRequestBuilder;

/** The calls of the driver that the work request builder makes. */
@EnabledOnOs(OS.LINUX)
class BuilderCallsTest extends ExtendedFixture {
  private static final long ALL_OPERATIONS = (1 << 13) - 1;

  private QueuePair queuePair(long operations) {
    return queuePair(QpType.RC, operations);
  }

  private QueuePair queuePair(QpType type, long operations) {
    CompletionQueue cq = context.createCq(4);
    QpInitAttr attr = new QpInitAttr().qpType(type).cq(cq).sendOps(operations);
    return context.allocPd().createQp(attr.cap(new QpCapabilities(4, 4, 1, 1, 0)));
  }

  @Test
  @Tag("ibv_create_qp_ex")
  @Tag("ibv_qp_to_qp_ex")
  @Tag("ibv_wr_start")
  @Tag("ibv_wr_complete")
  @Tag("ibv_wr_abort")
  @Tag("ibv_wr_send")
  @Tag("ibv_wr_set_sge")
  void aBatchIsBuiltByTheDriver() {
    QueuePair qp = queuePair(SendOpsFlags.WITH_SEND);
    assertEquals(1 | 1 << 2 | 1 << 6, asked.get(JAVA_INT, IbvQpInitAttrEx.COMP_MASK));
    assertEquals(SendOpsFlags.WITH_SEND, asked.get(JAVA_LONG, IbvQpInitAttrEx.SEND_OPS_FLAGS));
    WorkRequestBuilder wr = qp.builder();
    notes("wr_set_sge", 3);
    refused(Errno.EINVAL, wr::send);
    wr.start();
    refused(Errno.EINVAL, wr::start);
    wr.wrId(5).flags(SendFlags.SIGNALED | SendFlags.INLINE).send().setSge(1, 2, 3);
    assertEquals(5, qpEx.get(JAVA_LONG, IbvQpEx.WR_ID));
    assertEquals(SendFlags.SIGNALED | SendFlags.INLINE, qpEx.get(JAVA_INT, IbvQpEx.WR_FLAGS));
    assertEquals(0, wr.complete());
    assertEquals(List.of("wr_start", "wr_send", "wr_set_sge[1, 2, 3]", "wr_complete"), calls);
    c.does("wr_complete", a -> Errno.ENOMEM.number());
    wr.start();
    wr.send();
    assertEquals(Errno.ENOMEM.number(), wr.complete());
    assertTrue(wr.whyRefused().contains("driver"), wr.whyRefused());
    calls.clear();
    wr.start();
    wr.abort();
    assertEquals(List.of("wr_start", "wr_abort"), calls);
    qp.close();
    refused(Errno.EINVAL, wr::start);
    refused(Errno.EINVAL, qp::builder);
  }

  @Test
  void whatTheDriverHasNoFunctionForAbortsTheBatch() {
    WorkRequestBuilder wr = queuePair(SendOpsFlags.WITH_SEND).builder();
    wr.start();
    wr.wrId(8).send().rdmaRead(1, 2).setSge(1, 2, 3);
    assertEquals(Errno.EOPNOTSUPP.number(), wr.complete());
    String why = wr.whyRefused();
    assertTrue(why.contains("request 1 (wr_id 8, RDMA_READ)") && why.contains("sendOps"), why);
    assertEquals(List.of("wr_start", "wr_send", "wr_abort"), calls);
    calls.clear();
    wr.start();
    wr.setSge(1, 2, 3);
    assertEquals(Errno.EINVAL.number(), wr.complete());
    assertEquals(List.of("wr_start", "wr_abort"), calls);
    c.does("ibv_qp_to_qp_ex", a -> 0);
    QueuePair without = queuePair(SendOpsFlags.WITH_SEND);
    refused(Errno.EOPNOTSUPP, without::builder);
  }

  @Test
  @Tag("ibv_wr_send_imm")
  @Tag("ibv_wr_send_inv")
  @Tag("ibv_wr_rdma_write")
  @Tag("ibv_wr_rdma_write_imm")
  @Tag("ibv_wr_rdma_read")
  @Tag("ibv_wr_atomic_cmp_swp")
  @Tag("ibv_wr_atomic_fetch_add")
  @Tag("ibv_wr_local_inv")
  @Tag("ibv_wr_flush")
  void everyOperationHasItsArguments() {
    WorkRequestBuilder wr = queuePair(ALL_OPERATIONS).builder();
    notes("wr_send_imm", 1);
    notes("wr_send_inv", 1);
    notes("wr_rdma_write", 2);
    notes("wr_rdma_write_imm", 3);
    notes("wr_rdma_read", 2);
    notes("wr_atomic_cmp_swp", 4);
    notes("wr_atomic_fetch_add", 3);
    notes("wr_local_inv", 1);
    c.does( // the upper half of a register that holds an int may hold anything
        "wr_flush",
        a -> calls.add("wr_flush" + List.of(a[1], a[2], a[3], (int) a[4], (int) a[5])) ? 0 : 1);
    wr.start();
    calls.clear();
    wr.sendImmediate(0x01020304);
    wr.sendInvalidate(6);
    wr.rdmaWrite(7, 8);
    wr.rdmaWriteImmediate(9, 10, 0x01000000);
    wr.rdmaRead(11, 12);
    wr.compareAndSwap(13, 14, 15, 16);
    wr.fetchAndAdd(17, 18, 19);
    wr.localInvalidate(20);
    wr.flush(21, 22, 23, 1, 0);
    assertEquals(
        List.of(
            "wr_send_imm[67305985]",
            "wr_send_inv[6]",
            "wr_rdma_write[7, 8]",
            "wr_rdma_write_imm[9, 10, 1]",
            "wr_rdma_read[11, 12]",
            "wr_atomic_cmp_swp[13, 14, 15, 16]",
            "wr_atomic_fetch_add[17, 18, 19]",
            "wr_local_inv[20]",
            "wr_flush[21, 22, 23, 1, 0]"),
        calls);
    wr.abort();
  }

  @Test
  @Tag("ibv_wr_set_ud_addr")
  @Tag("ibv_wr_set_xrc_srqn")
  void aDestinationIsDemandedOfItsTypeAndNoOtherHasTheFunction() {
    HardwareProtectionDomain pd = (HardwareProtectionDomain) context.allocPd();
    long handle = pd.registerMemory(arena.allocate(64), 0).nativeHandle();
    HardwareAddressHandle ah = new HardwareAddressHandle(pd, handle, AhAttr.roce(Gid.ofIpv4(1), 0));
    Map<QpType, String> functions =
        Map.of(
            QpType.XRC_SEND,
            "wr_set_xrc_srqn[24]",
            QpType.UD,
            "wr_set_ud_addr[%d, 5, 6]".formatted(handle));
    for (QpType type : List.of(QpType.RC, QpType.UD, QpType.XRC_SEND)) {
      WorkRequestBuilder wr = queuePair(type, SendOpsFlags.WITH_SEND).builder();
      notes("wr_set_xrc_srqn", 1);
      notes("wr_set_ud_addr", 3);
      List<Runnable> setters =
          List.of(() -> wr.setUdAddress(ah, 5, 6), () -> wr.setXrcSrqNumber(24), () -> {});
      int sound = type == QpType.UD ? 0 : type == QpType.XRC_SEND ? 1 : 2;
      for (int i = 0; i < setters.size(); i++) {
        wr.start();
        calls.clear();
        wr.send();
        setters.get(i).run();
        wr.send();
        setters.get(i).run();
        assertEquals(i == sound ? 0 : Errno.EINVAL.number(), wr.complete(), type + " " + i);
        String function = functions.get(type);
        assertEquals(
            i != sound
                ? List.of("wr_send", "wr_abort")
                : function == null
                    ? List.of("wr_send", "wr_send", "wr_complete")
                    : List.of("wr_send", function, "wr_send", function, "wr_complete"),
            calls);
      }
    }
  }

  @Test
  @Tag("ibv_wr_atomic_write")
  @Tag("ibv_wr_bind_mw")
  @Tag("ibv_wr_set_inline_data")
  @Tag("ibv_wr_set_inline_data_list")
  @Tag("ibv_wr_set_sge_list")
  void whatIsPassedByPointerArrives() {
    QueuePair qp = queuePair(ALL_OPERATIONS);
    ProtectionDomain pd = qp.pd();
    MemoryRegion region = pd.registerMemory(arena.allocate(64), 0);
    MemoryWindow window =
        new HardwareMemoryWindow(
            (HardwareProtectionDomain) pd, region.nativeHandle(), MwType.TYPE_2);
    List<Object> seen = new ArrayList<>();
    pointersAreSeen(seen);
    MemorySegment elements = arena.allocate(32, 8);
    c.does("wr_set_sge_list", a -> see(seen, a[1], a[2]));
    WorkRequestBuilder wr = qp.builder();
    wr.start();
    say(wr, window, region, elements);
    assertEquals(
        List.of(
            42L,
            window.nativeHandle(),
            9L,
            region.nativeHandle(),
            1,
            (byte) 4,
            2L,
            1L,
            (byte) 7,
            2L,
            elements.address()),
        seen);
    wr.setSgeList(elements, 3);
    assertEquals(Errno.EFAULT.number(), wr.complete());
  }

  private void pointersAreSeen(List<Object> seen) {
    c.does("wr_atomic_write", a -> see(seen, LibraryInJava.at(a[3], 8).get(JAVA_LONG, 0)));
    c.does(
        "wr_bind_mw",
        a -> {
          MemorySegment info = LibraryInJava.at(a[3], IbvMwBindInfo.SIZE);
          return see(
              seen,
              a[1],
              a[2],
              info.get(JAVA_LONG, IbvMwBindInfo.MR),
              info.get(JAVA_INT, IbvMwBindInfo.MW_ACCESS_FLAGS));
        });
    c.does(
        "wr_set_inline_data", a -> see(seen, LibraryInJava.at(a[1], a[2]).toArray(JAVA_BYTE)[1]));
    c.does(
        "wr_set_inline_data_list",
        a -> {
          MemorySegment second = LibraryInJava.at(a[2] + IbvDataBuf.SIZE, IbvDataBuf.SIZE);
          long at = second.get(JAVA_LONG, IbvDataBuf.ADDR);
          return see(
              seen,
              a[1],
              second.get(JAVA_LONG, IbvDataBuf.LENGTH),
              LibraryInJava.at(at, 1).get(JAVA_BYTE, 0));
        });
  }

  private static void say(
      WorkRequestBuilder wr, MemoryWindow window, MemoryRegion region, MemorySegment elements) {
    byte[] bytes = {3, 4};
    wr.atomicWrite(1, 2, 42);
    wr.bindMemoryWindow(window, 9, region, 0, 64, 1);
    wr.send();
    wr.setInlineData(MemorySegment.ofArray(bytes));
    wr.setInlineDataList(
        List.of(MemorySegment.ofArray(bytes), MemorySegment.ofArray(new byte[] {7})));
    wr.setSgeList(elements, 2);
  }

  private static long see(List<Object> seen, Object... values) {
    seen.addAll(List.of(values));
    return 0;
  }

  /**
   * Sets every function to the C library's {@code ffs}, but complete to {@code sched_yield}, which
   * returns 0.
   */
  private void driverOfNoEffect() {
    Linker linker = Linker.nativeLinker();
    MemorySegment function = linker.defaultLookup().findOrThrow("ffs");
    for (long at = IbvQpEx.WR_ATOMIC_CMP_SWP; at <= IbvQpEx.WR_ATOMIC_WRITE + 8L; at += 8) {
      qpEx.set(ADDRESS, at, function);
    }
    qpEx.set(ADDRESS, IbvQpEx.WR_COMPLETE, linker.defaultLookup().findOrThrow("sched_yield"));
  }

  @Test
  void aBatchOfAQueuePairThatIsDestroyedMeanwhileGoesNowhere() {
    QueuePair qp = queuePair(ALL_OPERATIONS);
    WorkRequestBuilder wr = qp.builder();
    wr.start();
    wr.send();
    qp.close();
    calls.clear();
    refused(Errno.EINVAL, wr::send);
    refused(Errno.EINVAL, () -> wr.setSge(1, 2, 3));
    refused(Errno.EINVAL, wr::completeOrThrow);
    refused(Errno.EINVAL, wr::start);
    assertEquals(List.of(), calls);
  }

  @Test
  void whatIsWrongAbortsTheBatchAndTheNextIsSound() {
    WorkRequestBuilder wr = queuePair(ALL_OPERATIONS).builder();
    MemorySegment freed;
    try (Arena gone = Arena.ofConfined()) {
      freed = gone.allocate(32, 8);
    }
    List<Runnable> wrong =
        List.of(
            () -> wr.setSge(1, 2, 3),
            () -> wr.setXrcSrqNumber(1),
            () -> wr.atomicWrite(1, 2, 3).setSge(1, 2, 3),
            () -> wr.atomicWrite(1, 2, 3).setInlineData(MemorySegment.ofArray(new byte[8])),
            () -> wr.send().setSgeList(arena.allocate(32, 8), -1),
            () -> wr.send().setSgeList(arena.allocate(32, 8), 3),
            () -> wr.send().setSgeList(MemorySegment.ofArray(new byte[64]), 1),
            () -> wr.send().setSgeList(freed, 1),
            () -> wr.send().setInlineData(freed),
            () -> wr.send().setInlineDataList(List.of(freed)));
    for (Runnable call : wrong) {
      wr.start();
      call.run();
      calls.clear();
      wr.rdmaWrite(1, 2).setSge(1, 2, 3);
      assertTrue(wr.complete() != 0);
      assertTrue(!wr.whyRefused().isEmpty());
      assertEquals(List.of("wr_abort"), calls);
      wr.start();
      wr.send();
      assertEquals(0, wr.complete());
    }
  }

  @Test
  void requestsAreBuiltWithoutAllocation() {
    QueuePair qp = queuePair(ALL_OPERATIONS);
    WorkRequestBuilder wr = qp.builder();
    driverOfNoEffect();
    MemoryRegion region = qp.pd().registerMemory(arena.allocate(64), 0);
    MemoryWindow window =
        new HardwareMemoryWindow(
            (HardwareProtectionDomain) qp.pd(), region.nativeHandle(), MwType.TYPE_2);
    MemorySegment elements = arena.allocate(32, 8);
    MemorySegment inline = MemorySegment.ofArray(new byte[16]);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int batches = 5_000;
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 20 && least > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < batches; i++) {
        wr.start();
        wr.wrId(i).flags(SendFlags.SIGNALED).send().setSge(1, 2, 3);
        wr.rdmaWrite(1, 2).setInlineData(inline);
        wr.rdmaRead(1, 2).setSgeList(elements, 2);
        wr.compareAndSwap(1, 2, 3, 4).setSge(1, 2, 8);
        wr.atomicWrite(1, 2, 3);
        wr.bindMemoryWindow(window, 1, region, 0, 64, 0);
        wr.flush(1, 2, 3, 1, 0);
        assertEquals(0, wr.complete());
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least < batches, least + " bytes for " + batches + " batches");
  }

  @Test
  @Tag("ibv_attach_mcast")
  @Tag("ibv_detach_mcast")
  void aGroupIsJoinedAndLeftByItsAddress() {
    QueuePair qp = queuePair(context.allocPd(), context.createCq(1));
    List<List<Long>> joined = asked("ibv_attach_mcast", 3);
    c.does("ibv_detach_mcast", a -> Errno.EINVAL.number());
    Gid group = Gid.parse("239.1.2.3");
    qp.attachMulticast(group);
    assertEquals(
        List.of(address(qp), 0L), List.of(joined.getFirst().get(0), joined.getFirst().get(2)));
    refused(Errno.EINVAL, () -> qp.detachMulticast(group));
  }

  /** How a batch ends. */
  enum End {
    COMPLETED(wr -> assertEquals(0, wr.send().complete())),
    EMPTY(wr -> assertEquals(0, wr.complete())),
    REFUSED(wr -> assertNotEquals(0, wr.rdmaRead(1, 2).complete())),
    ABORTED(wr -> wr.send().setSge(1, 2, 3).abort());

    private final Consumer<WorkRequestBuilder> verb;

    End(Consumer<WorkRequestBuilder> verb) {
      this.verb = verb;
    }
  }

  /** The batch is over: the next one begins and ends like the first. */
  @ParameterizedTest
  @EnumSource
  void theQueuePairCanBeDestroyedHoweverABatchEnded(End end) throws InterruptedException {
    QueuePair qp = queuePair(SendOpsFlags.WITH_SEND);
    WorkRequestBuilder wr = qp.builder();
    wr.start();
    end.verb.accept(wr);
    List<String> first = List.copyOf(calls);
    calls.clear();
    wr.start();
    end.verb.accept(wr);
    assertEquals(first, calls);
    Thread closing = Thread.ofPlatform().daemon().start(qp::close);
    closing.join(10_000);
    assertFalse(closing.isAlive(), "it waits for a verb that is over");
  }
}
