package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvDm;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttr;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvMr;
import org.roce4j.hardware.bindings.Structures.VerbsContext;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ForkStatus;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.verbs.layout.SgeLayout;

/** The calls of a driver that has every later verb. */
@EnabledOnOs(OS.LINUX)
class LaterVerbsTest extends LibraryFixture {
  private static final int ZERO_BASED = AccessFlags.LOCAL_WRITE | AccessFlags.ZERO_BASED;

  /** The bytes of the driver's device memory. */
  private final byte[] stored = new byte[64];

  @Override
  Map<Integer, String> later() {
    c.does("alloc_dm", a -> deviceMemory(a[0]));
    c.does("memcpy_to_dm", a -> copy(LibraryInJava.at(a[2], a[3]), (int) a[1], true));
    c.does("memcpy_from_dm", a -> copy(LibraryInJava.at(a[0], a[3]), (int) a[2], false));
    c.does("reg_dm_mr", a -> region(a[0]));
    c.does("alloc_null_mr", a -> region(a[0]));
    c.does("ibv_reg_dmabuf_mr", a -> region(a[0]));
    c.does("ibv_import_mr", a -> region(a[0]));
    c.does("ibv_import_pd", a -> c.structure(a[0]).address());
    c.does("ibv_import_dm", a -> deviceMemory(a[0]));
    c.does("alloc_td", a -> c.structure(a[0]).address());
    c.does("alloc_parent_domain", a -> c.structure(a[0]).address());
    return Map.of(
        VerbsContext.QUERY_DEVICE_EX, "query_device_ex",
        VerbsContext.MODIFY_QP_RATE_LIMIT, "modify_qp_rate_limit",
        VerbsContext.ALLOC_DM, "alloc_dm",
        VerbsContext.FREE_DM, "free_dm",
        VerbsContext.REG_DM_MR, "reg_dm_mr",
        VerbsContext.ALLOC_NULL_MR, "alloc_null_mr",
        VerbsContext.ADVISE_MR, "advise_mr",
        VerbsContext.ALLOC_TD, "alloc_td",
        VerbsContext.DEALLOC_TD, "dealloc_td",
        VerbsContext.ALLOC_PARENT_DOMAIN, "alloc_parent_domain");
  }

  private long deviceMemory(long owner) {
    MemorySegment dm = c.structure(owner);
    dm.set(ADDRESS, IbvDm.MEMCPY_TO_DM, c.pointer("memcpy_to_dm"));
    dm.set(ADDRESS, IbvDm.MEMCPY_FROM_DM, c.pointer("memcpy_from_dm"));
    dm.set(JAVA_INT, IbvDm.HANDLE, 77);
    return dm.address();
  }

  private long copy(MemorySegment host, int offset, boolean in) {
    MemorySegment device = MemorySegment.ofArray(stored).asSlice(offset, host.byteSize());
    (in ? device : host).copyFrom(in ? host : device);
    return 0;
  }

  private long region(long pd) {
    MemorySegment mr = c.structure(LibraryInJava.at(pd, 8).get(JAVA_LONG, 0));
    mr.set(JAVA_INT, IbvMr.LKEY, 11);
    mr.set(JAVA_INT, IbvMr.RKEY, 12);
    return mr.address();
  }

