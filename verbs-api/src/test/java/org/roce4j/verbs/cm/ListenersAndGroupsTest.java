package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttr;

/** Requests of listeners, groups of an id, and what a connection manager leaves. */
@Timeout(30)
class ListenersAndGroupsTest extends LoopbackRig {
  private static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", 7471);
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");
  private static final InetAddress OTHER = InetAddress.ofLiteral("239.1.2.4");

  @Override
  @AfterEach
  void nothingIsLeft() {
    super.nothingIsLeft();
    assertEquals(0, provider.openIds);
  }

  private <E extends CmEvent> E take(Class<E> type) {
    E event = assertInstanceOf(type, channel.getCmEvent(0));
    event.ack();
    return event;
  }

  private CmId resolved(PortSpace ps) {
    CmId id = channel.createId(ps);
    id.resolveAddr(null, THERE, 2000);
    take(CmEvent.AddrResolved.class);
    return id;
  }

  private CmId listening(CmId id) {
    id.bindAddr(THERE);
    id.listen(8);
    return id;
  }

  // ---- requests

  @Test
  void requestsOfAnIdWithAChannelAreEvents() {
    CmId listener = listening(channel.createId(PortSpace.TCP));
    resolved(PortSpace.TCP).connect(new ConnParam());
    String told = refused(Errno.EINVAL, listener::getRequest).remedy();
    assertTrue(told.startsWith("requests of an asynchronous id are events"), told);
    take(CmEvent.ConnectRequest.class);
  }

  /** That of an id that was asked for by a request belongs to the thread that took the request. */
  @Test
  void whatHappensToAListenerEndsTheWaitForARequest() {
    CmId listener = listening(cm.createId(PortSpace.TCP));
    provider.report(listener, CmEventType.DEVICE_REMOVAL, 0);
    String told = refused(Errno.ENODEV, listener::getRequest).remedy();
    assertTrue(told.contains("its context was closed"), told);
    assertInstanceOf(CmEvent.DeviceRemoval.class, listener.event());
    provider.report(listener, CmEventType.ADDR_CHANGE, 0);
    told = refused(Errno.EINVAL, listener::getRequest).remedy();
    assertTrue(told.startsWith("no request, but ADDR_CHANGE of "), told);
    listener.close();
  }

  /** Nobody would wake a thread that waits for a request of it. */
  @Test
  void anIdWhoseListeningWasRefusedDoesNotListen() {
    CmId id = cm.createId(PortSpace.TCP);
    id.bindAddr(THERE);
    provider.verbs.failIn = 1;
    refused(Errno.ENOMEM, () -> id.listen(1));
    String told = refused(Errno.EINVAL, id::getRequest).remedy();
    assertEquals(id + " does not listen, so no request comes", told);
    id.listen(-5);
    assertEquals("listen 0", provider.verbs.calls.getLast());
    id.listen(7);
    assertEquals("listen 7", provider.verbs.calls.getLast());
  }

  @Test
  void anEventOfARequestThatIsPassedOverIsOwedNoMore() {
    CmId listener = listening(cm.createId(PortSpace.TCP));
    provider.leaving = true;
    resolved(PortSpace.TCP).connect(new ConnParam());
    CmId left = listener.getRequest();
    resolved(PortSpace.TCP).connect(new ConnParam());
    CmId next = listener.getRequest();
    left.close();
    next.close();
  }

  @Test
  void aRequestThatWaitsWhenItsListenerIsClosedIsClosed() {
    CmId listener = listening(channel.createId(PortSpace.TCP));
    resolved(PortSpace.TCP).connect(new ConnParam());
    listener.close();
    assertEquals(2, provider.openIds);
    assertNull(channel.getCmEvent(0));
    assertEquals(1, provider.openIds, "the peer's");
  }

  @Test
  void aRequestWhoseListenerIsClosedMeanwhileIsNoIdOfTheManager() {
    CmId listener = listening(channel.createId(PortSpace.TCP));
    CmId active = resolved(PortSpace.TCP);
    active.connect(new ConnParam());
    provider.meanwhile = listener::close;
    assertNull(channel.getCmEvent(0));
    assertEquals(List.of(active), cm.idsOf(channel));
  }

  @Test
  void aRequestThatIsTakenWhileItsManagerIsClosedIsClosed() {
    listening(channel.createId(PortSpace.TCP));
    resolved(PortSpace.TCP).connect(new ConnParam());
    provider.meanwhile = cm::close;
    assertNull(channel.getCmEvent(0));
    assertEquals(0, provider.openIds);
  }

