package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.device.Refusals.refused;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.LegacyXrc;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** The eight legacy calls, used as in their manual. */
class LegacyXrcTest {
  @AutoClose private final XrcRig rig = new XrcRig(1);
  private final LegacyXrc creator = new LegacyXrc();
  private final LegacyXrc other = new LegacyXrc();

  private static <T> T stub(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  @Test
  void whatTheOldCallsAreAskedForIsAskedOfTheNewOnes() {
    List<Object> asked = new ArrayList<>();
    Context context =
        stub(
            Context.class,
            (self, method, arguments) -> {
              asked.add(arguments[0]);
              throw new VerbsException(Errno.EPERM, "it was written down");
            });
    XrcDomain given = stub(XrcDomain.class, (self, method, arguments) -> context);
    refused(
        Errno.EPERM,
        () -> creator.createXrcRcvQp(new QpInitAttr().xrcd(given).userContext("target")));
    QpInitAttr target = (QpInitAttr) asked.getFirst();
    assertEquals("target", target.userContext());
    assertEquals(QpType.XRC_RECV, target.qpType());
    XrcDomain domain = rig.far.openXrcd(new XrcdInitAttr());
    SharedReceiveQueue srq =
        creator.createXrcSrq(
            rig.far.allocPd(), domain, rig.far.createCq(4), new SrqInitAttr("queue", 8, 2, 0));
    assertEquals("queue", srq.userContext());
    assertEquals(List.of(8, 2), List.of(srq.query().maxWr(), srq.query().maxSge()));
  }

  private static void step(LegacyXrc xrc, XrcDomain domain, int qpn, QpAttr attr, QpState to) {
    int mask = QpAttrMask.STATE | QpBringUp.needed(QpType.XRC_RECV, to);
    xrc.modifyXrcRcvQp(domain, qpn, attr.qpState(to), mask);
  }

  @Tag("ibv_open_xrc_domain")
  @Tag("ibv_create_xrc_srq")
  @Tag("ibv_close_xrc_domain")
  @Tag("ibv_create_xrc_rcv_qp")
  @Tag("ibv_modify_xrc_rcv_qp")
  @Tag("ibv_reg_xrc_rcv_qp")
  @Tag("ibv_unreg_xrc_rcv_qp")
  @Tag("ibv_query_xrc_rcv_qp")
  @Test
  void aMessageComesToAnOldProgramAndItsQueuePairLivesUntilTheLastUnregisters() {
    XrcDomain domain = creator.openXrcDomain(rig.far, null, XrcdInitAttr.O_CREAT);
    ProtectionDomain pd = rig.far.allocPd();
    CompletionQueue cq = rig.far.createCq(4);
    SharedReceiveQueue srq = creator.createXrcSrq(pd, domain, cq, new SrqInitAttr(4, 1));
    int qpn = creator.createXrcRcvQp(new QpInitAttr().xrcd(domain));
    other.regXrcRcvQp(domain, qpn);
    other.regXrcRcvQp(domain, qpn);
    QueuePair initiator = rig.initiator();
    QpAttr attr = XrcRig.attributes(XrcRig.NEAR, initiator.qpNum());
    step(creator, domain, qpn, attr, QpState.INIT);
    step(other, domain, qpn, attr, QpState.RTR);
    assertEquals(QpState.RTR, new LegacyXrc().queryXrcRcvQp(domain, qpn).qpState());
    QpBringUp.toRts(initiator, XrcRig.attributes(XrcRig.FAR, qpn));
    creator.unregXrcRcvQp(domain, qpn);
    try (RecvRequestList receive = new RecvRequestList(1, 1)) {
      srq.postRecvOrThrow(receive.add().wrId(3));
    }
    assertEquals(WcStatus.SUCCESS, rig.status(initiator, rig.send(1, srq.srqNum(), 0)));
    assertEquals(3, rig.next(cq).wrId(0));
    refused(Errno.EBUSY, () -> creator.closeXrcDomain(domain));
    other.unregXrcRcvQp(domain, qpn);
    refused(Errno.EINVAL, () -> other.unregXrcRcvQp(domain, qpn));
    refused(Errno.EINVAL, () -> other.regXrcRcvQp(domain, qpn));
    refused(Errno.EINVAL, () -> other.queryXrcRcvQp(domain, qpn));
    srq.close();
    creator.closeXrcDomain(domain);
  }

  @Test
  void whatIsMissingIsNamed() {
    refused(Errno.EINVAL, () -> creator.openXrcDomain(null, null, 0));
    refused(Errno.EINVAL, () -> creator.closeXrcDomain(null));
    refused(Errno.EINVAL, () -> creator.createXrcSrq(null, rig.xrcd, null, new SrqInitAttr(1, 1)));
    refused(Errno.EINVAL, () -> creator.createXrcRcvQp(new QpInitAttr()));
    refused(Errno.EINVAL, () -> creator.modifyXrcRcvQp(rig.xrcd, 1, null, 0));
    refused(Errno.EINVAL, () -> creator.modifyXrcRcvQp(rig.xrcd, 1, new QpAttr(), 0));
    refused(Errno.EAGAIN, () -> creator.openXrcDomain(rig.far, null, 0));
  }
}