  @Test
  @Tag("ibv_alloc_dm")
  @Tag("ibv_free_dm")
  @Tag("ibv_memcpy_to_dm")
  @Tag("ibv_memcpy_from_dm")
  @Tag("ibv_reg_dm_mr")
  void deviceMemoryIsTheDriversToCopyAndRegister() {
    ProtectionDomain pd = context.allocPd();
    List<List<Long>> freed = asked("free_dm", 1);
    DeviceMemory dm = context.allocDm(64, 3);
    assertEquals(77, dm.handle());
    dm.copyTo(60, MemorySegment.ofArray(new byte[] {1, 2, 3}));
    byte[] back = new byte[4];
    dm.copyFrom(MemorySegment.ofArray(back), 59);
    assertEquals(List.of((byte) 0, (byte) 1, (byte) 2, (byte) 3), boxed(back));
    refused(Errno.EFAULT, () -> dm.copyTo(62, MemorySegment.ofArray(back)));
    c.does("memcpy_to_dm", a -> Errno.EINVAL.number());
    refused(Errno.EINVAL, () -> dm.copyTo(0, MemorySegment.ofArray(back)));
    MemoryRegion region = pd.registerDeviceMemory(dm, 8, 16, ZERO_BASED);
    assertEquals(16, region.length());
    assertEquals(12, region.rkey());
    assertEquals(MemorySegment.NULL, region.memory());
    refused(Errno.EINVAL, () -> region.reregister(null, 0));
    region.close();
    dm.close();
    assertEquals(List.of(List.of(address(dm))), freed);
  }

  /** Each bit that {@code enum ibv_access_flags} does not have, at each way to ask for rights. */
  @Test
  void aForeignRightDoesNotReachTheLibrary() {
    ProtectionDomain pd = context.allocPd();
    DeviceMemory dm = context.allocDm(64, 0);
    MemorySegment memory = arena.allocate(64);
    MemoryRegion region = pd.registerMemory(memory, 0);
    List<List<Long>> asked = new ArrayList<>();
    for (String function :
        List.of("ibv_reg_mr_iova2", "ibv_rereg_mr", "reg_dm_mr", "ibv_reg_dmabuf_mr")) {
      c.does(
          function,
          a -> {
            asked.add(List.of(a[0]));
            return 0L;
          });
    }
    List<IntConsumer> ways =
        List.of(
            rights -> pd.registerMemory(memory, rights),
            rights -> pd.registerMemory(memory, 4096, rights),
            rights -> pd.registerDeviceMemory(dm, 0, 8, rights | ZERO_BASED),
            rights -> pd.registerDmabuf(0, 8, 0, 1, rights),
            rights -> region.reregister(null, rights),
            rights -> region.reregister(arena.allocate(8), null, rights));
    for (int bit = 10; bit < Integer.SIZE; bit++) {
      int right = 1 << bit;
      if ((right & AccessFlags.OPTIONAL_RANGE) == 0) {
        ways.forEach(way -> refused(Errno.EINVAL, () -> way.accept(right)));
      }
    }
    assertEquals(List.of(), asked);
  }

  private static List<Byte> boxed(byte[] bytes) {
    return MemorySegment.ofArray(bytes).elements(JAVA_BYTE).map(e -> e.get(JAVA_BYTE, 0)).toList();
  }

  @Test
  @Tag("ibv_alloc_null_mr")
  @Tag("ibv_advise_mr")
  void aNullRegionAndAdviceAreAskedOfTheDomain() {
    ProtectionDomain pd = context.allocPd();
    assertEquals(11, pd.allocNullMr().lkey());
    List<List<Long>> asked = asked("advise_mr", 5);
    pd.adviseMr(Advice.PREFETCH_WRITE, Advice.FLUSH, List.of(new Sge(4096, 8, 11)));
    List<Long> call = asked.getFirst();
    assertEquals(List.of(address(pd), 1L, 1L), call.subList(0, 3));
    assertEquals(1, call.get(4));
    c.does("advise_mr", a -> Errno.EFAULT.number());
    refused(Errno.EFAULT, () -> pd.adviseMr(Advice.PREFETCH, 0, List.of(new Sge(0, 1, 0))));
    List<Sge> noPiece = Collections.singletonList(null);
    refused(Errno.EINVAL, () -> pd.adviseMr(Advice.PREFETCH, 0, noPiece));
  }

