package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** The port of a device with two ports that an id is bound to. */
class PortsOfIdsTest extends CmRig {
  private final EmulatedDevice device =
      network.device(
          network.options("dual", Gid.parse("10.0.0.3")).withPort(Gid.parse("10.0.0.4")));
  private final Context context = device.open();
  private final RdmaCm cm = RdmaCm.open(context);
  private final EventChannel channel = cm.createEventChannel();

  @AfterEach
  void close() {
    cm.close();
    context.close();
  }

  /** The other host, and this host, which the wildcard address means. */
  private void isReachedFrom(String address, int port) {
    for (String destination : List.of("10.0.0.2", "0.0.0.0")) {
      try (CmId id = channel.createId(PortSpace.TCP)) {
        id.resolveAddr(null, at(destination, PORT), 2000);
        next(channel, CmEvent.AddrResolved.class);
        assertEquals(InetAddress.ofLiteral(address), id.localAddr().getAddress(), destination);
        assertEquals(port, id.portNum(), destination);
      }
    }
  }

  @Test
  void aPortThatIsDownIsTheLastChoice() {
    isReachedFrom("10.0.0.3", 1);
    device.port(1, false);
    isReachedFrom("10.0.0.4", 2);
    device.port(2, false);
    isReachedFrom("10.0.0.3", 1);
    device.port(2, true);
    isReachedFrom("10.0.0.4", 2);
  }

  @Test
  void anIdThatIsBoundIsOfThePortOfItsAddress() {
    try (CmId id = channel.createId(PortSpace.TCP)) {
      id.bindAddr(at("10.0.0.4", 0));
      assertEquals(2, id.portNum());
      id.resolveAddr(null, at("10.0.0.2", PORT), 2000);
      next(channel, CmEvent.AddrResolved.class);
      assertEquals(2, id.portNum());
    }
  }

  /** It is of no device before. */
  @Test
  void anIdThatIsBoundToTheWildcardIsOfThePortFromWhichItsPeerIsReached() {
    device.port(1, false);
    try (CmId id = channel.createId(PortSpace.TCP)) {
      id.bindAddr(at("0.0.0.0", 0));
      assertEquals(0, id.portNum());
      assertNull(id.verbs());
      id.resolveAddr(null, at("10.0.0.2", PORT), 2000);
      next(channel, CmEvent.AddrResolved.class);
      assertEquals(2, id.portNum());
      assertSame(context, id.verbs());
      assertEquals(InetAddress.ofLiteral("10.0.0.4"), id.localAddr().getAddress());
    }
  }

  @Test
  void aDatagramServiceIsReachedFromThePortOfTheId() {
    CmId service = server.createId(PortSpace.UDP);
    service.bindAddr(at("10.0.0.2", PORT));
    service.listen(4);
    CmId id = channel.createId(PortSpace.UDP);
    id.bindAddr(at("10.0.0.4", 0));
    id.resolveAddr(null, at("10.0.0.2", PORT), 2000);
    next(channel, CmEvent.AddrResolved.class);
    id.resolveRoute(2000);
    next(channel, CmEvent.RouteResolved.class);
    id.connect(new ConnParam());
    next(server, CmEvent.ConnectRequest.class).id().accept(new ConnParam().qpNum(5));
    assertEquals(2, next(channel, CmEvent.Established.class).ud().ahAttr().portNum());
  }
}
