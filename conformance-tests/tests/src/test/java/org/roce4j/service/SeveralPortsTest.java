package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.DatagramEnd;
import org.roce4j.connect.RcPair;
import org.roce4j.connect.UdPair;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.junit.Completion;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** A device with two ports, on a virtual network and on sockets. */
@ParameterizedClass
@EnumSource
@Timeout(60)
class SeveralPortsTest {
  @Parameter private PortsNetwork carrier;
  private Gid firstGid;
  private Gid secondGid;
  private Gid moreGid;
  private Gid anotherGid;
  private Gid peerGid;
  private Gid groupGid;
  private EmulatedDevice device;
  private Context context;
  private Context far;
  private End dual;
  private End peer;
  private Completion last;

  @BeforeEach
  void open() {
    firstGid = carrier.address(1);
    secondGid = carrier.address(2);
    moreGid = carrier.address(3);
    anotherGid = carrier.address(4);
    peerGid = carrier.address(9);
    groupGid = carrier.group();
    Function<DeviceOptions, EmulatedDevice> network = carrier.network();
    device = network.apply(DeviceOptions.of("dual", firstGid).withPort(secondGid));
    context = device.open();
    far = network.apply(DeviceOptions.of("peer", peerGid)).open();
    dual = new End(context);
    peer = new End(far);
  }

  @AfterEach
  void close() {
    context.close();
    far.close();
  }

  private static void refused(Errno errno, Executable call) {
    assertEquals(errno, assertThrows(VerbsException.class, call).errno());
  }

  private static AhAttr path(Gid to, int port) {
    return new AhAttr(true, new GlobalRoute(to, 0, 0, 64, 0), 0, 0, 0, 0, port);
  }

  private QueuePair fresh(QpType type) {
    return dual.pd.createQp(
        new QpInitAttr().qpType(type).cq(dual.cq).cap(new QpCapabilities(8, 8, 1, 1, 0)));
  }

  /** A connection between a port and the peer; it gives up soon if {@code impatient}. */
  private QueuePair[] connected(int port, boolean impatient) {
    QueuePair here = fresh(QpType.RC);
    QueuePair there = peer.queuePair(QpType.RC, null);
    QpAttr attr = QpBringUp.attributes(path(peerGid, port), there.qpNum()).portNum(port);
    QpBringUp.toRts(here, impatient ? attr.timeout(12).retryCnt(1) : attr);
    QpBringUp.toRts(
        there,
        QpBringUp.attributes(AhAttr.roce(port == 1 ? firstGid : secondGid, 0), here.qpNum()));
    return new QueuePair[] {here, there};
  }

  private WcStatus sent(QueuePair[] pair) {
    peer.receive(pair[1], 0, 64);
    dual.request(1, WrOpcode.SEND, 0, 64);
    dual.post(pair[0]);
    Completion completion = dual.next();
    last = completion;
    return completion.status();
  }

  private void told(EventType type, int port) {
    AsyncEvent event = dual.event();
    assertEquals(type, event.type());
    assertEquals(port, event.portNum());
  }

  @Test
  @Tag("ibv_query_port")
  @Tag("ibv_query_pkey")
  void eachPortTellsOfItself() {
    assertEquals(2, context.queryDevice().physPortCount());
    assertEquals(firstGid, context.queryGid(1, 0));
    assertEquals(secondGid, context.queryGid(2, 0));
    assertEquals(secondGid, context.queryGidEx(2, 0).gid());
    assertEquals(List.of(1, 2), context.queryGidTable().stream().map(GidEntry::portNum).toList());
    assertEquals(PortState.ACTIVE, context.queryPort(2).state());
    assertEquals(0xffff, context.queryPkey(2, 0));
    for (int none : new int[] {-1, 0, 3}) {
      refused(Errno.EINVAL, () -> context.queryPort(none));
      refused(Errno.EINVAL, () -> context.queryGid(none, 0));
      refused(Errno.EINVAL, () -> context.queryPkey(none, 0));
      refused(Errno.EINVAL, () -> device.port(none, false));
      refused(Errno.EINVAL, () -> device.addAddress(none, moreGid));
    }
  }