  @Test
  void aRequestOfAnEndpointHasAQueuePairInTheDomainOfTheEndpoint() {
    ProtectionDomain pd = provider.context.allocPd();
    AddrInfo here = new AddrInfo().flags(AddrInfo.PASSIVE).srcAddr(THERE);
    CmId listener = cm.createEp(here, pd, new QpInitAttr());
    listener.listen(8);
    resolved(PortSpace.TCP).connect(new ConnParam());
    assertSame(pd, listener.getRequest().pd());
    assertEquals(List.of(pd + " QP of null"), provider.verbs.origins);
    cm.close();
    pd.close();
  }

  @Test
  void anEndpointOnlyListensIfItsInfoSaysPassive() {
    AddrInfo there =
        new AddrInfo()
            .flags(AddrInfo.NUMERICHOST | AddrInfo.NOROUTE | AddrInfo.FAMILY)
            .dstAddr(THERE);
    assertEquals(THERE, cm.createEp(there, null, null).peerAddr());
  }

  @Test
  void anEndpointWithPathRecordsDoesNotAskForItsRoute() {
    AddrInfo there = new AddrInfo().dstAddr(THERE);
    cm.createEp(there, null, null);
    assertEquals(List.of("resolveRoute 2000"), routes());
    provider.verbs.calls.clear();
    cm.createEp(there.route(new byte[] {1, 2}), null, null);
    assertEquals(List.of("setIbPath [1, 2]"), routes());
  }

  private List<String> routes() {
    return provider.verbs.calls.stream().filter(c -> c.matches("(resolveR|setIb).*")).toList();
  }

  @Test
  void pathRecordsAreARouteToWaitFor() {
    CmId id = cm.createId(PortSpace.TCP);
    id.resolveAddr(null, THERE, 2000);
    id.setIbPath(new byte[] {3});
    assertInstanceOf(CmEvent.RouteResolved.class, id.event());
  }

  /** {@code rdma_connect} frees the bytes of the endpoint. */
  @Test
  void theBytesOfAnEndpointGoWithItsFirstOffer() {
    listening(channel.createId(PortSpace.TCP));
    AddrInfo there = new AddrInfo().dstAddr(THERE).connect(new byte[] {9});
    CmId id = cm.createEp(there, null, null);
    id.migrate(channel);
    for (int expected : new int[] {9, 7}) {
      id.connect(new ConnParam().privateData(new byte[] {7}));
      assertEquals(expected, take(CmEvent.ConnectRequest.class).privateData()[0]);
    }
  }

  @Test
  void theBytesOfAnEndpointStayUntilAnOfferIsMade() {
    listening(channel.createId(PortSpace.TCP));
    CmId id = cm.createEp(new AddrInfo().dstAddr(THERE).connect(new byte[] {9}), null, null);
    id.migrate(channel);
    for (int step = 1; !"connect".equals(provider.verbs.failed); step++) {
      provider.verbs.failIn = step;
      refused(Errno.ENOMEM, () -> id.connect(new ConnParam()));
    }
    id.connect(new ConnParam());
    assertEquals(9, take(CmEvent.ConnectRequest.class).privateData()[0]);
  }

  // ---- offers

  @Test
  void whatTheProgramGivesStaysAsItIs() {
    AddrInfo here = new AddrInfo().flags(AddrInfo.PASSIVE).srcAddr(THERE).qpType(QpType.UD);
    QpInitAttr attr = new QpInitAttr().qpType(QpType.UC);
    CmId listener = cm.createEp(here, null, attr);
    listener.listen(8);
    AddrInfo there = new AddrInfo().dstAddr(THERE).qpType(QpType.UD);
    ConnParam offer = new ConnParam().qpNum(5).privateData(new byte[] {1});
    String said = offer.toString();
    CmId active = cm.createEp(there.connect(new byte[] {2}), null, attr);
    active.migrate(channel);
    active.connect(offer);
    CmId request = listener.getRequest();
    assertEquals(QpType.UD, request.qp().qpType());
    request.accept(offer);
    take(CmEvent.Established.class);
    assertEquals(QpType.UC, attr.qpType());
    assertEquals(said, offer.toString());
  }

