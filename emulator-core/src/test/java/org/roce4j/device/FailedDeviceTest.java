package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** A device that has failed makes and changes nothing; everything of it can be closed. */
class FailedDeviceTest {
  private static final Gid GROUP = Gid.parse("239.1.1.1");

  private final Rig rig = new Rig();
  private final Deque<AutoCloseable> made = new ArrayDeque<>();
  private final CompletionChannel channel = made(rig.context.createCompletionChannel());
  private final SharedReceiveQueue srq = made(rig.pd.createSrq(new SrqInitAttr(4, 1)));
  private final DeviceMemory dm = made(rig.context.allocDm(64, 0));
  private final MemoryWindow window = made(rig.pd.allocMemoryWindow(MwType.TYPE_1));
  private final XrcDomain xrcd = made(rig.context.openXrcd(new XrcdInitAttr()));
  private final SharedReceiveQueue xrcQueue = made(rig.context.createSrq(receivesOfXrc()));
  private final QueuePair qp = made(rig.in(QpState.RTS, QpType.RC, 1));
  private final QueuePair datagrams = made(rig.in(QpState.RTS, QpType.UD, 0));
  private final QueuePair target = made(rig.context.createQp(ofXrc()));

  private <T extends AutoCloseable> T made(T object) {
    made.push(object);
    return object;
  }

  private QpInitAttr ofXrc() {
    return new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd);
  }

  private SrqInitAttrEx receivesOfXrc() {
    return new SrqInitAttrEx()
        .srqType(SrqType.XRC)
        .pd(rig.pd)
        .xrcd(xrcd)
        .cq(rig.cq)
        .maxWr(4)
        .maxSge(1);
  }

  @AfterEach
  void close() {
    rig.close();
  }

  static Stream<Arguments> verbs() {
    return Stream.of(
        verb("open_device", t -> t.rig.context.device().open()),
        verb("alloc_pd", t -> t.rig.context.allocPd()),
        verb(
            "alloc_parent_domain",
            t -> t.rig.context.allocParentDomain(new ParentDomainInitAttr(t.rig.pd))),
        verb("alloc_td", t -> t.rig.context.allocTd()),
        verb("alloc_dm", t -> t.rig.context.allocDm(8, 0)),
        verb("memcpy_to_dm", t -> t.dm.copyTo(0, t.rig.memory.asSlice(0, 8))),
        verb("memcpy_from_dm", t -> t.dm.copyFrom(t.rig.memory.asSlice(0, 8), 0)),
        verb("open_xrcd", t -> t.rig.context.openXrcd(new XrcdInitAttr())),
        verb("create_comp_channel", t -> t.rig.context.createCompletionChannel()),
        verb("create_cq", t -> t.rig.context.createCq(4, null, t.channel, 0)),
        verb("create_cq_ex", t -> t.rig.context.createCqEx(new CqInitAttr().cqe(4))),
        verb("resize_cq", t -> t.rig.cq.resize(128)),
        verb("modify_cq", t -> t.rig.cq.modify(new CqModeration(2, 10))),
        verb("reg_mr", t -> t.rig.pd.registerMemory(t.rig.memory, 0)),
        verb("reg_dm_mr", t -> t.rig.pd.registerDeviceMemory(t.dm, 0, 8, AccessFlags.ZERO_BASED)),
        verb("alloc_null_mr", t -> t.rig.pd.allocNullMr()),
        verb("rereg_mr", t -> t.rig.region.reregister(null, AccessFlags.LOCAL_WRITE)),
        verb("advise_mr", FailedDeviceTest::advise),
        verb("alloc_mw", t -> t.rig.pd.allocMemoryWindow(MwType.TYPE_2)),
        verb("bind_mw", FailedDeviceTest::bind),
        verb("create_ah", t -> t.rig.pd.createAh(AhAttr.roce(Rig.NOBODY, 0))),
        verb("create_srq", t -> t.rig.pd.createSrq(new SrqInitAttr(4, 1))),
        verb("create_srq_ex", t -> t.rig.context.createSrq(t.receivesOfXrc())),
        verb("query_srq", t -> t.srq.query()),
        verb("modify_srq", t -> t.srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT)),
        verb("modify_srq of XRC", t -> t.xrcQueue.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT)),
        verb("create_qp", t -> t.rig.create(QpType.UC)),
        verb("create_qp XRC_RECV", t -> t.rig.context.createQp(t.ofXrc())),
        verb("open_qp", t -> t.rig.context.openQp(new QpOpenAttr(t.target.qpNum(), t.xrcd))),
        verb("modify_qp", t -> t.qp.modify(new QpAttr().qpState(QpState.ERR))),
        verb("modify_qp XRC_RECV", t -> t.target.modify(new QpAttr().qpState(QpState.ERR))),
        verb("query_qp", t -> t.qp.query()),
        verb("query_qp XRC_RECV", t -> t.target.query()),
        verb("modify_qp_rate_limit", t -> t.qp.modifyRateLimit(new QpRateLimitAttr(9))),
        verb("attach_mcast", t -> t.datagrams.attachMulticast(GROUP)),
        verb("detach_mcast", t -> t.datagrams.detachMulticast(GROUP)),
        verb("a change of its partitions", t -> t.changes().pkeys(0xffff, 0x8001)),
        verb("an address more", t -> t.changes().addAddress(1, Gid.parse("10.0.0.8"))),
        verb("an address less", t -> t.changes().removeAddress(1, Gid.parse("10.0.0.1"))));
  }

  private static Arguments verb(String name, Consumer<FailedDeviceTest> verb) {
    return Arguments.of(name, verb);
  }

  private void advise() {
    Sge piece = new Sge(rig.region.iova(), 8, rig.region.lkey());
    rig.pd.adviseMr(Advice.PREFETCH, 0, List.of(piece));
  }

  private void bind() {
    qp.bindMemoryWindow(window, 1, 0, rig.region, rig.region.iova(), 8, AccessFlags.REMOTE_READ);
  }

  private DeviceChanges changes() {
    return new DeviceChanges(((EmulatedContext) rig.context).emulated());
  }

  private void fail() {
    changes().fail("a defect");
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("verbs")
  void refuses(String name, Consumer<FailedDeviceTest> verb) {
    fail();
    VerbsException refused = assertThrows(VerbsException.class, () -> verb.accept(this));
    assertEquals(Errno.ENODEV, refused.errno(), refused::getMessage);
  }

  @Test
  void letsEverythingBeClosed() {
    fail();
    for (AutoCloseable each : made) {
      assertDoesNotThrow(each::close);
    }
    rig.region.close();
    rig.cq.close();
    rig.pd.close();
  }
}