  @Test
  void aQueuePairIsBoundToItsPort() {
    assertEquals(WcStatus.SUCCESS, sent(connected(1, false)));
    QueuePair[] two = connected(2, false);
    assertEquals(WcStatus.SUCCESS, sent(two));
    assertEquals(2, two[0].query().portNum());
    QueuePair qp = fresh(QpType.RC);
    QpAttr init = new QpAttr().qpState(QpState.INIT).pkeyIndex(0).qpAccessFlags(0);
    refused(Errno.EINVAL, () -> qp.modify(init.portNum(3)));
    qp.modify(init.portNum(2));
    refused(
        Errno.EINVAL,
        () -> QpBringUp.to(QpState.RTR, qp, QpBringUp.attributes(path(peerGid, 1), 5)));
    assertEquals(QpState.INIT, qp.state());
    refused(Errno.EINVAL, () -> dual.pd.createAh(path(peerGid, 3)));
  }

  @Test
  void messagesGoFromThePortThatIsNamed() {
    ConnectionOptions atTwo = ConnectionOptions.DEFAULT.withPortNum(2);
    device.port(1, false);
    told(EventType.PORT_ERR, 1);
    try (RcPair pair = RcPair.connect(context, atTwo, far, ConnectionOptions.DEFAULT)) {
      pair.client().send("ping");
      assertEquals("ping", pair.server().receiveString());
      pair.server().send("pong");
      assertEquals("pong", pair.client().receiveString());
      assertEquals(2, pair.client().qp().query().portNum());
    }
    try (UdPair pair = UdPair.connect(context, atTwo, far, ConnectionOptions.DEFAULT)) {
      assertEquals(secondGid, pair.client().address().gid());
      pair.client().send("ping");
      assertEquals("ping", pair.server().receiveString());
      pair.server().send("pong");
      assertEquals("pong", pair.client().receiveString());
    }
    refused(Errno.EINVAL, () -> RcPair.connect(context, far, atTwo));
    refused(Errno.EINVAL, () -> RcPair.connect(context, context, atTwo.withPortNum(3)));
    refused(Errno.EINVAL, () -> DatagramEnd.open(context, atTwo.withGidIndex(1)));
    refused(Errno.EINVAL, () -> atTwo.withPortNum(0));
  }

  @Test
  void aPortThatIsDownLeavesTheOtherAlone() {
    QueuePair[] one = connected(1, false);
    QueuePair[] two = connected(2, true);
    device.port(2, false);
    told(EventType.PORT_ERR, 2);
    assertEquals(PortState.DOWN, context.queryPort(2).state());
    assertEquals(PortState.ACTIVE, context.queryPort(1).state());
    assertEquals(WcStatus.SUCCESS, sent(one));
    assertEquals(WcStatus.RETRY_EXC_ERR, sent(two));
    assertTrue(last.text().endsWith("; port 2 of dual is down"), last.text());
    device.port(2, true);
    told(EventType.PORT_ACTIVE, 2);
    assertEquals(WcStatus.SUCCESS, sent(connected(2, false)));
    assertNull(context.pollAsyncEvent());
  }

  @Test
  void anAddressThatAPortGetsWhileItIsDownIsSilent() {
    Gid more = carrier.address(42);
    device.port(2, false);
    device.addAddress(2, more);
    QueuePair here = fresh(QpType.RC);
    QueuePair there = peer.queuePair(QpType.RC, null);
    AhAttr way = new AhAttr(true, new GlobalRoute(peerGid, 0, 1, 64, 0), 0, 0, 0, 0, 2);
    QpBringUp.toRts(here, QpBringUp.attributes(way, there.qpNum()).portNum(2));
    QpBringUp.toRts(
        there, QpBringUp.attributes(AhAttr.roce(more, 0), here.qpNum()).timeout(12).retryCnt(1));
    dual.receive(here, 0, 64);
    peer.request(1, WrOpcode.SEND, 0, 64);
    peer.post(there);
    assertEquals(WcStatus.RETRY_EXC_ERR, peer.next().status());
  }