  @Test
  @Tag("ibv_open_xrcd")
  void aDomainOfAFileThatIsNotThereIsRefused() {
    XrcdInitAttr attr = new XrcdInitAttr(Path.of("/nonexistent/domain"));
    VerbsException e = assertThrows(VerbsException.class, () -> context.openXrcd(attr));
    assertEquals(Errno.EBADF, e.errno());
    assertTrue(e.remedy().contains("create it first"), e::remedy);
  }

  @Test
  @Tag("ibv_alloc_td")
  @Tag("ibv_dealloc_td")
  @Tag("ibv_alloc_parent_domain")
  void aParentDomainIsMadeOfItsPartsAndIsADomain() {
    ProtectionDomain pd = context.allocPd();
    ThreadDomain td = context.allocTd();
    List<List<Long>> gone = asked("ibv_dealloc_pd", 1);
    ProtectionDomain parent = context.allocParentDomain(new ParentDomainInitAttr(pd, td));
    assertEquals(11, parent.allocNullMr().lkey());
    assertSame(pd, parent.beneath());
    assertSame(pd, pd.beneath());
    assertTrue(parent.toString().startsWith("parent domain "), parent::toString);
    parent.close();
    assertEquals(List.of(List.of(address(parent))), gone);
    c.does("dealloc_td", a -> Errno.EBUSY.number());
    refused(Errno.EBUSY, td::close);
    c.does("dealloc_td", a -> 0);
    td.close();
    refused(Errno.EINVAL, () -> context.allocParentDomain(new ParentDomainInitAttr(null)));
  }

  @Test
  @Tag("ibv_reg_dmabuf_mr")
  @Tag("ibv_import_device")
  @Tag("ibv_import_pd")
  @Tag("ibv_unimport_pd")
  @Tag("ibv_import_mr")
  @Tag("ibv_unimport_mr")
  @Tag("ibv_import_dm")
  @Tag("ibv_unimport_dm")
  void whatOthersMadeIsImportedAndLeftToThem() {
    ProtectionDomain pd = context.importPd(5);
    MemoryRegion region = pd.importMr(6);
    DeviceMemory dm = context.importDm(7);
    assertEquals(descriptor, context.cmdFd());
    assertEquals(11, pd.registerDmabuf(0, 4096, 0, 9, AccessFlags.LOCAL_WRITE).lkey());
    c.calls.clear();
    dm.close();
    region.close();
    pd.close();
    assertEquals(List.of("ibv_unimport_dm", "ibv_unimport_mr", "ibv_unimport_pd"), c.calls);
  }

  @Test
  @Tag("ibv_query_ece")
  @Tag("ibv_set_ece")
  @Tag("ibv_query_qp_data_in_order")
  void theVendorsPartOfAQueuePairIsPassedOn() {
    QueuePair qp = queuePair(context.allocPd(), context.createCq(1));
    c.does(
        "ibv_query_ece",
        a -> {
          LibraryInJava.at(a[1], 8).set(JAVA_INT, 0, 0x15b3);
          return 0;
        });
    assertEquals(new Ece(0x15b3, 0), qp.queryEce());
    c.does("ibv_set_ece", a -> Errno.EOPNOTSUPP.number());
    refused(Errno.EOPNOTSUPP, () -> qp.setEce(new Ece(1, 2)));
    c.does("ibv_query_qp_data_in_order", a -> a[1] == WrOpcode.RDMA_READ.value() ? 1 : 0);
    assertTrue(qp.queryDataInOrder(WrOpcode.RDMA_READ, 0));
  }

  /** The backend creates no queue that matches tags. */
  @Test
  @Tag("ibv_post_srq_ops")
  void operationsOnTagsAreRefused() {
    try (SharedReceiveQueue srq = context.allocPd().createSrq(new SrqInitAttr(1, 1))) {
      refused(Errno.EOPNOTSUPP, () -> srq.postOps(0));
    }
  }

