package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.fabric.LinkModel;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RejectReason;

/** Ids on devices of a virtual network: two hosts, each with its connection manager. */
class EmulatedCmTest extends CmRig {
  /** Linux raises ADDR_CHANGE only for bonds that fail over. */
  @Test
  void anAddressThatGoesIsToldByTheDeviceAlone() {
    listening("10.0.0.2");
    Ends ends = connected("10.0.0.2");
    EmulatedDevice device = (EmulatedDevice) clientDevice.device();
    device.removeAddress(Gid.parse("10.0.0.1"));
    AsyncEvent told = clientDevice.pollAsyncEvent();
    assertEquals(EventType.GID_CHANGE, told.type());
    told.ack();
    assertNull(client.getCmEvent(TimeUnit.SECONDS.toNanos(10)));
    assertEquals(at("10.0.0.1", 0).getAddress(), ends.active().localAddr().getAddress());
    ends.passive().disconnect();
    CmEvent.Disconnected unheard = next(server, CmEvent.Disconnected.class);
    assertEquals(-Errno.ETIMEDOUT.number(), unheard.status());
  }

  /** Another address may get the index in the table, but the peer expects no packets from it. */
  @Test
  void anAddressThatGoesWhileItConnectsIsNotReplacedByAnother() {
    listening("10.0.0.2");
    CmId active = resolved("10.0.0.2");
    active.connect(new ConnParam());
    CmId passive = next(server, CmEvent.ConnectRequest.class).id();
    passive.createQp(null, attr());
    passive.accept(new ConnParam());
    assertNull(server.getCmEvent(TimeUnit.MILLISECONDS.toNanos(10)));
    EmulatedDevice device = (EmulatedDevice) clientDevice.device();
    device.removeAddress(Gid.parse("10.0.0.1"));
    device.addAddress(Gid.parse("10.0.0.9"));
    next(client, CmEvent.ConnectError.class);
  }