  @Test
  void datagramsComeToTheQueuePairsOfTheirPort() {
    QueuePair atTwo = fresh(QpType.UD);
    QpBringUp.toRts(atTwo, QpBringUp.attributes().portNum(2).qkey(7));
    QueuePair sender = peer.datagrams(7, null);
    dual.receive(atTwo, 3, GlobalRouteHeader.SIZE + 64);
    for (Gid to : List.of(firstGid, secondGid)) {
      AddressHandle handle = peer.pd.createAh(AhAttr.roce(to, 0));
      peer.request(1, WrOpcode.SEND, 0, 64).ud(handle, atTwo.qpNum(), 7);
      peer.post(sender);
      peer.next(1);
    }
    dual.next(3);
    assertEquals(
        secondGid,
        GlobalRouteHeader.dgid(dual.memory.memory(), dual.receiveAt(3)),
        "not the other");
    AddressHandle wrong = dual.pd.createAh(path(peerGid, 1));
    dual.request(1, WrOpcode.SEND, 0, 64).ud(wrong, sender.qpNum(), 7);
    refused(Errno.EINVAL, () -> dual.postOrThrow(atTwo));
  }

  /** Sends a datagram to the group. */
  private void sendToGroup() {
    QueuePair sender = peer.datagrams(7, null);
    AddressHandle group = peer.pd.createAh(AhAttr.roce(groupGid, 0));
    peer.request(1, WrOpcode.SEND, 0, 64).ud(group, QueuePair.MULTICAST_QPN, 7);
    peer.post(sender);
    peer.next(1);
    group.close();
    sender.close();
  }

  private QueuePair datagrams(int port) {
    QueuePair qp = fresh(QpType.UD);
    QpBringUp.toRts(qp, QpBringUp.attributes().portNum(port).qkey(7));
    return qp;
  }

  /** Requires that only the receives with these wr_ids complete. */
  private void heardOnly(int... ids) {
    for (int id : ids) {
      dual.next(id);
    }
    LockSupport.parkNanos(1_000_000);
    dual.assertNothing();
  }

  @Test
  @Tag("ibv_attach_mcast")
  @Tag("ibv_detach_mcast")
  void aQueuePairHearsTheGroupsOfItsPort() {
    QueuePair one = datagrams(1);
    QueuePair two = datagrams(2);
    dual.receive(one, 1, GlobalRouteHeader.SIZE + 64);
    dual.receive(two, 2, GlobalRouteHeader.SIZE + 64);
    two.attachMulticast(groupGid);
    sendToGroup();
    heardOnly(2);
    dual.receive(two, 2, GlobalRouteHeader.SIZE + 64);
    one.attachMulticast(groupGid);
    device.port(1, false);
    told(EventType.PORT_ERR, 1);
    sendToGroup();
    heardOnly(2);
    device.port(1, true);
    told(EventType.PORT_ACTIVE, 1);
    two.detachMulticast(groupGid);
    sendToGroup();
    heardOnly(1);
    one.detachMulticast(groupGid);
  }

  /** Both ports hear it: the queue pairs of each get it once, and that is no error. */
  @Test
  void aDatagramToAGroupOfBothPortsComesOnceToEachQueuePair() {
    QueuePair one = datagrams(1);
    QueuePair two = datagrams(2);
    for (int id = 0; id < 4; id++) {
      dual.receive(id < 2 ? one : two, id, GlobalRouteHeader.SIZE + 64);
    }
    one.attachMulticast(groupGid);
    two.attachMulticast(groupGid);
    sendToGroup();
    assertEquals(
        Set.of(one.qpNum(), two.qpNum()), Set.of(dual.next().qpNum(), dual.next().qpNum()));
    heardOnly();
    assertEquals(0, context.counters().get("wrong_address"));
  }

  @Test
  void groupsGoWithAQueuePairToAnotherPort() {
    QueuePair qp = fresh(QpType.UD);
    qp.attachMulticast(groupGid);
    for (int port : new int[] {2, 1}) {
      QpBringUp.toRts(qp, QpBringUp.attributes().portNum(port).qkey(7));
      dual.receive(qp, port, GlobalRouteHeader.SIZE + 64);
      device.port(3 - port, false);
      told(EventType.PORT_ERR, 3 - port);
      sendToGroup();
      heardOnly(port);
      device.port(3 - port, true);
      told(EventType.PORT_ACTIVE, 3 - port);
      qp.modify(new QpAttr().qpState(QpState.RESET));
    }
    qp.detachMulticast(groupGid);
  }