  /** The program may use its arrays for something else, also those that it was given. */
  @Test
  void bytesAreCopied() {
    byte[] own = {1};
    ConnParam offer = new ConnParam().privateData(own);
    UdParam where = new UdParam(own, null, 0, 0);
    AddrInfo info = new AddrInfo().connect(own).route(own);
    List<Supplier<byte[]>> all =
        List.of(offer::privateData, where::privateData, info::connect, info::route);
    own[0] = 2;
    for (Supplier<byte[]> each : all) {
      assertEquals(1, each.get()[0]);
      each.get()[0] = 3;
      assertEquals(1, each.get()[0]);
    }
  }

  @Test
  void whatNoDeviceHasIsNotOfferedAndNotAccepted() {
    listening(channel.createId(PortSpace.TCP));
    CmId id = resolved(PortSpace.TCP);
    List<ConnParam> bad =
        List.of(
            new ConnParam().responderResources(StubVerbs.LIMIT + 1),
            new ConnParam().initiatorDepth(StubVerbs.ASKED + 1),
            new ConnParam().responderResources(256),
            new ConnParam().initiatorDepth(256),
            new ConnParam().responderResources(-1),
            new ConnParam().initiatorDepth(-1),
            new ConnParam().retryCount(-1),
            new ConnParam().retryCount(256),
            new ConnParam().rnrRetryCount(-1),
            new ConnParam().qpNum(-1),
            new ConnParam().qpNum(1 << 24));
    id.connect(new ConnParam().responderResources(StubVerbs.LIMIT).initiatorDepth(StubVerbs.ASKED));
    CmId request = take(CmEvent.ConnectRequest.class).id();
    for (ConnParam each : bad) {
      refused(Errno.EINVAL, () -> id.connect(each));
      refused(Errno.EINVAL, () -> request.accept(each));
    }
    request.accept(new ConnParam().responderResources(StubVerbs.LIMIT).initiatorDepth(0));
    take(CmEvent.ConnectResponse.class);
  }

  /** The limits are those of connections. */
  @Test
  void aDatagramServiceHasNoResources() {
    listening(channel.createId(PortSpace.UDP));
    CmId id = resolved(PortSpace.UDP);
    id.connect(new ConnParam().initiatorDepth(StubVerbs.ASKED + 1));
    take(CmEvent.ConnectRequest.class);
  }

  @Test
  void anOfferSaysWhetherTheQueuePairHasASharedQueue() {
    listening(channel.createId(PortSpace.TCP));
    for (boolean shared : List.of(false, true)) {
      CmId id = resolved(PortSpace.TCP);
      if (shared) {
        id.createSrq(null, new SrqInitAttr(4, 1));
      }
      id.createQp(null, new QpInitAttr());
      id.connect(new ConnParam().srq(!shared));
      ConnParam offer = take(CmEvent.ConnectRequest.class).conn();
      assertEquals(shared, offer.srq());
      assertEquals(id.qp().qpNum(), offer.qpNum());
    }
  }

  // ---- synchronous ids

  @Test
  void aCallThatEndsWithoutAnEventHasNone() {
    listening(channel.createId(PortSpace.TCP));
    CmId id = cm.createId(PortSpace.TCP);
    id.resolveAddr(null, THERE, 2000);
    id.resolveRoute(2000);
    provider.patienceNs = 0;
    refused(Errno.ETIMEDOUT, () -> id.connect(new ConnParam())); // nobody accepts
    assertNull(id.event());
    take(CmEvent.ConnectRequest.class);
  }

  @Test
  void acceptingADatagramServiceWaitsForNothing() {
    CmId listener = listening(cm.createId(PortSpace.UDP));
    resolved(PortSpace.UDP).connect(new ConnParam());
    CmId request = listener.getRequest();
    assertInstanceOf(CmEvent.ConnectRequest.class, request.event());
    request.accept(new ConnParam());
    assertNull(request.event());
  }

  @Test
  void joiningAGroupIsWaitedFor() {
    CmId id = cm.createId(PortSpace.UDP);
    id.resolveAddr(null, THERE, 2000);
    id.joinMulticast(GROUP, "mine");
    assertEquals("mine", assertInstanceOf(CmEvent.MulticastJoin.class, id.event()).joinContext());
  }

  // ---- groups

  private CmId member() {
    CmId id = resolved(PortSpace.UDP);
    id.createQp(null, new QpInitAttr().qpType(QpType.UD));
    return id;
  }

  private void join(CmId id, InetAddress group, JoinFlag flag) {
    id.joinMulticast(group, flag, null);
    take(CmEvent.MulticastJoin.class);
    provider.verbs.calls.clear();
  }

