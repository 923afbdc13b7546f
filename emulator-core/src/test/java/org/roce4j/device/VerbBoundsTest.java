package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** The last value in range, and the first out of range. */
class VerbBoundsTest {
  private static final int PAGE = 4096;

  private final Rig rig = new Rig();

  @AfterEach
  void close() {
    rig.close();
  }

  /** Each bit of the offset in the page counts. */
  @Test
  void addressAndIovaAgreeInTheirOffsetInThePage() {
    long iova = rig.memory.address() + 16 * PAGE;
    for (int bit = 1; bit < PAGE; bit <<= 1) {
      long other = iova ^ bit;
      refused(Errno.EINVAL, () -> rig.pd.registerMemory(rig.memory, other, 0));
    }
    rig.pd.registerMemory(rig.memory, iova ^ PAGE, 0).close();
  }

  @Test
  void theWholeAddressSpaceIsNotRegistered() {
    MemorySegment first = MemorySegment.ofAddress(0).reinterpret(PAGE);
    refused(Errno.EFAULT, () -> rig.pd.registerMemory(first, 0));
    refused(Errno.EOPNOTSUPP, () -> rig.pd.registerMemory(first, AccessFlags.ON_DEMAND));
  }

  @Test
  void aWindowIsBoundOnceTheQueuePairMaySend() {
    MemoryWindow window = rig.pd.allocMemoryWindow(MwType.TYPE_1);
    QueuePair early = rig.in(QpState.RTR, QpType.RC, 1);
    refused(Errno.EINVAL, () -> bind(early, window));
    QueuePair sends = rig.in(QpState.RTS, QpType.RC, 1);
    bind(sends, window);
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "XRC_SEND"})
  void queuePairsOfEveryConnectedTypeBindWindows(QpType type) {
    QueuePair qp = rig.in(QpState.RTS, type == QpType.XRC_SEND ? initiator() : rig.init(type), 1);
    bind(qp, rig.pd.allocMemoryWindow(MwType.TYPE_1));
    assertEquals(WcOpcode.BIND_MW, completed().opcode(0));
  }

  private QpInitAttr initiator() {
    return new QpInitAttr()
        .qpType(QpType.XRC_SEND)
        .sendCq(rig.cq)
        .cap(new QpCapabilities(Rig.SEND_WR, 0, 1, 0, 0));
  }

  private WorkCompletions completed() {
    WorkCompletions done = new WorkCompletions(rig.arena, 1);
    for (int i = 0; i < 1000; i++) {
      if (rig.cq.poll(done) == 1) {
        return done;
      }
    }
    throw new AssertionError("nothing completed");
  }

  @Test
  void aTargetOfXrcSendsNothingAndJoinsNoGroup() {
    XrcDomain xrcd = rig.context.openXrcd(new XrcdInitAttr());
    QueuePair target = rig.context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
    MemoryWindow window = rig.pd.allocMemoryWindow(MwType.TYPE_1);
    refused(Errno.EINVAL, () -> bind(target, window));
    Gid group = Gid.parse("239.1.1.1");
    refused(Errno.EINVAL, () -> target.attachMulticast(group));
    refused(Errno.EINVAL, () -> target.detachMulticast(group));
  }

  private void bind(QueuePair qp, MemoryWindow window) {
    qp.bindMemoryWindow(window, 1, SendFlags.SIGNALED, rig.region, rig.region.address(), 64, 0);
  }

  @Test
  void pollingTellsWhetherTheQueueIsThere() {
    CompletionQueue cq = rig.context.createCq(4);
    MemorySegment view = new WorkCompletions(rig.arena, 1).memory();
    assertEquals(0, cq.poll(view, view.address(), 0));
    assertEquals(0, cq.poll(view, view.address(), 1));
    assertEquals(-Errno.EINVAL.number(), cq.poll(view, view.address(), -1));
    cq.close();
    assertEquals(-Errno.EINVAL.number(), cq.poll(view, view.address(), 0));
    assertEquals(-Errno.EINVAL.number(), cq.poll(view, view.address(), 1));
  }

  @Test
  void deviceMemoryIsCopiedToTheLastByteAndNoFurther() {
    DeviceMemory dm = rig.context.allocDm(64, 0);
    dm.copyTo(0, rig.memory.asSlice(0, 64));
    dm.copyFrom(rig.memory.asSlice(0, 1), 63);
    refused(Errno.EFAULT, () -> dm.copyFrom(rig.memory.asSlice(0, 2), 63));
    refused(Errno.EFAULT, () -> dm.copyTo(64, rig.memory.asSlice(0, 1)));
    refused(Errno.EFAULT, () -> dm.copyTo(-1, rig.memory.asSlice(0, 1)));
    refused(Errno.EFAULT, () -> dm.copyFrom(rig.memory.asSlice(0, 8).asReadOnly(), 0));
    dm.copyTo(0, rig.memory.asSlice(0, 8).asReadOnly());
  }

  @Test
  void aRegionOfDeviceMemoryHasBytesOfIt() {
    DeviceMemory dm = rig.context.allocDm(64, 0);
    for (long[] wrong : new long[][] {{0, 0}, {64, 0}, {0, -1}, {-1, 2}, {63, 2}, {64, 1}}) {
      refused(
          Errno.EINVAL,
          () -> rig.pd.registerDeviceMemory(dm, wrong[0], wrong[1], AccessFlags.ZERO_BASED));
    }
    rig.pd.registerDeviceMemory(dm, 63, 1, AccessFlags.ZERO_BASED).close();
    rig.pd.registerDeviceMemory(dm, 0, 64, AccessFlags.ZERO_BASED).close();
  }

  /** The granted size suffices for a receive of one element. */
  @Test
  void queuesForRequestsWithoutElementsTakeOne() {
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(4, 0));
    assertEquals(1, srq.query().maxSge());
    RecvRequestList receive = rig.receive().sge(rig.region, 0, 8);
    assertEquals(0, srq.postRecv(receive));
    QpCapabilities none = new QpCapabilities(1, 1, 0, 0);
    QueuePair own = rig.pd.createQp(rig.init(QpType.UC).cap(none));
    assertEquals(1, own.cap().maxSendSge());
    assertEquals(1, own.cap().maxRecvSge());
    QueuePair shared = rig.pd.createQp(rig.init(QpType.UC).cap(none).srq(srq));
    assertEquals(0, shared.cap().maxRecvSge());
    assertEquals(0, shared.cap().maxRecvWr());
  }

  /** The extended creation, whose type is basic unless it is told. */
  @Test
  void aBasicSharedQueueNeedsNoDomainOfXrc() {
    SharedReceiveQueue srq = rig.context.createSrq(new SrqInitAttrEx().pd(rig.pd).maxWr(4));
    assertEquals(SrqType.BASIC, srq.srqType());
    assertEquals(4, srq.query().maxWr());
  }

  @Test
  void aRegionTellsWhatItCovers() {
    DeviceMemory dm = rig.context.allocDm(64, 0);
    MemoryRegion part = rig.pd.registerDeviceMemory(dm, 16, 24, AccessFlags.ZERO_BASED);
    assertEquals(24, part.length());
    assertEquals(0, part.iova());
    assertEquals(AccessFlags.ZERO_BASED, part.accessFlags());
    assertEquals(part.lkey(), part.rkey());
    long iova = rig.memory.address() + 16 * PAGE;
    MemoryRegion whole = rig.pd.registerMemory(rig.memory, iova, AccessFlags.LOCAL_WRITE);
    assertEquals(rig.memory.byteSize(), whole.length());
    assertEquals(iova, whole.iova());
    assertEquals(rig.memory.address(), whole.address());
    assertEquals(whole.lkey(), whole.rkey());
    MemoryRegion nothing = rig.pd.allocNullMr();
    assertEquals(0, nothing.rkey());
    assertNotEquals(0, nothing.lkey());
  }
}
