package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.roce4j.conformance.bench.Expect.refused;

import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ForkStatus;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/** Thread and parent domains, advice, and the verbs that a software device refuses. */
@EmulatedRdma(devices = 1)
class DomainsTest {
  @Test
  @Tag("ibv_alloc_parent_domain")
  void aParentDomainIsUsedAsTheDomainBeneath(Context context) {
    ProtectionDomain pd = context.allocPd();
    ProtectionDomain parent = context.allocParentDomain(new ParentDomainInitAttr(pd));
    LoopedPair loop = new LoopedPair(context, parent);
    assertSame(parent, loop.qp.pd());
    MemoryRegion beneath = pd.registerMemory(loop.memory, LoopedPair.ALL);
    loop.memory.setString(0, "both");
    loop.request(WrOpcode.RDMA_WRITE, beneath, 64).sge(loop.region, 0, 8);
    assertEquals(WcStatus.SUCCESS, loop.status());
    loop.request(WrOpcode.RDMA_WRITE, loop.region, 128).sge(beneath, 0, 8);
    assertEquals(WcStatus.SUCCESS, loop.status());
    assertEquals("both", loop.memory.getString(64));
    assertEquals("both", loop.memory.getString(128));
    MemoryRegion stranger = context.allocPd().registerMemory(loop.memory, LoopedPair.ALL);
    loop.request(WrOpcode.RDMA_WRITE, stranger, 64).sge(loop.region, 0, 8);
    assertEquals(WcStatus.WR_FLUSH_ERR, loop.status()); // its peer is itself and fails first
  }

