package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.fabric.FabricFilter;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;

/** The events of an id: their channel and number. */
class CmReportsTest extends CmRig {
  @Test
  void whatAGroupHasToTellGoesWithTheMembership() {
    InetAddress group = InetAddress.ofLiteral("239.1.2.3");
    CmId id = client.createId(PortSpace.UDP);
    id.resolveAddr(null, new InetSocketAddress(group, 0), 2000);
    next(client, CmEvent.AddrResolved.class);
    id.joinMulticast(group, null);
    id.leaveMulticast(group);
    assertNull(client.getCmEvent(0));
  }

  /** {@code rdma_leave_multicast} ignores the result of {@code ibv_detach_mcast}. */
  @Test
  void whoDetachedItsQueuePairItselfLeavesAndClosesAllTheSame() {
    InetAddress group = InetAddress.ofLiteral("239.1.2.3");
    List<Consumer<CmId>> ends =
        List.of(id -> id.leaveMulticast(group), CmId::destroyQp, CmId::close);
    for (Consumer<CmId> end : ends) {
      CmId id = client.createId(PortSpace.UDP);
      id.resolveAddr(null, new InetSocketAddress(group, 0), 2000);
      next(client, CmEvent.AddrResolved.class);
      id.createQp(null, attr().qpType(QpType.UD));
      id.joinMulticast(group, null);
      next(client, CmEvent.MulticastJoin.class);
      id.qp().detachMulticast(Gid.of(group));
      end.accept(id);
      id.close();
    }
  }

  @Test
  void theHookRunsWhenThereIsAnEventAndWasNone() {
    int[] runs = new int[1];
    client.onEvent(() -> runs[0]++);
    for (int round = 1; round <= 3; round++) {
      for (int i = 0; i < 4; i++) {
        client.createId(PortSpace.TCP).resolveAddr(null, at("10.0.0.2", PORT), 2000);
        assertEquals(round, runs[0]);
      }
      for (int i = 0; i < 4; i++) {
        next(client, CmEvent.AddrResolved.class);
      }
    }
    client.createId(PortSpace.TCP).resolveAddr(null, at("10.0.0.2", PORT), 2000);
    int before = runs[0];
    client.onEvent(() -> runs[0] += 10);
    assertEquals(before + 10, runs[0], "an event waits already");
  }

  @Test
  void eachEndIsToldWhatBothHaveAgreedOn() {
    listening("10.0.0.2");
    CmId active = routed("10.0.0.2");
    active.connect(
        new ConnParam()
            .qpNum(0x11)
            .responderResources(2)
            .initiatorDepth(7)
            .retryCount(3)
            .rnrRetryCount(4));
    CmEvent.ConnectRequest request = next(server, CmEvent.ConnectRequest.class);
    assertEquals(7, request.conn().responderResources());
    assertEquals(2, request.conn().initiatorDepth());
    CmId passive = request.id();
    QpAttr there = passive.initQpAttr(QpState.RTR);
    assertEquals(7, there.maxDestRdAtomic());
    assertEquals(0x11, there.destQpNum());
    QpAttr sending = passive.initQpAttr(QpState.RTS);
    assertEquals(2, sending.maxRdAtomic());
    assertEquals(3, sending.retryCnt());
    assertEquals(4, sending.rnrRetry());
    passive.accept(
        new ConnParam().qpNum(0x22).responderResources(5).initiatorDepth(1).rnrRetryCount(6));
    ConnParam answered = next(client, CmEvent.ConnectResponse.class).conn();
    assertEquals(1, answered.responderResources());
    assertEquals(5, answered.initiatorDepth());
    QpAttr here = active.initQpAttr(QpState.RTR);
    assertEquals(1, here.maxDestRdAtomic(), "the least of 2 and 1");
    assertEquals(0x22, here.destQpNum());
    QpAttr back = active.initQpAttr(QpState.RTS);
    assertEquals(5, back.maxRdAtomic(), "the least of 7 and 5");
    assertEquals(3, back.retryCnt());
    assertEquals(6, back.rnrRetry());
    assertEquals(back.sqPsn(), there.rqPsn());
    assertEquals(here.rqPsn(), sending.sqPsn());
  }

  /** The fields of a request and its answer have the names of this side. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyParameterReachesTheOtherEnd(boolean given) {
    listening("10.0.0.2");
    CmId active = routed("10.0.0.2");
    active.connect(parameters(0x11, 2, 7, 3, 4, given, !given));
    CmEvent.ConnectRequest request = next(server, CmEvent.ConnectRequest.class);
    assertBegins(parameters(0x11, 7, 2, 3, 4, given, !given), request.conn());
    request.id().accept(parameters(0x22, 5, 1, 0, 6, given, !given));
    ConnParam answered = next(client, CmEvent.ConnectResponse.class).conn();
    assertBegins(parameters(0x22, 1, 5, 0, 6, given, !given), answered);
  }

  private static ConnParam parameters(
      int qpNum, int resources, int depth, int retries, int rnr, boolean flow, boolean srq) {
    return new ConnParam()
        .privateData(new byte[] {(byte) qpNum, 9})
        .qpNum(qpNum)
        .responderResources(resources)
        .initiatorDepth(depth)
        .retryCount(retries)
        .rnrRetryCount(rnr)
        .flowControl(flow)
        .srq(srq);
  }

  /** Private data is filled up to the length that the message has for it. */
  private static void assertBegins(ConnParam wanted, ConnParam found) {
    byte[] data = Arrays.copyOf(found.privateData(), wanted.privateData().length);
    assertArrayEquals(wanted.privateData(), data);
    assertEquals(wanted.toString(), found.copy().privateData(data).toString());
  }

