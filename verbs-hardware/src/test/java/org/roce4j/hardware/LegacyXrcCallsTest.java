package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvXrcdInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.LegacyXrc;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** The XRC calls of old programs reach the driver as the calls of today. */
@EnabledOnOs(OS.LINUX)
class LegacyXrcCallsTest extends WholeDriverFixture {
  private final LegacyXrc creator = new LegacyXrc();
  private final LegacyXrc other = new LegacyXrc();

  @Test
  @Tag("ibv_open_xrc_domain")
  @Tag("ibv_create_xrc_srq")
  @Tag("ibv_close_xrc_domain")
  void aDomainAndItsReceiveQueueAreThoseOfToday() {
    c.does(
        "open_xrcd",
        a -> {
          var asked = LibraryInJava.at(a[1], IbvXrcdInitAttr.SIZE);
          assertEquals(-1, asked.get(JAVA_INT, IbvXrcdInitAttr.FD));
          assertEquals(XrcdInitAttr.O_CREAT, asked.get(JAVA_INT, IbvXrcdInitAttr.OFLAGS));
          return c.structure(a[0]).address();
        });
    XrcDomain domain = creator.openXrcDomain(context, null, XrcdInitAttr.O_CREAT);
    SharedReceiveQueue made = creator.createXrcSrq(pd, domain, cq, new SrqInitAttr(4, 1));
    assertEquals(SrqType.XRC, made.srqType());
    assertEquals(domain, made.xrcd());
    assertEquals(cq, made.cq());
    c.does("close_xrcd", a -> Errno.EBUSY.number());
    refused(Errno.EBUSY, () -> creator.closeXrcDomain(domain));
    List<List<Long>> closed = asked("close_xrcd", 1);
    made.close();
    creator.closeXrcDomain(domain);
    assertEquals(List.of(List.of(address(domain))), closed);
  }

  @Test
  @Tag("ibv_create_xrc_rcv_qp")
  @Tag("ibv_modify_xrc_rcv_qp")
  @Tag("ibv_query_xrc_rcv_qp")
  @Tag("ibv_reg_xrc_rcv_qp")
  @Tag("ibv_unreg_xrc_rcv_qp")
  void aTargetIsOpenedByWhoeverRegistersAndDestroyedByHandle() {
    int qpn = creator.createXrcRcvQp(new QpInitAttr().xrcd(xrcd));
    other.regXrcRcvQp(xrcd, qpn);
    List<List<Long>> modified = asked("ibv_modify_qp", 3);
    List<List<Long>> destroyed = asked("ibv_destroy_qp", 1);
    QpAttr attr = new QpAttr().qpState(QpState.INIT);
    creator.modifyXrcRcvQp(xrcd, qpn, attr, QpAttrMask.STATE);
    other.modifyXrcRcvQp(xrcd, qpn, attr, QpAttrMask.STATE);
    assertEquals(List.of(1L, 1L), modified.stream().map(call -> call.get(2)).toList());
    assertEquals(0, destroyed.size(), "each has a handle of its own");
    new LegacyXrc().modifyXrcRcvQp(xrcd, qpn, attr, QpAttrMask.STATE);
    assertEquals(List.of(List.of(modified.getLast().getFirst())), destroyed, "opened for the call");
    assertEquals(QpState.RESET, creator.queryXrcRcvQp(xrcd, qpn).qpState());
    other.unregXrcRcvQp(xrcd, qpn);
    creator.unregXrcRcvQp(xrcd, qpn);
    assertEquals(
        modified.stream().map(List::getFirst).sorted().toList(),
        destroyed.stream().map(List::getFirst).sorted().toList());
    refused(Errno.EINVAL, () -> other.unregXrcRcvQp(xrcd, qpn));
    c.does(
        "open_qp",
        a -> {
          EveryFailureTest.leave(Errno.EINVAL);
          return 0;
        });
    refused(Errno.EINVAL, () -> other.regXrcRcvQp(xrcd, qpn));
  }
}