  @Test
  @Tag("ibv_alloc_parent_domain")
  void handlesAndWindowsOfAParentDomainServeTheDomainBeneath(Context context) {
    ProtectionDomain pd = context.allocPd();
    ProtectionDomain parent = context.allocParentDomain(new ParentDomainInitAttr(pd));
    for (ProtectionDomain mine : List.of(pd, parent)) {
      ProtectionDomain other = mine == pd ? parent : pd;
      LoopedPair loop = new LoopedPair(context, mine);
      MemoryWindow window = other.allocMemoryWindow(MwType.TYPE_1);
      MemoryRegion bound = other.registerMemory(loop.memory, LoopedPair.ALL | AccessFlags.MW_BIND);
      loop.qp.bindMemoryWindow(
          window, 1, SendFlags.SIGNALED, bound, bound.iova(), 8, AccessFlags.REMOTE_READ);
      assertEquals(WcStatus.SUCCESS, loop.completed());
      AddressHandle there = other.createAh(AhAttr.roce(context.queryGid(1, 0), 0));
      QueuePair datagrams =
          mine.createQp(
              new QpInitAttr()
                  .qpType(QpType.UD)
                  .cq(loop.cq)
                  .sendOps(SendOpsFlags.WITH_SEND)
                  .cap(new QpCapabilities(2, 1, 1, 1, 0)));
      QpBringUp.toRts(datagrams, QpBringUp.attributes());
      SendRequestList send = new SendRequestList(Arena.ofAuto(), 1, 1, 0).add();
      send.opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED).ud(there, 5, 7);
      datagrams.postSendOrThrow(send);
      assertEquals(WcStatus.SUCCESS, loop.completed());
      WorkRequestBuilder builder = datagrams.builder();
      builder.start();
      builder.flags(SendFlags.SIGNALED).send().setUdAddress(there, 5, 7);
      builder.completeOrThrow();
      assertEquals(WcStatus.SUCCESS, loop.completed());
    }
  }

  @Test
  @Tag("ibv_alloc_td")
  @Tag("ibv_dealloc_td")
  @Tag("ibv_alloc_parent_domain")
  void domainsGoInTheOrderOfTheirUse(Context context) {
    ProtectionDomain pd = context.allocPd();
    ThreadDomain td = context.allocTd();
    ProtectionDomain parent = context.allocParentDomain(new ParentDomainInitAttr(pd, td));
    MemoryRegion region =
        parent.registerMemory(Arena.ofAuto().allocate(64), AccessFlags.LOCAL_WRITE);
    refused(Errno.EBUSY, td::close);
    refused(Errno.EBUSY, pd::close);
    refused(Errno.EBUSY, parent::close);
    region.close();
    parent.close();
    td.close();
    pd.close();
    refused(Errno.EINVAL, () -> context.allocParentDomain(new ParentDomainInitAttr(pd)));
    ProtectionDomain other = context.allocPd();
    refused(Errno.EINVAL, () -> context.allocParentDomain(new ParentDomainInitAttr(other, td)));
    refused(Errno.EINVAL, () -> context.allocParentDomain(new ParentDomainInitAttr(null)));
    ProtectionDomain one = context.allocParentDomain(new ParentDomainInitAttr(other));
    refused(Errno.EINVAL, () -> context.allocParentDomain(new ParentDomainInitAttr(one)));
  }

  @Test
  @Tag("ibv_advise_mr")
  void adviceIsTakenForOnDemandMemoryThatMayBeUsedSo(Context context) {
    ProtectionDomain pd = context.allocPd();
    var memory = Arena.ofAuto().allocate(3 * 4096, 4096);
    try (MemoryRegion mr = pd.registerMemory(memory, AccessFlags.ON_DEMAND);
        MemoryRegion pinned = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE)) {
      List<Sge> all = List.of(new Sge(mr.iova(), 3 * 4096, mr.lkey()));
      pd.adviseMr(Advice.PREFETCH, Advice.FLUSH, all);
      pd.adviseMr(Advice.PREFETCH_NO_FAULT, 0, all);
      refused(Errno.EFAULT, () -> pd.adviseMr(Advice.PREFETCH_WRITE, 0, all));
      refused(Errno.EINVAL, () -> pd.adviseMr(Advice.PREFETCH, 2, all));
      refused(Errno.EINVAL, () -> pd.adviseMr(Advice.PREFETCH, 0, List.of()));
      List<Sge> beyond = List.of(new Sge(mr.iova() + 1, 3 * 4096, mr.lkey()));
      refused(Errno.EFAULT, () -> pd.adviseMr(Advice.PREFETCH, 0, beyond));
      List<Sge> ordinary = List.of(new Sge(pinned.iova(), 8, pinned.lkey()));
      refused(Errno.EINVAL, () -> pd.adviseMr(Advice.PREFETCH, 0, ordinary));
      refused(Errno.EFAULT, () -> context.allocPd().adviseMr(Advice.PREFETCH, 0, all));
    }
  }

  /** The device lives in one process and has no vendor. */
  @Test
  @Tag("ibv_import_device")
  @Tag("ibv_reg_dmabuf_mr")
  @Tag("ibv_query_ece")
  @Tag("ibv_set_ece")
  @Tag("ibv_query_qp_data_in_order")
  @Tag("ibv_post_srq_ops")
  void whatNoSoftwareCanDoIsRefused(Context context) {
    LoopedPair loop = new LoopedPair(context);
    refused(Errno.EOPNOTSUPP, () -> Verbs.importDevice(0));
    refused(Errno.EOPNOTSUPP, context::cmdFd);
    refused(Errno.EOPNOTSUPP, () -> context.importPd(loop.pd.handle()));
    refused(Errno.EOPNOTSUPP, () -> context.importDm(1));
    refused(Errno.EOPNOTSUPP, () -> loop.pd.importMr(loop.region.handle()));
    refused(Errno.EOPNOTSUPP, () -> loop.pd.registerDmabuf(0, 4096, 0, 0, 0));
    refused(Errno.EOPNOTSUPP, loop.qp::queryEce);
    refused(Errno.EOPNOTSUPP, () -> loop.qp.setEce(new Ece(0x15b3, 1)));
    assertEquals(false, loop.qp.queryDataInOrder(WrOpcode.RDMA_WRITE, 0));
    try (SharedReceiveQueue srq = loop.pd.createSrq(new SrqInitAttr(1, 1))) {
      refused(Errno.EOPNOTSUPP, () -> srq.postOps(loop.memory.address()));
    }
  }

  @Test
  @Tag("ibv_fork_init")
  @Tag("ibv_is_fork_initialized")
  void aForkDoesNoHarmToADeviceInSoftware() {
    Verbs.providers().stream()
        .filter(provider -> provider.name().equals("emulator"))
        .forEach(
            provider -> {
              provider.forkInit();
              assertEquals(ForkStatus.UNNEEDED, provider.forkStatus());
            });
  }
}
