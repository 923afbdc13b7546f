package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** Two hosts on a virtual network, each with its connection manager. */
abstract class CmRig {
  static final int PORT = 7471;

  final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  final Context clientDevice = open("a", "10.0.0.1", "fd00::1");
  final Context serverDevice = open("b", "10.0.0.2", "fd00::2");
  final RdmaCm clientCm = RdmaCm.open(clientDevice);
  final RdmaCm serverCm = RdmaCm.open(serverDevice);
  final EventChannel client = clientCm.createEventChannel();
  final EventChannel server = serverCm.createEventChannel();

  Context open(String name, String... addresses) {
    Gid[] gids = Stream.of(addresses).map(Gid::parse).toArray(Gid[]::new);
    return network.device(name, gids).open();
  }

  @AfterEach
  void nothingIsLeft() {
    clientCm.close();
    serverCm.close();
    clientDevice.close();
    serverDevice.close();
    network.close();
  }

  static InetSocketAddress at(String address, int port) {
    return new InetSocketAddress(InetAddress.ofLiteral(address), port);
  }

  static QpInitAttr attr() {
    return new QpInitAttr().cap(new QpCapabilities(8, 8, 1, 1, 0));
  }

  static <T extends CmEvent> T next(EventChannel channel, Class<T> type) {
    CmEvent event = channel.getCmEvent(TimeUnit.MINUTES.toNanos(5));
    T expected = assertInstanceOf(type, event);
    expected.ack();
    return expected;
  }

  CmId listening(String address) {
    CmId id = server.createId(PortSpace.TCP);
    id.bindAddr(at(address, PORT));
    id.listen(16);
    return id;
  }

  CmId routed(String address) {
    return routed(client.createId(PortSpace.TCP), address);
  }

  CmId routed(CmId id, String address) {
    return routed(client, id, address);
  }

  /** The id has the address and the route of a peer, as its channel has told. */
  static CmId routed(EventChannel channel, CmId id, String address) {
    id.resolveAddr(null, at(address, PORT), 2000);
    next(channel, CmEvent.AddrResolved.class);
    id.resolveRoute(2000);
    next(channel, CmEvent.RouteResolved.class);
    return id;
  }

  CmId resolved(String address) {
    CmId id = routed(address);
    id.createQp(null, attr());
    return id;
  }

  /** The two ends of a connection. */
  record Ends(CmId active, CmId passive) {}

  Ends connected(String address) {
    return connected(resolved(address));
  }

  Ends connected(CmId active) {
    active.connect(new ConnParam().privateData(new byte[] {1, 2, 3}));
    CmEvent.ConnectRequest request = next(server, CmEvent.ConnectRequest.class);
    CmId passive = request.id();
    assertEquals(56, request.privateData().length);
    assertEquals(3, request.privateData()[2]);
    passive.createQp(null, attr());
    passive.accept(new ConnParam().privateData(new byte[] {9}));
    CmEvent.Established established = next(client, CmEvent.Established.class);
    assertEquals(196, established.privateData().length);
    assertEquals(9, established.privateData()[0]);
    next(server, CmEvent.Established.class);
    return new Ends(active, passive);
  }
}