  /** A refused modify changes nothing, the groups of the queue pair included. */
  @Test
  void groupsStayWithAQueuePairWhoseMoveIsRefused() {
    QueuePair qp = fresh(QpType.UD);
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(7));
    qp.attachMulticast(groupGid);
    for (int i = 0; i < 3; i++) {
      refused(Errno.EINVAL, () -> qp.modify(new QpAttr().portNum(2).pkeyIndex(99)));
    }
    QpBringUp.to(QpState.RTR, qp, QpBringUp.attributes().qkey(7));
    dual.receive(qp, 1, GlobalRouteHeader.SIZE + 64);
    dual.receive(qp, 2, GlobalRouteHeader.SIZE + 64);
    device.port(2, false);
    told(EventType.PORT_ERR, 2);
    sendToGroup();
    heardOnly(1);
    device.port(2, true);
    told(EventType.PORT_ACTIVE, 2);
    device.port(1, false);
    told(EventType.PORT_ERR, 1);
    sendToGroup();
    LockSupport.parkNanos(1_000_000);
    dual.assertNothing();
    device.port(1, true);
    told(EventType.PORT_ACTIVE, 1);
    qp.detachMulticast(groupGid);
  }

  @Test
  void groupsStayJoinedThroughAnotherAddressOfTheirPort() {
    QueuePair qp = datagrams(2);
    dual.receive(qp, 2, GlobalRouteHeader.SIZE + 64);
    qp.attachMulticast(groupGid);
    boolean ipv4 = groupGid.isIpv4Mapped();
    Gid otherGroup = Gid.parse(ipv4 ? "ff0e::1" : "239.255.47.48");
    refused(Errno.EINVAL, () -> qp.attachMulticast(otherGroup));
    device.addAddress(2, Gid.parse(ipv4 ? "::1" : "127.0.0.1"));
    refused(Errno.EBUSY, () -> device.removeAddress(2, secondGid));
    device.addAddress(2, moreGid);
    device.removeAddress(2, secondGid);
    sendToGroup();
    heardOnly(2);
    qp.detachMulticast(groupGid);
    device.addAddress(2, secondGid);
    device.removeAddress(2, moreGid);
  }

  @Test
  void anIndexThatAnotherPortUsesIsFree() {
    QueuePair[] one = connected(1, false);
    device.addAddress(2, moreGid);
    device.removeAddress(2, secondGid);
    QueuePair[] two = connected(1, false);
    device.addAddress(2, secondGid);
    assertEquals(secondGid, context.queryGid(2, 0), "nobody uses index 0 of port 2");
    QueuePair[] three = connected(2, false);
    device.removeAddress(2, secondGid);
    device.addAddress(2, anotherGid);
    assertEquals(anotherGid, context.queryGid(2, 2), "a queue pair uses index 0 of port 2");
    for (QueuePair[] each : List.of(one, two, three)) {
      each[0].close();
    }
  }

  @Test
  void addressesComeAndGoPortByPort() {
    device.addAddress(2, moreGid);
    told(EventType.GID_CHANGE, 2);
    assertEquals(moreGid, context.queryGid(2, 1));
    assertEquals(Gid.ZERO, context.queryGid(1, 1));
    refused(Errno.EEXIST, () -> device.addAddress(1, moreGid));
    refused(Errno.EADDRNOTAVAIL, () -> device.removeAddress(1, moreGid));
    refused(Errno.EBUSY, () -> device.removeAddress(1, firstGid));
    device.removeAddress(2, secondGid);
    told(EventType.GID_CHANGE, 2);
    assertEquals(Gid.ZERO, context.queryGid(2, 0));
    assertEquals(firstGid, context.queryGid(1, 0));
    device.pkeys(0xffff, 0x8001);
    told(EventType.PKEY_CHANGE, 1);
    told(EventType.PKEY_CHANGE, 2);
  }
}
