package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;

/** What ids and connection managers do when they, or their peers, are closed. */
class ClosedIdsTest {
  private static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", 7471);
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");

  private final LoopbackProvider provider = new LoopbackProvider();
  @AutoClose private final RdmaCm cm = RdmaCm.open(provider.context);
  private final EventChannel channel = cm.createEventChannel();

  private <E extends CmEvent> E take(Class<E> type) {
    return assertInstanceOf(type, channel.getCmEvent(0));
  }

  private CmId resolved(PortSpace ps) {
    CmId id = channel.createId(ps);
    id.resolveAddr(null, THERE, 2000);
    take(CmEvent.AddrResolved.class).ack();
    return id;
  }

  /** An id with a route to a listener. */
  private CmId routed() {
    CmId listener = channel.createId(PortSpace.TCP);
    listener.bindAddr(THERE);
    listener.listen(0);
    CmId id = resolved(PortSpace.TCP);
    id.resolveRoute(2000);
    take(CmEvent.RouteResolved.class).ack();
    return id;
  }

  /** An id makes a list for each kind of request when it first needs it. */
  @Test
  void theListsOfTheHelpersGoWithTheirId() {
    CmId id = resolved(PortSpace.TCP);
    id.createQp(null, new QpInitAttr());
    for (int i = 0; i < 3; i++) {
      RdmaVerbs.postRecvv(id, 1, new Sge(0, 0, 0));
      RdmaVerbs.postSendv(id, 2, 0, new Sge(0, 0, 0));
    }
    List<MemorySegment> lists = provider.verbs.posted.stream().distinct().toList();
    assertEquals(2, lists.size());
    assertTrue(lists.stream().allMatch(list -> list.scope().isAlive()));
    id.close();
    assertTrue(lists.stream().noneMatch(list -> list.scope().isAlive()));
  }

  @Test
  void theListsOfTheHelpersGoAlthoughTheBackendKeepsTheirId() {
    CmId id = resolved(PortSpace.TCP);
    id.createQp(null, new QpInitAttr());
    RdmaVerbs.postSendv(id, 2, 0, new Sge(0, 0, 0));
    provider.keepsIds = true;
    refused(Errno.EIO, id::close);
    provider.keepsIds = false;
    assertFalse(provider.verbs.posted.getFirst().scope().isAlive());
  }

  /** In librdmacm it succeeds, because the status of the event is 0. */
  @Test
  void aSynchronousCallFailsIfThePeerHasLeftBeforeItReturns() {
    CmId active = routed();
    active.connect(new ConnParam());
    CmEvent request = take(CmEvent.ConnectRequest.class);
    active.disconnect();
    CmId passive = request.id();
    request.ack();
    passive.migrate(null);
    refused(Errno.ECONNRESET, () -> passive.accept(new ConnParam()));
    assertInstanceOf(CmEvent.Disconnected.class, passive.event());
  }

  /** Several threads may take requests of a listener: one takes what concerns that of another. */
  @Test
  void aListenerDoesNotFailWhenThePeerOfARequestLeaves() {
    CmId listener = cm.createId(PortSpace.TCP);
    listener.bindAddr(THERE);
    listener.listen(8);
    provider.leaving = true;
    for (int i = 0; i < 2; i++) {
      CmId active = resolved(PortSpace.TCP);
      active.resolveRoute(2000);
      take(CmEvent.RouteResolved.class).ack();
      active.connect(new ConnParam());
      assertInstanceOf(CmEvent.ConnectRequest.class, listener.getRequest().event());
    }
  }

  @Test
  void everyCallOfAClosedIdIsRefused() {
    List<Consumer<CmId>> calls =
        List.of(
            id -> id.setOption(CmOption.TOS, 1),
            id -> id.setIbPath(new byte[0]),
            id -> id.bindAddr(THERE),
            id -> id.resolveAddr(null, THERE, 1),
            id -> id.resolveRoute(1),
            id -> id.createQp(null, new QpInitAttr()),
            id -> id.createSrq(null, new SrqInitAttr(1, 1)),
            id -> id.createSrq(new SrqInitAttrEx()),
            id -> id.initQpAttr(QpState.INIT),
            id -> id.listen(1),
            CmId::getRequest,
            id -> id.connect(new ConnParam()),
            id -> id.accept(new ConnParam()),
            id -> id.reject(new byte[0]),
            CmId::establish,
            CmId::disconnect,
            id -> id.notify(EventType.COMM_EST),
            id -> id.joinMulticast(GROUP, null),
            id -> id.leaveMulticast(GROUP),
            id -> id.migrate(channel),
            id -> id.migrate(null),
            id -> RdmaVerbs.regMsgs(id, MemorySegment.NULL));
    for (Consumer<CmId> call : calls) {
      CmId id = resolved(PortSpace.UDP);
      id.joinMulticast(GROUP, null);
      take(CmEvent.MulticastJoin.class).ack();
      id.close();
      refused(Errno.EINVAL, () -> call.accept(id));
    }
  }