  @Test
  @Tag("ibv_modify_qp_rate_limit")
  void aRateIsTheDriversToKeep() {
    QueuePair qp = queuePair(context.allocPd(), context.createCq(1));
    List<List<Integer>> asked = new ArrayList<>();
    c.does(
        "modify_qp_rate_limit",
        a -> {
          MemorySegment attr = LibraryInJava.at(a[1], 16);
          asked.add(List.of(attr.get(JAVA_INT, 0), attr.get(JAVA_INT, 4), attr.get(JAVA_INT, 8)));
          return 0;
        });
    qp.modifyRateLimit(new QpRateLimitAttr(8000, 4096, 1024));
    assertEquals(List.of(List.of(8000, 4096, 1024)), asked);
  }

  @Test
  @Tag("ibv_fork_init")
  @Tag("ibv_is_fork_initialized")
  void whatTheLibrarySaysOfForksIsTold() {
    c.does("ibv_is_fork_initialized", a -> 1);
    try (Frame frame = new Frame()) {
      assertEquals(ForkStatus.ENABLED, c.library().later().forkStatus(frame));
      c.does("ibv_fork_init", a -> Errno.EINVAL.number());
      String late = refused(Errno.EINVAL, () -> c.library().later().forkInit(frame)).getMessage();
      assertTrue(late.contains("registered already"), late);
    }
  }

  @Test
  void whatADriverLacksIsNotSupported() throws Throwable {
    LibraryCallsTest without = new LibraryCallsTest();
    without.open();
    refused(Errno.EOPNOTSUPP, () -> without.context.allocDm(1, 0));
    refused(Errno.EOPNOTSUPP, () -> without.context.allocTd());
    refused(Errno.EOPNOTSUPP, () -> without.context.allocPd().allocNullMr());
    without.close();
  }

  /** The newer function may have written into the structure before it refused. */
  @ParameterizedTest
  @EnumSource(names = {"EOPNOTSUPP", "ENOSYS"})
  @Tag("ibv_query_device_ex")
  void theOlderVerbAnswersWhereTheDriverDoesNotKnowTheNewer(Errno unknown) {
    c.does("ibv_query_device", a -> filled(a[1], IbvDeviceAttr.SIZE, 1, 0));
    for (byte[] text : new byte[][] {{0}, {1}}) {
      c.does("query_device_ex", a -> filled(a[2], IbvDeviceAttrEx.SIZE, text[0], unknown.number()));
      DeviceAttrEx told = context.queryDeviceEx();
      assertEquals(0x0101_0101, told.device().maxQp());
      assertEquals(0x0101_0101L, told.deviceCapFlagsEx());
      assertEquals(new DeviceAttrEx.CqModerationCaps(0, 0), told.cqModCaps());
      assertEquals(0, told.maxDmSize());
    }
    c.does("query_device_ex", _ -> Errno.EPERM.number());
    refused(Errno.EPERM, context::queryDevice);
  }

  private static long filled(long structure, int size, int with, int result) {
    LibraryInJava.at(structure, size).fill((byte) with);
    return result;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 5})
  @Tag("ibv_advise_mr")
  void everyPieceOfAListIsPassedInItsPlace(int pieces) {
    ProtectionDomain pd = context.allocPd();
    List<Sge> given = new ArrayList<>();
    for (int i = 0; i < pieces; i++) {
      given.add(new Sge(4096L + i, 8 + i, 11 + i));
    }
    List<Sge> passed = new ArrayList<>();
    c.does(
        "advise_mr",
        a -> {
          MemorySegment list = LibraryInJava.at(a[3], a[4] * SgeLayout.SIZE);
          for (long at = 0; at < list.byteSize(); at += SgeLayout.SIZE) {
            passed.add(
                new Sge(
                    SgeLayout.addr(list, at),
                    SgeLayout.length(list, at),
                    SgeLayout.lkey(list, at)));
          }
          return 0;
        });
    pd.adviseMr(Advice.PREFETCH, 0, given);
    assertEquals(given, passed);
  }
}