  @Test
  void requestsThatWaitFollowTheirListenerToAnotherChannel() {
    EventChannel other = serverCm.createEventChannel();
    CmId listener = listening("10.0.0.2");
    CmId active = resolved("10.0.0.2");
    active.connect(new ConnParam());
    assertNull(client.getCmEvent(TimeUnit.MILLISECONDS.toNanos(10)));
    listener.migrate(other);
    CmId passive = next(other, CmEvent.ConnectRequest.class).id();
    passive.createQp(null, attr());
    passive.accept(new ConnParam());
    next(client, CmEvent.Established.class);
    next(other, CmEvent.Established.class);
    active.disconnect();
    next(other, CmEvent.Disconnected.class);
    assertNull(server.getCmEvent(0));
  }

  /** A listener on all devices moves, and each device has requests that nobody has taken. */
  @Test
  void requestsOfEachDeviceFollowTheirListener() {
    Context third = open("c", "10.0.0.3");
    try (RdmaCm both = RdmaCm.open(serverDevice, third)) {
      EventChannel before = both.createEventChannel();
      EventChannel after = both.createEventChannel();
      CmId listener = before.createId(PortSpace.TCP);
      listener.bindAddr(at("0.0.0.0", PORT));
      listener.listen(8);
      for (boolean moved : new boolean[] {false, true}) {
        for (String address : List.of("10.0.0.2", "10.0.0.3")) {
          resolved(address).connect(new ConnParam());
        }
        assertNull(client.getCmEvent(TimeUnit.MILLISECONDS.toNanos(10)));
        if (!moved) {
          listener.migrate(after);
        }
      }
      List<String> asked = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        CmId passive = next(after, CmEvent.ConnectRequest.class).id();
        passive.reject(new byte[] {1});
        next(client, CmEvent.Rejected.class);
        asked.add(passive.localAddr().getAddress().getHostAddress());
      }
      asked.sort(null);
      assertEquals(List.of("10.0.0.2", "10.0.0.2", "10.0.0.3", "10.0.0.3"), asked);
      assertNull(before.getCmEvent(0));
      before.close();
    }
    third.close();
  }

  /**
   * The packets at the end are repeatable, those of the connection manager and those of the device.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void connectionsEndInTheOrderInWhichTheyWereMade(boolean byDevice) {
    listening("10.0.0.2");
    List<Integer> made = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      made.add(connectedTo(0x22 + i).active().qp().qpNum());
    }
    List<Integer> ended = new ArrayList<>();
    network
        .fabric()
        .filter(
            (from, to, buffer, at, length, n) -> {
              int mad = OutboundPacket.payloadAt(Opcode.UD_SEND_ONLY, at);
              if (Bth.destQp(buffer, at) == Mad.QPN
                  && Mad.parse(buffer, mad, Mad.SIZE).message() instanceof Dreq gone) {
                ended.add(gone.remoteQpn());
              }
              return FabricFilter.PASS;
            });
    if (byDevice) {
      serverDevice.close();
    } else {
      serverCm.close();
    }
    assertEquals(made, ended);
  }

  private Ends connectedTo(int qpNum) {
    CmId active = resolved("10.0.0.2");
    active.connect(new ConnParam());
    CmId passive = next(server, CmEvent.ConnectRequest.class).id();
    passive.accept(new ConnParam().qpNum(qpNum));
    next(client, CmEvent.Established.class);
    next(server, CmEvent.Established.class);
    return new Ends(active, passive);
  }

  @Test
  void whatBecomesOfAWaitingRequestFollowsToo() {
    EventChannel other = serverCm.createEventChannel();
    CmId listener = listening("10.0.0.2");
    CmId active = resolved("10.0.0.2");
    active.connect(new ConnParam());
    assertNull(client.getCmEvent(TimeUnit.MILLISECONDS.toNanos(10)));
    active.close();
    assertNull(client.getCmEvent(TimeUnit.MILLISECONDS.toNanos(10)));
    listener.migrate(other);
    CmId passive = next(other, CmEvent.ConnectRequest.class).id();
    assertSame(passive, next(other, CmEvent.Rejected.class).id());
    assertSame(other, passive.channel());
    assertNull(server.getCmEvent(0));
  }
}