  /** Another thread took the event while the connection manager was closed. */
  @Test
  void nobodyWaitsForAnEventThatComesTooLate() {
    CmId first = channel.createId(PortSpace.TCP);
    first.delivery().debt().abandon();
    first.resolveAddr(null, THERE, 2000);
    CmEvent unheard = take(CmEvent.AddrResolved.class);
    first.close();
    CmId second = channel.createId(PortSpace.TCP);
    second.resolveAddr(null, THERE, 2000);
    CmEvent late = take(CmEvent.AddrResolved.class);
    CmId closed = cm.createId(PortSpace.TCP);
    closed.close();
    closed.delivery().keep(late);
    second.close();
    assertSame(first, unheard.id());
  }

  @Test
  void nothingIsToldOfAnIdThatWasClosedWhileItsEventWasTaken() {
    CmId active = routed();
    active.createQp(null, new QpInitAttr());
    active.connect(new ConnParam());
    CmEvent request = take(CmEvent.ConnectRequest.class);
    request.ack();
    request.id().accept(new ConnParam().qpNum(5));
    provider.verbs.refusedState = QpState.RTR;
    provider.verbs.meanwhile = active::close;
    assertSame(request.id(), take(CmEvent.Rejected.class).id());
    assertNull(channel.getCmEvent(0));
  }

  @Test
  void aConnectErrorTellsWhyEvenIfThePeerHasLeft() {
    CmId active = routed();
    active.createQp(null, new QpInitAttr());
    active.connect(new ConnParam());
    CmEvent request = take(CmEvent.ConnectRequest.class);
    request.ack();
    request.id().accept(new ConnParam().qpNum(5));
    provider.verbs.refusedState = QpState.RTR;
    provider.left = true;
    try (CmEvent error = take(CmEvent.ConnectError.class)) {
      assertEquals(Errno.EINVAL, error.errno().orElseThrow());
    }
  }

  @Test
  void aRequestWhoseListenerWasClosedWhileItWasTakenIsClosed() {
    CmId active = routed();
    CmId listener = cm.idsOf(channel).getFirst();
    active.connect(new ConnParam());
    int before = provider.openIds;
    provider.meanwhile = listener::close;
    assertNull(channel.getCmEvent(0));
    assertEquals(before - 2, provider.openIds);
  }

  /** The old channel of the request has ended, and it moves to the new one. */
  @Test
  void aRequestThatIsTakenWhileItsListenerMovesGoesWithIt() {
    CmId listener = cm.createId(PortSpace.TCP);
    listener.bindAddr(THERE);
    listener.listen(8);
    CmId active = resolved(PortSpace.TCP);
    active.resolveRoute(2000);
    take(CmEvent.RouteResolved.class).ack();
    active.connect(new ConnParam());
    provider.meanwhile = () -> listener.migrate(channel);
    CmId passive = listener.getRequest();
    assertSame(channel, passive.channel());
    active.disconnect();
    assertSame(active, take(CmEvent.Disconnected.class).id());
    assertSame(passive, take(CmEvent.Disconnected.class).id());
  }

  @Test
  void anIdThatCannotBeClosedYetLeavesTheOthersClosed() {
    CmId first = resolved(PortSpace.TCP);
    first.createSrq(null, new SrqInitAttr(1, 1));
    CmId second = resolved(PortSpace.TCP);
    second.createQp(null, new QpInitAttr());
    provider.verbs.busy = "SRQ";
    refused(Errno.EBUSY, cm::close);
    assertNull(second.qp());
    assertEquals(0, provider.openIds);
    provider.verbs.busy = null;
    cm.close();
    assertEquals(List.of(), provider.verbs.open);
  }

  @Test
  void anIdDisconnectsAlthoughAnotherThreadDestroysItsQueuePair() {
    CmId id = routed();
    id.createQp(null, new QpInitAttr());
    id.connect(new ConnParam());
    CmEvent request = take(CmEvent.ConnectRequest.class);
    request.ack();
    request.id().accept(new ConnParam().qpNum(5));
    take(CmEvent.Established.class).ack();
    take(CmEvent.Established.class).ack();
    provider.verbs.refusedState = QpState.ERR;
    refused(Errno.EINVAL, id::disconnect);
    provider.verbs.meanwhile = id::destroyQp;
    id.disconnect();
    take(CmEvent.Disconnected.class).ack();
    take(CmEvent.Disconnected.class).ack();
  }

  @Test
  void aClosedConnectionManagerMakesNothing() {
    cm.close();
    refused(Errno.EINVAL, cm::createEventChannel);
    refused(Errno.EINVAL, () -> cm.createId(PortSpace.TCP));
  }
}