  @Test
  void anAddressThatComesIsHeardByWhoListensEverywhere() {
    CmId listener = server.createId(PortSpace.TCP);
    listener.bindAddr(at("0.0.0.0", PORT));
    listener.listen(1);
    ((EmulatedDevice) serverDevice.device()).addAddress(Gid.parse("10.0.0.9"));
    Ends ends = connected("10.0.0.9");
    assertEquals(at("10.0.0.9", PORT), ends.passive().localAddr());
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.2", "fd00::2"})
  void connectsAndDisconnects(String address) {
    CmId listener = listening(address);
    Ends ends = connected(address);
    assertEquals(QpState.RTS, ends.active().qp().query().qpState());
    assertEquals(QpState.RTS, ends.passive().qp().query().qpState());
    assertEquals(ends.active().qp().qpNum(), ends.passive().qp().query().destQpNum());
    assertEquals(at(address, PORT), ends.active().peerAddr());
    assertEquals(ends.active().localAddr(), ends.passive().peerAddr());
    assertEquals(at(address, PORT), ends.passive().localAddr());

    ends.active().disconnect();
    next(server, CmEvent.Disconnected.class);
    assertNull(client.getCmEvent(0), "the peer has not confirmed yet");
    ends.passive().disconnect();
    next(client, CmEvent.Disconnected.class);
    assertEquals(QpState.ERR, ends.active().qp().query().qpState());
    next(client, CmEvent.TimewaitExit.class);
    next(server, CmEvent.TimewaitExit.class);
    ends.active().close();
    ends.passive().close();
    listener.close();
  }

  @Test
  void aWildcardHearsAtEveryAddress() {
    CmId listener = server.createId(PortSpace.TCP);
    listener.bindAddr(at("::", PORT));
    listener.listen(0);
    connected("10.0.0.2");
    connected("fd00::2");
    assertNull(listener.verbs());
  }

  @Test
  void nobodyListens() {
    CmId active = resolved("10.0.0.2");
    active.connect(new ConnParam());
    CmEvent.Rejected rejected = next(client, CmEvent.Rejected.class);
    assertEquals(8, rejected.status());
    assertEquals(QpState.ERR, active.qp().query().qpState());
  }

  @Test
  void connectionsAreMadeInTheDefaultPartition() {
    listening("10.0.0.2");
    EmulatedDevice there = (EmulatedDevice) serverDevice.device();
    CmId active = resolved("10.0.0.2");
    there.pkeys(0x8012, 0x7FFF, 0xFFFF);
    active.connect(new ConnParam());
    CmId passive = next(server, CmEvent.ConnectRequest.class).id();
    passive.createQp(null, attr());
    assertEquals(2, passive.qp().query().pkeyIndex());
    there.pkeys(0x8012, 0x7FFF);
    assertEquals(1, passive.initQpAttr(QpState.INIT).pkeyIndex());
    there.pkeys(0x8012);
    refused(Errno.EINVAL, () -> passive.initQpAttr(QpState.INIT));
    resolved("10.0.0.2").connect(new ConnParam());
    assertEquals(12, next(client, CmEvent.Rejected.class).status());
  }

  @Test
  void thePassiveEndRejectsWithPrivateData() {
    listening("10.0.0.2");
    resolved("10.0.0.2").connect(new ConnParam());
    next(server, CmEvent.ConnectRequest.class).id().reject(new byte[] {5});
    CmEvent.Rejected rejected = next(client, CmEvent.Rejected.class);
    assertEquals(28, rejected.status());
    assertEquals(148, rejected.privateData().length);
    assertEquals(5, rejected.privateData()[0]);
  }

  @ParameterizedTest
  @EnumSource(names = {"CONSUMER_DEFINED", "VENDOR_OPTION_NOT_SUPPORTED"})
  void theReasonOfARejectionArrives(RejectReason reason) {
    listening("10.0.0.2");
    resolved("10.0.0.2").connect(new ConnParam());
    next(server, CmEvent.ConnectRequest.class).id().reject(reason, new byte[0]);
    assertEquals(reason.value(), next(client, CmEvent.Rejected.class).status());
  }

  /** Nobody ever, or nobody any more. */
  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.9", "10.0.0.2"})
  void anAddressThatNobodyHasIsNotResolved(String address) {
    network.unplug((EmulatedDevice) serverDevice.device());
    CmId id = client.createId(PortSpace.TCP);
    id.resolveAddr(null, at(address, PORT), 2000);
    CmEvent.AddrError error = next(client, CmEvent.AddrError.class);
    assertEquals(Errno.EHOSTUNREACH, error.errno().orElseThrow());
  }

  @Test
  void aDeviceThatVanishesIsUnreachable() {
    listening("10.0.0.2");
    CmId active = resolved("10.0.0.2");
    ((EmulatedDevice) serverDevice.device()).port(false);
    active.connect(new ConnParam());
    CmEvent.Unreachable event = next(client, CmEvent.Unreachable.class);
    assertEquals(Errno.ETIMEDOUT, event.errno().orElseThrow());
  }

  @Test
  void portsBelongToOneIdUnlessAllShareAndNoneListens() {
    CmId first = server.createId(PortSpace.TCP);
    first.bindAddr(at("10.0.0.2", PORT));
    CmId second = server.createId(PortSpace.TCP);
    refused(Errno.EADDRNOTAVAIL, () -> second.bindAddr(at("0.0.0.0", PORT)));
    CmId datagrams = server.createId(PortSpace.UDP);
    datagrams.bindAddr(at("0.0.0.0", PORT));
    refused(Errno.EADDRNOTAVAIL, () -> second.bindAddr(at("10.0.0.1", PORT)));
    first.close();
    second.setOption(CmOption.REUSEADDR, 1);
    second.bindAddr(at("10.0.0.2", PORT));
    CmId third = server.createId(PortSpace.TCP);
    third.setOption(CmOption.REUSEADDR, 1);
    third.bindAddr(at("10.0.0.2", PORT));
    refused(Errno.EADDRINUSE, () -> third.listen(1));
    second.close();
    third.listen(1);
    CmId fourth = server.createId(PortSpace.TCP);
    fourth.bindAddr(at("10.0.0.2", 0));
    assertTrue(fourth.srcPort() >= 32_768);
  }

  @Test
  void aFullBacklogWaitsUntilARequestIsTaken() {
    CmId listener = server.createId(PortSpace.TCP);
    listener.bindAddr(at("10.0.0.2", PORT));
    listener.listen(2);
    for (int i = 0; i < 3; i++) {
      resolved("10.0.0.2").connect(new ConnParam());
    }
    List<CmId> asked = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      asked.add(next(server, CmEvent.ConnectRequest.class).id());
    }
    assertEquals(3, asked.stream().map(CmId::peerAddr).distinct().count());
  }

