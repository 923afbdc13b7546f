package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.UdParam;

/** Ids on a device with two ports: each is bound to the port that has its address. */
@ParameterizedClass
@EnumSource
@Timeout(60)
class ConnectionsOfSeveralPortsTest {
  private static final String ONE = "127.48.0.1";
  private static final String TWO = "127.48.0.2";
  private static final String MORE = "127.48.0.3";
  private static final String PEER = "127.48.0.9";
  private static final int PORT = 7471;

  @Parameter private PortsNetwork carrier;
  private EmulatedDevice device;
  private Context dual;
  private Context far;
  private RdmaCm dualCm;
  private RdmaCm farCm;
  private EventChannel here;
  private EventChannel there;

  @BeforeEach
  void open() {
    Function<DeviceOptions, EmulatedDevice> network = carrier.network();
    device = network.apply(DeviceOptions.of("dual", Gid.parse(ONE)).withPort(Gid.parse(TWO)));
    dual = device.open();
    far = network.apply(DeviceOptions.of("peer", Gid.parse(PEER))).open();
    dualCm = RdmaCm.open(dual);
    farCm = RdmaCm.open(far);
    here = dualCm.createEventChannel();
    there = farCm.createEventChannel();
  }

  @AfterEach
  void close() {
    dualCm.close();
    farCm.close();
    dual.close();
    far.close();
  }

  private static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  private static <T extends CmEvent> T next(EventChannel channel, Class<T> type) {
    T event = assertInstanceOf(type, channel.getCmEvent(TimeUnit.SECONDS.toNanos(20)));
    event.ack();
    return event;
  }

  private static QpInitAttr attr(QpType type) {
    return new QpInitAttr().qpType(type).cap(new QpCapabilities(8, 8, 1, 1, 0));
  }

  private static CmId listening(EventChannel on, PortSpace space, String address) {
    CmId id = on.createId(space);
    id.bindAddr(at(address, PORT));
    id.listen(4);
    return id;
  }

  private static CmId resolved(EventChannel on, PortSpace space, String from, String to) {
    CmId id = on.createId(space);
    id.resolveAddr(from == null ? null : at(from, 0), at(to, PORT), 2000);
    next(on, CmEvent.AddrResolved.class);
    id.resolveRoute(2000);
    next(on, CmEvent.RouteResolved.class);
    return id;
  }

  private static CmId connected(EventChannel client, EventChannel server, String from, String to) {
    CmId active = resolved(client, PortSpace.TCP, from, to);
    active.createQp(null, attr(QpType.RC));
    active.connect(new ConnParam());
    CmId passive = next(server, CmEvent.ConnectRequest.class).id();
    passive.createQp(null, attr(QpType.RC));
    passive.accept(new ConnParam());
    next(client, CmEvent.Established.class);
    next(server, CmEvent.Established.class);
    bound(active);
    bound(passive);
    return passive;
  }

  /** Requires that the queue pair has the id's port and the GID index of the id's address. */
  private static void bound(CmId id) {
    QpAttr attr = id.qp().query();
    assertEquals(id.portNum(), attr.portNum());
    AhAttr path = attr.ahAttr();
    assertEquals(id.portNum(), path.portNum());
    assertEquals(
        Gid.of(id.localAddr().getAddress()),
        id.verbs().queryGid(path.portNum(), path.grh().sgidIndex()));
  }

  @Test
  @Tag("rdma_resolve_addr")
  void anIdWithoutSourceTakesAPortThatIsUp() {
    assertEquals(1, resolved(here, PortSpace.TCP, null, PEER).portNum());
    device.port(1, false);
    assertEquals(2, resolved(here, PortSpace.TCP, null, PEER).portNum());
    assertEquals(1, resolved(here, PortSpace.TCP, ONE, PEER).portNum(), "its program chose");
    device.port(2, false);
    assertEquals(1, resolved(here, PortSpace.TCP, null, PEER).portNum(), "it may come up");
  }

  @Test
  @Tag("rdma_bind_addr")
  @Tag("rdma_init_qp_attr")
  void anIdIsBoundToThePortOfItsAddress() {
    CmId everywhere = here.createId(PortSpace.TCP);
    assertEquals(0, everywhere.portNum());
    everywhere.bindAddr(at("0.0.0.0", 0));
    assertEquals(0, everywhere.portNum());
    CmId second = here.createId(PortSpace.TCP);
    second.bindAddr(at(TWO, 0));
    assertEquals(2, second.portNum());
    assertEquals(2, second.initQpAttr(QpState.INIT).portNum());
    CmId first = resolved(here, PortSpace.TCP, ONE, PEER);
    assertEquals(1, first.portNum());
    assertEquals(1, first.initQpAttr(QpState.INIT).portNum());
  }