  private long detached(InetAddress group) {
    String mgid = "::ffff:" + group.getHostAddress();
    return provider.verbs.calls.stream()
        .filter(call -> call.contains("detachMulticast") && call.contains(mgid))
        .count();
  }

  @Test
  void leavingAGroupLeavesTheOthers() {
    CmId id = member();
    join(id, GROUP, JoinFlag.FULLMEMBER);
    join(id, OTHER, JoinFlag.FULLMEMBER);
    id.leaveMulticast(GROUP);
    assertEquals(1, detached(GROUP), provider.verbs.calls::toString);
    assertEquals(0, detached(OTHER));
    assertTrue(provider.verbs.calls.contains("leave 239.1.2.3"));
    refused(Errno.EADDRNOTAVAIL, () -> id.leaveMulticast(GROUP));
    id.leaveMulticast(OTHER);
    assertEquals(1, detached(OTHER));
  }

  /** A member that only sends hears nothing, so it is not why the queue pair stays attached. */
  @Test
  void aMemberThatOnlySendsHearsNothing() {
    CmId id = member();
    join(id, GROUP, JoinFlag.SENDONLY_FULLMEMBER);
    join(id, GROUP, JoinFlag.FULLMEMBER);
    id.leaveMulticast(GROUP);
    assertEquals(1, detached(GROUP), provider.verbs.calls::toString);
    id.leaveMulticast(GROUP);
    assertEquals(1, detached(GROUP));
  }

  @Test
  void aQueuePairThatCannotBeAttachedIsAnErrorOfTheGroup() {
    CmId id = member();
    id.joinMulticast(GROUP, "mine");
    provider.verbs.failIn = 1;
    CmEvent.MulticastError error = take(CmEvent.MulticastError.class);
    assertEquals(Errno.ENOMEM, error.errno().orElseThrow());
    assertEquals("mine", error.joinContext());
  }

  // ---- ids

  @Test
  void anIdWithoutAddressesHasNoPorts() {
    CmId id = channel.createId(PortSpace.TCP);
    assertEquals(0, id.srcPort());
    assertEquals(0, id.dstPort());
    assertEquals("id TCP ? - ?", id.toString());
    id.destroySrq();
    id.destroyQp();
    id.resolveAddr(null, THERE, 2000);
    assertEquals(40_000, id.srcPort());
    assertEquals(7471, id.dstPort());
  }

  @Test
  void argumentsThatAreMissingOrOutOfRange() {
    CmId id = resolved(PortSpace.UDP);
    refused(Errno.EINVAL, () -> id.reject(null));
    refused(Errno.EINVAL, () -> id.reject(null, new byte[0]));
    refused(Errno.EINVAL, () -> id.joinMulticast(GROUP, null, null));
    refused(Errno.EINVAL, () -> id.joinMulticast(null, null));
    refused(Errno.EINVAL, () -> id.setOption(CmOption.TOS, -1));
    refused(Errno.EINVAL, () -> channel.createId(null));
    refused(Errno.EINVAL, () -> cm.createId(null));
    refused(Errno.EINVAL, () -> channel.getCmEvent(-1));
    id.setOption(CmOption.TOS, 255);
    id.setOption(CmOption.TOS, 0);
    assertEquals("TOS 0", provider.verbs.calls.getLast());
  }

  // ---- the manager

  @Test
  void aClosedManagerHasNoDomains() {
    CmId id = resolved(PortSpace.TCP);
    cm.close();
    refused(Errno.EINVAL, id::pd);
    refused(Errno.EINVAL, () -> cm.defaultXrcd(provider.context));
    refused(Errno.EINVAL, cm::createEventChannel);
    assertEquals(0, provider.openChannels);
  }

  @Test
  void anIdThatIsMadeWhileItsManagerIsClosedIsClosed() {
    provider.whileMaking = cm::close;
    refused(Errno.EINVAL, () -> channel.createId(PortSpace.TCP));
    assertEquals(0, provider.openIds);
    assertEquals(List.of(), cm.idsOf(channel));
  }

  @Test
  void theFirstIdThatCannotBeClosedSaysWhy() {
    CmId first = resolved(PortSpace.TCP);
    first.createSrq(null, new SrqInitAttr(1, 1));
    CmId second = resolved(PortSpace.TCP);
    second.createSrq(null, new SrqInitAttr(1, 1));
    assertFalse(first.srq().toString().equals(second.srq().toString()));
    provider.verbs.busy = "SRQ";
    assertEquals(first.srq() + " is in use", refused(Errno.EBUSY, cm::close).remedy());
    provider.verbs.busy = null;
  }
}
