package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;

/** What the verbs that create and query refuse, and how (verbs-tables 7). */
class CreateErrnoTest {
  private final Rig rig = new Rig();

  @AfterEach
  void close() {
    rig.close();
  }

  private static Arguments row(String what, Errno errno, Consumer<Rig> verb) {
    return Arguments.of(what, errno, verb);
  }

  private static Consumer<Rig> create(QpCapabilities cap) {
    return rig -> rig.pd.createQp(rig.init(QpType.RC).cap(cap));
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row("reg_mr of null", Errno.EINVAL, r -> r.pd.registerMemory(null, 0)),
        row("reg_mr_iova of null", Errno.EINVAL, r -> r.pd.registerMemory(null, 0, 0)),
        row("create_qp of null", Errno.EINVAL, r -> r.pd.createQp(null)),
        row("create_srq of null", Errno.EINVAL, r -> r.pd.createSrq(null)),
        row("create_ah of null", Errno.EINVAL, r -> r.pd.createAh(null)),
        row("alloc_mw of null", Errno.EINVAL, r -> r.pd.allocMemoryWindow(null)),
        row("cap of null", Errno.EINVAL, create(null)),
        row("modify_qp of null", Errno.EINVAL, r -> r.create(QpType.RC).modify(null, 1)),
        row("attach_mcast of null", Errno.EINVAL, r -> r.create(QpType.UD).attachMulticast(null)),
        row("detach_mcast of null", Errno.EINVAL, r -> r.create(QpType.UD).detachMulticast(null)),
        row(
            "modify_srq of null",
            Errno.EINVAL,
            r -> r.pd.createSrq(new SrqInitAttr(1, 1)).modify(null, SrqAttrMask.LIMIT)),
        row("query_port 0", Errno.EINVAL, r -> r.context.queryPort(0)),
        row("query_port 2", Errno.EINVAL, r -> r.context.queryPort(2)),
        row("query_gid beyond", Errno.EINVAL, r -> r.context.queryGid(1, 1024)),
        row("query_gid -1", Errno.EINVAL, r -> r.context.queryGid(1, -1)),
        row("query_gid_ex empty", Errno.ENODATA, r -> r.context.queryGidEx(1, 5)),
        row("query_gid_ex beyond", Errno.EINVAL, r -> r.context.queryGidEx(1, 1024)),
        row("query_pkey 1", Errno.EINVAL, r -> r.context.queryPkey(1, 1)),
        row(
            "REMOTE_WRITE alone",
            Errno.EINVAL,
            r -> r.pd.registerMemory(r.memory, AccessFlags.REMOTE_WRITE)),
        row(
            "REMOTE_ATOMIC alone",
            Errno.EINVAL,
            r -> r.pd.registerMemory(r.memory, AccessFlags.REMOTE_ATOMIC)),
        row("empty memory", Errno.EINVAL, r -> r.pd.registerMemory(r.memory.asSlice(0, 0), 0)),
        row(
            "iova of another offset",
            Errno.EINVAL,
            r -> r.pd.registerMemory(r.memory, r.memory.address() + 1, 0)),
        row("rereg_mr of nothing", Errno.EINVAL, r -> r.region.reregister(null, -1)),
        row("window of no type", Errno.EINVAL, r -> r.pd.allocMemoryWindow(null)),
        row("CQ of 0", Errno.EINVAL, r -> r.context.createCq(0)),
        row("CQ of too many", Errno.EINVAL, r -> r.context.createCq(Integer.MAX_VALUE)),
        row("CQ vector", Errno.EINVAL, r -> r.context.createCq(1, null, null, 1)),
        row("CQ resized to 0", Errno.EINVAL, r -> r.cq.resize(0)),
        row("QP without CQ", Errno.EINVAL, r -> r.pd.createQp(r.init(QpType.RC).cq(null))),
        row("QP without send CQ", Errno.EINVAL, r -> r.pd.createQp(r.init(QpType.RC).sendCq(null))),
        row("raw QP", Errno.EOPNOTSUPP, r -> r.create(QpType.RAW_PACKET)),
        row(
            "connected QP that is deaf to itself in groups",
            Errno.EINVAL,
            r -> r.pd.createQp(r.init(QpType.RC).createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB))),
        row(
            "QP with the source of another",
            Errno.EOPNOTSUPP,
            r ->
                r.pd.createQp(
                    r.init(QpType.UD).createFlags(QpCreateFlags.SOURCE_QPN).sourceQpn(5))),
        row(
            "QP with an unknown create flag",
            Errno.EOPNOTSUPP,
            r -> r.pd.createQp(r.init(QpType.UD).createFlags(1 << 30))),
        row("max_send_wr", Errno.EINVAL, create(new QpCapabilities(1 << 30, 1, 1, 1, 0))),
        row("max_recv_wr", Errno.EINVAL, create(new QpCapabilities(1, 1 << 30, 1, 1, 0))),
        row("max_send_sge", Errno.EINVAL, create(new QpCapabilities(1, 1, 33, 1, 0))),
        row("max_recv_sge", Errno.EINVAL, create(new QpCapabilities(1, 1, 1, 33, 0))),
        row("max_inline_data", Errno.EINVAL, create(new QpCapabilities(1, 1, 1, 1, 513))),
        row("negative", Errno.EINVAL, create(new QpCapabilities(-1, 1, 1, 1, 0))),
        row("SRQ of 0", Errno.EINVAL, r -> r.pd.createSrq(new SrqInitAttr(0, 1))),
        row("SRQ of too many", Errno.EINVAL, r -> r.pd.createSrq(new SrqInitAttr(1 << 30, 1))),
        row("SRQ entries", Errno.EINVAL, r -> r.pd.createSrq(new SrqInitAttr(1, 28))),
        row(
            "AH without GRH",
            Errno.EINVAL,
            r -> r.pd.createAh(new AhAttr(false, null, 0, 0, 0, 0, 1))),
        row("AH GID index", Errno.EINVAL, r -> r.pd.createAh(AhAttr.roce(Rig.NOBODY, 3))),
        row(
            "multicast on RC",
            Errno.EINVAL,
            r -> r.create(QpType.RC).attachMulticast(Gid.parse("239.1.2.3"))),
        row(
            "no multicast address",
            Errno.EINVAL,
            r -> r.in(QpState.RTS, QpType.UD, 1).attachMulticast(Rig.NOBODY)),
        row(
            "not attached",
            Errno.EINVAL,
            r -> r.in(QpState.RTS, QpType.UD, 1).detachMulticast(Gid.parse("239.1.2.3"))));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("rows")
  void refusesWithThatErrno(String what, Errno errno, Consumer<Rig> verb) {
    VerbsException e = assertThrows(VerbsException.class, () -> verb.accept(rig));
    assertEquals(errno, e.errno());
    assertTrue(e.remedy().length() > 10, "a remedy is given");
  }

  @Test
  void attachingTwiceIsOnce() {
    QueuePair qp = rig.in(QpState.RTS, QpType.UD, 1);
    Gid group = Gid.parse("239.1.2.3");
    qp.attachMulticast(group);
    qp.attachMulticast(group);
    qp.detachMulticast(group);
    assertThrows(VerbsException.class, () -> qp.detachMulticast(group));
  }

  @Test
  void grantsAtLeastWhatWasAskedFor() {
    QueuePair qp = rig.pd.createQp(rig.init(QpType.RC).cap(new QpCapabilities(5, 6, 3, 2, 100)));
    assertTrue(qp.cap().maxSendWr() >= 5 && qp.cap().maxRecvWr() >= 6);
    assertTrue(qp.cap().maxSendSge() >= 3 && qp.cap().maxRecvSge() >= 2);
    assertTrue(qp.cap().maxInlineData() >= 100);
    assertTrue(rig.context.createCq(5).cqe() >= 5);
  }

  @Test
  void aSharedQueueIsModifiedWithinItsBounds() {
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(4, 1));
    for (int i = 0; i < 3; i++) {
      srq.postRecvOrThrow(rig.receive());
    }
    refused(srq, new SrqAttr((1 << 14) + 1, 0, 0), SrqAttrMask.MAX_WR);
    refused(srq, new SrqAttr(2, 0, 0), SrqAttrMask.MAX_WR);
    refused(srq, new SrqAttr(0, 0, 5), SrqAttrMask.LIMIT);
    refused(srq, new SrqAttr(3, 0, 4), SrqAttrMask.LIMIT | SrqAttrMask.MAX_WR);
    refused(srq, new SrqAttr(3, 0, 3), 4);
    srq.modify(new SrqAttr(3, 0, 3), SrqAttrMask.LIMIT | SrqAttrMask.MAX_WR);
    assertEquals(new SrqAttr(3, 1, 3), srq.query());
  }

  @Test
  void creatingASharedQueueArmsNoLimitAndRefusesNone() {
    for (int limit : new int[] {-1, 1, 4, 5, Integer.MAX_VALUE}) {
      SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(null, 4, 1, limit));
      assertEquals(new SrqAttr(4, 1, 0), srq.query(), "limit " + limit + " at creation");
    }
  }

  private static void refused(SharedReceiveQueue srq, SrqAttr attr, int mask) {
    VerbsException e = assertThrows(VerbsException.class, () -> srq.modify(attr, mask));
    assertEquals(Errno.EINVAL, e.errno());
  }
}