  @Test
  @Tag("rdma_listen")
  void theWildcardHearsOnAllPorts() {
    listening(here, PortSpace.TCP, "0.0.0.0");
    assertEquals(1, connected(there, here, null, ONE).portNum());
    CmId second = connected(there, here, null, TWO);
    assertEquals(2, second.portNum());
    assertEquals(at(TWO, PORT), second.localAddr());
  }

  @Test
  void whoListensOnAPortHearsNoOther() {
    listening(here, PortSpace.TCP, TWO);
    assertEquals(2, connected(there, here, null, TWO).portNum());
    CmId id = resolved(there, PortSpace.TCP, null, ONE);
    id.createQp(null, attr(QpType.RC));
    id.connect(new ConnParam());
    assertEquals(28, next(there, CmEvent.Rejected.class).status());
  }

  @Test
  void eachPortConnectsAndIsLeftByItsOwnMessages() {
    listening(there, PortSpace.TCP, PEER);
    for (String from : new String[] {TWO, ONE}) {
      CmId passive = connected(here, there, from, PEER);
      assertEquals(Gid.parse(from), passive.qp().query().ahAttr().grh().dgid());
      assertEquals(from, passive.peerAddr().getAddress().getHostAddress());
      passive.disconnect();
      next(here, CmEvent.Disconnected.class).id().disconnect();
      next(there, CmEvent.Disconnected.class);
      next(there, CmEvent.TimewaitExit.class);
      next(here, CmEvent.TimewaitExit.class);
    }
  }

  @Test
  void aPortThatIsDownConnectsNobodyAndLeavesTheOtherAlone() {
    listening(here, PortSpace.TCP, "0.0.0.0");
    device.port(2, false);
    CmId lost = resolved(there, PortSpace.TCP, null, TWO);
    lost.createQp(null, attr(QpType.RC));
    lost.connect(new ConnParam());
    connected(there, here, null, ONE);
    assertNull(there.getCmEvent(0));
    device.port(2, true);
    assertEquals(2, next(here, CmEvent.ConnectRequest.class).id().portNum());
  }

  @Test
  void datagramServicesAnswerOverThePortOfTheirAddress() {
    listening(here, PortSpace.UDP, "0.0.0.0");
    for (int port = 1; port <= 2; port++) {
      CmId asking = resolved(there, PortSpace.UDP, null, port == 1 ? ONE : TWO);
      asking.createQp(null, attr(QpType.UD));
      asking.connect(new ConnParam());
      CmId asked = next(here, CmEvent.ConnectRequest.class).id();
      assertEquals(port, asked.portNum());
      asked.createQp(null, attr(QpType.UD));
      assertEquals(port, asked.qp().query().portNum());
      asked.accept(new ConnParam());
      assertEquals(asked.qp().qpNum(), next(there, CmEvent.Established.class).ud().qpNum());
    }
    listening(there, PortSpace.UDP, PEER);
    CmId second = resolved(here, PortSpace.UDP, TWO, PEER);
    second.createQp(null, attr(QpType.UD));
    second.connect(new ConnParam());
    CmId asked = next(there, CmEvent.ConnectRequest.class).id();
    asked.createQp(null, attr(QpType.UD));
    asked.accept(new ConnParam());
    UdParam answer = next(here, CmEvent.Established.class).ud();
    assertEquals(2, answer.ahAttr().portNum());
    second.pd().createAh(answer.ahAttr()).close();
  }

  @Test
  @Tag("rdma_join_multicast")
  void anIdJoinsGroupsOnItsPort() {
    CmId id = here.createId(PortSpace.UDP);
    id.bindAddr(at(TWO, PORT));
    id.createQp(null, attr(QpType.UD));
    id.joinMulticast(InetAddress.ofLiteral("239.48.0.1"), JoinFlag.FULLMEMBER, null);
    assertEquals(2, next(here, CmEvent.MulticastJoin.class).ud().ahAttr().portNum());
  }

  @Test
  void anAddressThatComesToAPortIsBoundToIt() {
    listening(here, PortSpace.TCP, "0.0.0.0");
    device.addAddress(2, Gid.parse(MORE));
    assertEquals(EventType.GID_CHANGE, dual.getAsyncEvent().type());
    CmId passive = connected(there, here, null, MORE);
    assertEquals(2, passive.portNum());
    assertEquals(1, passive.qp().query().ahAttr().grh().sgidIndex());
  }
}
