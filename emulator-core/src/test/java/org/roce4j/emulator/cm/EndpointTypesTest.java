package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.device.Refusals.refused;

import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;

/** Endpoints of several types in one port space. */
@Timeout(60)
class EndpointTypesTest extends CmRig {

  private static AddrInfo there(QpType type) {
    return new AddrInfo().portSpace(PortSpace.IB).qpType(type).dstAddr(at("10.0.0.2", PORT));
  }

  private static AddrInfo passive(QpType type) {
    return there(type).flags(AddrInfo.PASSIVE).srcAddr(at("10.0.0.2", PORT));
  }

  private CmId listener(QpType type) {
    CmId id = serverCm.createEp(passive(type), null, type == QpType.XRC_RECV ? null : attr());
    id.listen(4);
    return id;
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC"})
  void connectionsAreOfTheirListenersType(QpType type) {
    CmId listener = listener(type);
    CompletableFuture<CmId> served =
        CompletableFuture.supplyAsync(
            () -> {
              CmId request = listener.getRequest();
              request.accept(new ConnParam());
              return request;
            });
    CmId active = clientCm.createEp(there(type), null, attr());
    active.connect(new ConnParam());
    CmId passive = served.join();
    assertEquals(type, passive.qp().qpType());
    assertEquals(active.qp().qpNum(), passive.qp().query(QpAttrMask.DEST_QPN).destQpNum());
    assertEquals(QpState.RTS, active.qp().state());
  }

  /** A target is named by the field that names the end-to-end context of other services. */
  @Test
  void anExtendedConnectionHasASourceAndATarget() {
    CmId listener = listener(QpType.XRC_RECV);
    listener.migrate(server);
    CmId active = clientCm.createEp(there(QpType.XRC_SEND), null, attr());
    active.migrate(client);
    active.connect(new ConnParam());
    CmId passive = next(server, CmEvent.ConnectRequest.class).id();
    passive.createQp(null, attr().qpType(QpType.XRC_RECV));
    passive.accept(new ConnParam());
    next(client, CmEvent.Established.class);
    next(server, CmEvent.Established.class);
    assertEquals(passive.qp().qpNum(), active.qp().query().destQpNum());
    assertEquals(active.qp().qpNum(), passive.qp().query().destQpNum());
    assertEquals(QpState.RTS, active.qp().state());
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "XRC_RECV"})
  void anIdForConnectionsJoinsNoGroup(QpType type) {
    CmId id = serverCm.createEp(passive(type), null, type == QpType.XRC_RECV ? null : attr());
    InetAddress group = InetAddress.ofLiteral("239.1.2.3");
    refused(Errno.EINVAL, () -> id.joinMulticast(group, null));
  }

  /** Linux: {@code cma_ib_check_req_qp_type}. */
  @ParameterizedTest
  @CsvSource({"RC, UC", "UC, RC", "RC, XRC_SEND", "XRC_RECV, RC", "UD, RC"})
  void aRequestOfAnotherTypeIsRejected(QpType listens, QpType asks) {
    listener(listens);
    CmId id = clientCm.createEp(there(asks), null, null);
    refused(Errno.ECONNREFUSED, () -> id.connect(new ConnParam().qpNum(5)));
    assertEquals(28, id.event().status());
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "XRC_RECV"})
  void aQuestionForDatagramsIsRejectedByAConnection(QpType listens) {
    listener(listens);
    CmId id = clientCm.createEp(there(QpType.UD), null, null);
    id.migrate(client);
    id.connect(new ConnParam());
    assertEquals(2, next(client, CmEvent.Unreachable.class).status());
  }

  /** In librdmacm the call succeeds, because the status of DEVICE_REMOVAL is 0. */
  @Test
  void aSynchronousCallFailsIfItsDeviceCloses() throws Exception {
    listening("10.0.0.2");
    CmId active = clientCm.createEp(new AddrInfo().dstAddr(at("10.0.0.2", PORT)), null, attr());
    CompletableFuture<Void> connecting =
        CompletableFuture.runAsync(
            () -> refused(Errno.ENODEV, () -> active.connect(new ConnParam())));
    next(server, CmEvent.ConnectRequest.class);
    clientDevice.close();
    connecting.get();
  }

  /** librdmacm waits for ever. */
  @Test
  void whatHasNoConnectionToEndDoesNotWaitForOne() {
    CmId listener = listener(QpType.UD);
    CompletableFuture<Void> served =
        CompletableFuture.runAsync(() -> listener.getRequest().accept(new ConnParam()));
    CmId datagrams = clientCm.createEp(there(QpType.UD), null, attr());
    datagrams.connect(new ConnParam());
    served.join();
    datagrams.disconnect();
    assertEquals(QpState.ERR, datagrams.qp().state());
    AddrInfo nobody = new AddrInfo().dstAddr(at("10.0.0.2", PORT + 1));
    CmId rejected = clientCm.createEp(nobody, null, attr());
    assertEquals(PortSpace.TCP, rejected.ps());
    refused(Errno.ECONNREFUSED, () -> rejected.connect(new ConnParam()));
    rejected.disconnect();
  }
}
