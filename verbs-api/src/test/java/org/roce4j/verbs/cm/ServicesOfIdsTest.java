package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttr;

/** The service of an id follows from its type: datagrams for UD, a connection for any other. */
class ServicesOfIdsTest extends LoopbackRig {
  private static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", 7471);

  private CmId resolved(QpType type) {
    CmId id = channel.createId(PortSpace.IB, type, null);
    id.resolveAddr(null, THERE, 2000);
    channel.getCmEvent(0).ack();
    return id;
  }

  private void happens(CmId id, CmEventType what) {
    provider.report(id, what, 0);
    channel.getCmEvent(0).ack();
  }

  @ParameterizedTest
  @EnumSource(QpType.class)
  void establishedIdsHaveAConnectionUnlessTheyExchangeDatagrams(QpType type) {
    CmId id = resolved(type);
    happens(id, CmEventType.ESTABLISHED);
    assertEquals(type != QpType.UD, id.handshake().standing());
  }

  @ParameterizedTest
  @EnumSource(
      value = CmEventType.class,
      names = {"REJECTED", "UNREACHABLE", "CONNECT_ERROR", "DISCONNECTED"})
  void nothingIsLeftToDisconnectAfterTheEnd(CmEventType end) {
    CmId id = resolved(QpType.RC);
    happens(id, CmEventType.ESTABLISHED);
    happens(id, end);
    assertFalse(id.handshake().standing());
  }

  @ParameterizedTest
  @EnumSource(
      value = CmEventType.class,
      names = {"ADDR_CHANGE", "TIMEWAIT_EXIT"})
  void connectionsStandThroughOtherEvents(CmEventType other) {
    CmId id = resolved(QpType.RC);
    happens(id, CmEventType.ESTABLISHED);
    happens(id, other);
    assertTrue(id.handshake().standing());
  }

  /** The peer's confirmation is there already. */
  @ParameterizedTest
  @EnumSource(QpType.class)
  void acceptingTakesThePeersConfirmationUnlessThereIsNone(QpType type) {
    CmId listener = cm.createId(PortSpace.IB, type);
    listener.bindAddr(THERE);
    listener.listen(0);
    resolved(type).connect(new ConnParam());
    CmId passive = listener.getRequest();
    provider.report(passive, CmEventType.ESTABLISHED, 0);
    passive.accept(new ConnParam());
    assertEquals(type != QpType.UD, passive.event() instanceof CmEvent.Established);
  }

  @ParameterizedTest
  @CsvSource({
    "RC, 56, 196, 148",
    "UC, 56, 196, 148",
    "XRC_SEND, 56, 196, 148",
    "XRC_RECV, 56, 196, 148",
    "UD, 180, 136, 136",
  })
  void privateDataIsAsLongAsTheMessagesOfTheServiceAllow(
      QpType type, int connect, int accept, int reject) {
    CmId id = resolved(type);
    refused(Errno.EINVAL, () -> id.connect(new ConnParam().privateData(new byte[connect + 1])));
    refused(Errno.EINVAL, () -> id.accept(new ConnParam().privateData(new byte[accept + 1])));
    refused(Errno.EINVAL, () -> id.reject(new byte[reject + 1]));
    provider.left = true;
    refused(Errno.ENODEV, () -> id.reject(new byte[reject]));
    id.connect(new ConnParam().privateData(new byte[connect]));
  }

  /** Any other reason is the connection manager's own. */
  @ParameterizedTest
  @EnumSource(RejectReason.class)
  void programsRejectForTwoReasons(RejectReason reason) {
    CmId id = resolved(QpType.RC);
    provider.left = true;
    boolean programs =
        List.of(RejectReason.CONSUMER_DEFINED, RejectReason.VENDOR_OPTION_NOT_SUPPORTED)
            .contains(reason);
    refused(programs ? Errno.ENODEV : Errno.EINVAL, () -> id.reject(reason, new byte[0]));
  }

  /** A queue pair that was made before the shared receive queue does not use it. */
  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC", "UD", "XRC_SEND"})
  void completionsOfAQueuePairOutliveASharedQueueBesideIt(QpType type) {
    CmId id = resolved(type);
    id.createQp(null, new QpInitAttr().qpType(type));
    id.createSrq(null, new SrqInitAttr(4, 1));
    id.destroySrq();
    assertNotNull(id.sendCq());
    assertTrue(provider.verbs.open.contains(id.sendCq().toString()));
  }
}