  @Test
  void callsThatTheStateDoesNotAllowAreRefused() {
    CmId id = client.createId(PortSpace.TCP);
    refused(Errno.EINVAL, () -> id.resolveRoute(1));
    refused(Errno.EINVAL, () -> id.connect(new ConnParam()));
    refused(Errno.EINVAL, () -> id.accept(new ConnParam()));
    refused(Errno.EINVAL, () -> id.disconnect());
    refused(Errno.EINVAL, () -> id.notify(EventType.COMM_EST));
    id.bindAddr(at("10.0.0.1", 0));
    refused(Errno.EINVAL, () -> id.bindAddr(at("10.0.0.1", 0)));
    refused(Errno.EINVAL, () -> id.joinMulticast(InetAddress.ofLiteral("239.1.1.1"), null));
    refused(Errno.EADDRNOTAVAIL, () -> id.leaveMulticast(InetAddress.ofLiteral("239.1.1.1")));
    refused(Errno.EINVAL, () -> id.joinMulticast(InetAddress.ofLiteral("10.0.0.2"), null));
  }

  /** Linux: {@code resolve_prepare_src}. */
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1, fd00::2, 10.0.0.2",
    "0.0.0.0,  fd00::2, 10.0.0.2",
    "fd00::1,  10.0.0.2, fd00::2",
    "::,       10.0.0.2, fd00::2",
  })
  void aBoundIdResolvesAddressesOfItsFamily(String bound, String other, String same) {
    CmId id = client.createId(PortSpace.TCP);
    id.bindAddr(at(bound, 5));
    refused(Errno.EINVAL, () -> id.resolveAddr(null, at(other, PORT), 1));
    id.resolveAddr(null, at(same, PORT), 1);
    next(client, CmEvent.AddrResolved.class);
    assertEquals(5, id.srcPort());
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.1, ff15::77, 239.1.2.3", "fd00::1, 239.1.2.3, ff15::77"})
  void aBoundIdJoinsGroupsOfItsFamily(String bound, String other, String same) {
    CmId id = client.createId(PortSpace.UDP);
    id.bindAddr(at(bound, 5));
    refused(Errno.EINVAL, () -> id.joinMulticast(InetAddress.ofLiteral(other), null));
    id.joinMulticast(InetAddress.ofLiteral(same), null);
    next(client, CmEvent.MulticastJoin.class);
  }

  @Test
  void aRequestThatNobodyTookIsRejectedWhenItsListenerCloses() {
    CmId listener = listening("10.0.0.2");
    CmId active = resolved("10.0.0.2");
    active.connect(new ConnParam());
    assertNull(client.getCmEvent(TimeUnit.MILLISECONDS.toNanos(10)));
    listener.close();
    assertEquals(28, next(client, CmEvent.Rejected.class).status());
  }

  @Test
  void datagramServicesAreResolved() {
    CmId service = server.createId(PortSpace.UDP);
    service.bindAddr(at("10.0.0.2", PORT));
    service.listen(4);
    CmId asking = routed(client.createId(PortSpace.UDP), "10.0.0.2");
    asking.createQp(null, attr().qpType(QpType.UD));
    asking.connect(new ConnParam().privateData(new byte[] {4}));
    CmEvent.ConnectRequest request = next(server, CmEvent.ConnectRequest.class);
    assertEquals(180, request.privateData().length);
    assertEquals(4, request.privateData()[0]);
    request.id().createQp(null, attr().qpType(QpType.UD));
    request.id().accept(new ConnParam().privateData(new byte[] {6}));
    CmEvent.Established event = next(client, CmEvent.Established.class);
    assertEquals(request.id().qp().qpNum(), event.ud().qpNum());
    assertEquals(0x0123_4567, event.ud().qkey());
    assertEquals(Gid.parse("10.0.0.2"), event.ud().ahAttr().grh().dgid());
    assertEquals(6, event.privateData()[0]);
    assertEquals(QpState.RTS, asking.qp().query().qpState());
  }

  @Test
  void aDatagramServiceThatIsNotThereOrRejects() {
    CmId asking = routed(client.createId(PortSpace.UDP), "10.0.0.2");
    asking.connect(new ConnParam());
    assertEquals(1, next(client, CmEvent.Unreachable.class).status());
  }

  @ParameterizedTest
  @CsvSource({"0.0.0.0, 10.0.0.1", "::, fd00::1"})
  void theWildcardAsDestinationIsThisHost(String wildcard, String own) {
    for (InetSocketAddress source : Arrays.asList(null, at(wildcard, 0), at(own, 0))) {
      CmId id = client.createId(PortSpace.TCP);
      id.resolveAddr(source, at(wildcard, PORT), 2000);
      next(client, CmEvent.AddrResolved.class);
      assertEquals(at(own, PORT), id.peerAddr());
      assertEquals(at(own, 0).getAddress(), id.localAddr().getAddress());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"239.1.2.3", "ff15::77"})
  void groupsAreJoinedAndLeft(String address) {
    InetAddress group = InetAddress.ofLiteral(address);
    CmId id = client.createId(PortSpace.UDP);
    id.setOption(CmOption.TOS, 0x68);
    id.resolveAddr(null, new InetSocketAddress(group, 0), 2000);
    next(client, CmEvent.AddrResolved.class);
    id.createQp(null, attr().qpType(QpType.UD));
    id.joinMulticast(group, "mine");
    CmEvent.MulticastJoin joined = next(client, CmEvent.MulticastJoin.class);
    assertEquals("mine", joined.joinContext());
    assertEquals(0xFF_FFFF, joined.ud().qpNum());
    int index = address.contains(":") ? 1 : 0;
    assertEquals(
        AhAttr.roce(Gid.of(group), index, PeerRoute.HOP_LIMIT, 0x68), joined.ud().ahAttr());
    id.joinMulticast(group, "again");
    assertEquals("again", next(client, CmEvent.MulticastJoin.class).joinContext());
    id.leaveMulticast(group);
    id.leaveMulticast(group);
    refused(Errno.EADDRNOTAVAIL, () -> id.leaveMulticast(group));
    id.joinMulticast(group, JoinFlag.SENDONLY_FULLMEMBER, null);
    assertEquals(joined.ud().ahAttr(), next(client, CmEvent.MulticastJoin.class).ud().ahAttr());
    id.resolveRoute(2000);
    next(client, CmEvent.RouteResolved.class);
    refused(Errno.EINVAL, () -> id.joinMulticast(group, null));
  }

  @Test
  void aRefusedQueuePairLeavesNoCompletionQueues() {
    CmId id = client.createId(PortSpace.TCP);
    id.resolveAddr(null, at("10.0.0.2", PORT), 2000);
    next(client, CmEvent.AddrResolved.class);
    refused(Errno.EOPNOTSUPP, () -> id.createQp(null, attr().createFlags(1 << 30)));
    assertNull(id.sendCq());
    assertNull(id.recvCq());
  }

  @Test
  void eventsFollowAnIdToAnotherChannel() {
    EventChannel other = clientCm.createEventChannel();
    CmId id = client.createId(PortSpace.TCP);
    id.resolveAddr(null, at("10.0.0.2", PORT), 2000);
    id.migrate(other);
    assertNull(client.getCmEvent(0));
    next(other, CmEvent.AddrResolved.class);
  }

  @Test
  void oneConnectionManagerOverSeveralDevicesHearsAtEach() {
    Context third = open("c", "10.0.0.3");
    try (RdmaCm both = RdmaCm.open(serverDevice, third)) {
      EventChannel channel = both.createEventChannel();
      CmId listener = channel.createId(PortSpace.TCP);
      listener.bindAddr(at("0.0.0.0", PORT));
      listener.listen(0);
      for (String address : List.of("10.0.0.3", "10.0.0.2")) {
        resolved(address).connect(new ConnParam());
        CmId asked = next(channel, CmEvent.ConnectRequest.class).id();
        assertEquals(at(address, PORT), asked.localAddr());
        assertEquals(address.endsWith("3") ? third : serverDevice, asked.verbs());
      }
    }
    third.close();
  }

  @Test
  void anEndThatClosesTellsItsPeer() {
    listening("10.0.0.2");
    Ends ends = connected("10.0.0.2");
    ends.active().close();
    assertEquals(CmEventType.DISCONNECTED, next(server, CmEvent.Disconnected.class).type());
  }

  @Test
  void aDeviceThatClosesTellsProgramAndPeer() {
    CmId listener = listening("10.0.0.2");
    Ends ends = connected("10.0.0.2");
    serverDevice.close();
    next(server, CmEvent.DeviceRemoval.class);
    next(server, CmEvent.DeviceRemoval.class);
    next(client, CmEvent.Disconnected.class);
    refused(Errno.ENODEV, () -> ends.passive().reject(new byte[0]));
    ends.passive().close();
    listener.close();
    resolved("10.0.0.2").connect(new ConnParam());
    assertEquals(8, next(client, CmEvent.Rejected.class).status());
  }

  @ParameterizedTest
  @CsvSource({"0, true", "16, true", "16, false"})
  void aThousandConnectAtOnce(int backlog, boolean messagesAreLost) {
    // No other thread comes, so thousands of waits need not search for one.
    network.forOneThread();
    int many = 1000;
    CmId listener = server.createId(PortSpace.TCP);
    listener.bindAddr(at("10.0.0.2", PORT));
    listener.listen(backlog);
    List<CmId> ends = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      CmId id = routed("10.0.0.2");
      ends.add(id);
    }
    LinkModel lossy =
        messagesAreLost
            ? LinkModel.PERFECT.withLoss(0.1).withDuplicate(0.05).withReorder(0.1, 1_000_000)
            : LinkModel.PERFECT;
    network.fabric().link(clientDevice.queryGid(1, 0), serverDevice.queryGid(1, 0)).model(lossy);
    network.fabric().link(serverDevice.queryGid(1, 0), clientDevice.queryGid(1, 0)).model(lossy);
    long beginNs = network.fabric().nowNs();
    for (int i = 0; i < many; i++) {
      ends.get(i).connect(new ConnParam().qpNum(0x1000 + i));
    }
    int established = 0;
    int disconnected = 0;
    while (established < 2 * many) {
      established += handled(server, CmEventType.ESTABLISHED);
      established += handled(client, CmEventType.ESTABLISHED);
    }
    long seconds = TimeUnit.NANOSECONDS.toSeconds(network.fabric().nowNs() - beginNs);
    assertTrue(seconds < 30, "it took " + seconds + " s");
    ends.forEach(CmId::close);
    while (disconnected < many) {
      disconnected += handled(server, CmEventType.DISCONNECTED);
    }
    listener.close();
  }

  /** Handles the events that arrive within a moment; returns the number of one type. */
  private int handled(EventChannel channel, CmEventType counted) {
    int count = 0;
    CmEvent event = channel.getCmEvent(TimeUnit.MILLISECONDS.toNanos(1));
    while (event != null) {
      event.ack();
      switch (event) {
        case CmEvent.ConnectRequest request ->
            request.id().accept(new ConnParam().qpNum(0x10_0000 + request.conn().qpNum()));
        case CmEvent.ConnectResponse response -> {
          response.id().establish();
          count += counted == CmEventType.ESTABLISHED ? 1 : 0;
        }
        case CmEvent.Established _, CmEvent.Disconnected _ ->
            count += event.type() == counted ? 1 : 0;
        case CmEvent.TimewaitExit _ -> {}
        default -> throw new AssertionError(event.toString());
      }
      event = channel.getCmEvent(0);
    }
    return count;
  }

  @Test
  void aPortThatWasUsedCanBeUsedAgain() {
    Predicate<CmId> bound = id -> id.srcPort() == PORT;
    for (int i = 0; i < 3; i++) {
      CmId id = listening("10.0.0.2");
      assertTrue(bound.test(id));
      id.close();
    }
  }
}
