package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.UdParam;

/** What the ends of a datagram service tell each other. */
class DatagramServicesTest extends CmRig {
  private static QpInitAttr datagrams() {
    return attr().qpType(QpType.UD);
  }

  private CmId serving(String address) {
    CmId id = server.createId(PortSpace.UDP);
    id.bindAddr(at(address, PORT));
    id.listen(16);
    return id;
  }

  private CmId asking(String address, int tos) {
    CmId id = client.createId(PortSpace.UDP);
    id.setOption(CmOption.TOS, tos);
    routed(id, address).createQp(null, datagrams());
    return id;
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.2, 0, 0", "10.0.0.2, 0xa8, 0", "fd00::2, 0xa8, 1"})
  void theServiceIsReachedAtItsQueuePairByThePathThatWasAsked(String address, int tos, int index) {
    serving(address);
    CmId active = asking(address, tos);
    active.connect(new ConnParam().privateData(new byte[] {1, 2, 3}));
    CmEvent.ConnectRequest request = next(server, CmEvent.ConnectRequest.class);
    assertEquals(3, request.privateData()[2]);
    assertNull(request.ud().ahAttr());
    CmId passive = request.id();
    passive.createQp(null, datagrams());
    passive.accept(new ConnParam().privateData(new byte[] {9}));
    UdParam told = next(client, CmEvent.Established.class).ud();
    assertEquals(9, told.privateData()[0]);
    assertEquals(passive.qp().qpNum(), told.qpNum());
    assertEquals(UdParam.QKEY, told.qkey());
    assertEquals(
        new GlobalRoute(Gid.parse(address), 0, index, PeerRoute.HOP_LIMIT, tos),
        told.ahAttr().grh());
    assertEquals(1, told.ahAttr().portNum());
  }

  @Test
  void aServiceThatRefusesSaysSo() {
    serving("10.0.0.2");
    CmId active = asking("10.0.0.2", 0);
    active.connect(new ConnParam().privateData(new byte[] {1}));
    next(server, CmEvent.ConnectRequest.class).id().reject(new byte[] {7});
    CmEvent.Unreachable refused = next(client, CmEvent.Unreachable.class);
    assertEquals(7, refused.privateData()[0]);
    assertEquals(0, refused.ud().qpNum());
  }
}
