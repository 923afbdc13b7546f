package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SrqInitAttr;

/** The library's part of the connection manager, over a backend that loses nothing. */
class CmIdTest extends LoopbackRig {
  private static final int PORT = 7471;
  private static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", PORT);
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");

  private CmId listening(PortSpace ps) {
    CmId id = channel.createId(ps, "the listener's");
    id.bindAddr(THERE);
    id.listen(0);
    return id;
  }

  private CmId resolved(PortSpace ps) {
    CmId id = channel.createId(ps);
    id.resolveAddr(null, THERE, 2000);
    take(CmEvent.AddrResolved.class).ack();
    id.resolveRoute(2000);
    take(CmEvent.RouteResolved.class).ack();
    return id;
  }

  private <E extends CmEvent> E take(Class<E> type) {
    return assertInstanceOf(type, channel.getCmEvent(0));
  }

  @Test
  void anIdThatTheBackendKeepsIsClosedForTheLibrary() {
    CmId id = cm.createId(PortSpace.TCP);
    provider.keepsIds = true;
    refused(Errno.EIO, id::close);
    id.close(); // is closed
    assertEquals(1, provider.openChannels, "its own channel is gone, that of the test is left");
  }

  @Test
  void connectsAcceptsAndDisconnects() {
    listening(PortSpace.TCP);
    CmId active = resolved(PortSpace.TCP);
    assertEquals(PORT, active.dstPort());
    assertEquals(active.localAddr().getPort(), active.srcPort());
    active.createQp(null, new QpInitAttr());
    active.connect(new ConnParam().privateData(new byte[] {1, 2}).initiatorDepth(3));

    CmEvent.ConnectRequest request = take(CmEvent.ConnectRequest.class);
    CmId passive = request.id();
    assertEquals("the listener's", passive.userContext());
    assertArrayEquals(Arrays.copyOf(new byte[] {1, 2}, 56), request.privateData());
    assertEquals(3, request.conn().responderResources());
    assertEquals(StubVerbs.LIMIT, request.conn().initiatorDepth());
    assertEquals(active.qp().qpNum(), request.conn().qpNum());
    request.ack();

    passive.createQp(null, new QpInitAttr());
    provider.verbs.calls.clear();
    passive.accept(new ConnParam());
    assertEquals(
        List.of("qpState=INIT", "qpState=RTR, maxDestRdAtomic=3", "qpState=RTS, maxRdAtomic=12"),
        states());

    provider.verbs.calls.clear();
    CmEvent.Established established = take(CmEvent.Established.class);
    assertSame(active, established.id());
    assertEquals(
        List.of("qpState=INIT", "qpState=RTR, maxDestRdAtomic=9", "qpState=RTS, maxRdAtomic=8"),
        states());
    established.ack();
    take(CmEvent.Established.class).ack();

    active.disconnect();
    assertTrue(states().contains("qpState=ERR"));
    take(CmEvent.Disconnected.class).ack();
    take(CmEvent.Disconnected.class).ack();
  }

  /** The attributes of each modification since the calls were cleared. */
  private List<String> states() {
    return provider.verbs.calls.stream()
        .filter(call -> call.contains("qpState"))
        .map(call -> call.substring(call.indexOf("qpState")))
        .toList();
  }

  @Test
  void aRequestToADeviceThatIsNotOpenIsRejected() {
    listening(PortSpace.TCP);
    CmId active = resolved(PortSpace.TCP);
    int ids = provider.openIds;
    provider.unopened = true;
    active.connect(new ConnParam());
    assertNull(channel.getCmEvent(0));
    assertEquals(ids, provider.openIds);
  }

  @Test
  void anIdWithoutQueuePairIsToldOfTheResponseAndEstablishes() {
    listening(PortSpace.TCP);
    CmId active = resolved(PortSpace.TCP);
    active.connect(new ConnParam().qpNum(0x77));
    try (CmEvent request = take(CmEvent.ConnectRequest.class)) {
      assertEquals(0x77, request.conn().qpNum());
      request.id().accept(new ConnParam().qpNum(0x78));
    }
    try (CmEvent response = take(CmEvent.ConnectResponse.class)) {
      assertEquals(0x78, response.conn().qpNum());
    }
    active.establish();
    take(CmEvent.Established.class).ack();
  }

  @Test
  void aQueuePairThatCannotGoOnIsAConnectErrorAndNothingMore() {
    listening(PortSpace.TCP);
    CmId active = resolved(PortSpace.TCP);
    active.createQp(null, new QpInitAttr());
    active.connect(new ConnParam());
    CmEvent request = take(CmEvent.ConnectRequest.class);
    request.ack();
    request.id().accept(new ConnParam().qpNum(5));
    provider.verbs.refusedState = QpState.RTR;
    try (CmEvent error = take(CmEvent.ConnectError.class)) {
      assertEquals(Errno.EINVAL, error.errno().orElseThrow());
    }
    try (CmEvent.Rejected rejected = take(CmEvent.Rejected.class)) {
      assertSame(request.id(), rejected.id());
      assertEquals(RejectReason.CONSUMER_DEFINED, rejected.reason().orElseThrow());
    }
    request.id().disconnect();
    take(CmEvent.Disconnected.class).ack();
    assertNull(channel.getCmEvent(0), "the end that failed hears no more");
  }

  @Test
  void aRejectionTellsReasonAndBytesAndStopsTheQueuePair() {
    listening(PortSpace.TCP);
    CmId active = resolved(PortSpace.TCP);
    active.createQp(null, new QpInitAttr());
    active.connect(new ConnParam());
    try (CmEvent request = take(CmEvent.ConnectRequest.class)) {
      request.id().reject(new byte[] {7});
    }
    try (CmEvent.Rejected rejected = take(CmEvent.Rejected.class)) {
      assertEquals(RejectReason.CONSUMER_DEFINED, rejected.reason().orElseThrow());
      assertArrayEquals(Arrays.copyOf(new byte[] {7}, 148), rejected.privateData());
      assertTrue(rejected.toString().startsWith("REJECTED CONSUMER_DEFINED of id TCP"));
    }
    assertEquals("qpState=ERR", states().getLast());
  }

  @Test
  void aDatagramServiceIsFoundAndItsQueuePairIsReadyAtOnce() {
    listening(PortSpace.UDP);
    CmId active = resolved(PortSpace.UDP);
    active.createQp(null, new QpInitAttr().qpType(QpType.UD));
    assertEquals(List.of("qpState=INIT", "qpState=RTR", "qpState=RTS, sqPsn=0x0"), states());
    active.connect(new ConnParam().privateData(new byte[180]));
    CmEvent request = take(CmEvent.ConnectRequest.class);
    request.ack();
    assertEquals(180, request.privateData().length);
    CmId service = request.id();
    service.createQp(null, new QpInitAttr().qpType(QpType.UD));
    service.accept(new ConnParam());
    try (CmEvent established = take(CmEvent.Established.class)) {
      assertEquals(service.qp().qpNum(), established.ud().qpNum());
      assertEquals(UdParam.QKEY, established.ud().qkey());
    }
    refused(Errno.EINVAL, () -> active.createQp(null, new QpInitAttr().qpType(QpType.UD)));
  }

  @Test
  void synchronousIdsWaitAndEndpointsHaveQueuePairs() {
    AddrInfo passive =
        AddrInfo.resolve("127.0.0.1", "7471", new AddrInfo().flags(AddrInfo.PASSIVE));
    CmId listener = cm.createEp(passive, null, new QpInitAttr());
    listener.listen(8);
    AddrInfo there = AddrInfo.resolve("127.0.0.1", "7471", null);
    CmId active = cm.createEp(there.connect(new byte[] {9}), null, new QpInitAttr());
    Thread server =
        Thread.ofPlatform()
            .start(
                () -> {
                  CmId passiveId = listener.getRequest();
                  assertEquals(9, passiveId.event().privateData()[0]);
                  assertNotNull(passiveId.qp());
                  passiveId.accept(new ConnParam());
                });
    active.connect(new ConnParam());
    assertInstanceOf(CmEvent.Established.class, active.event());
    join(server);
    active.disconnect();
    refused(Errno.EINVAL, () -> resolvedNowhere(PortSpace.TCP).getRequest());
    refused(Errno.EINVAL, active::getRequest); // it would wait for ever
  }

  private CmId resolvedNowhere(PortSpace ps) {
    return channel.createId(ps);
  }

  private static void join(Thread thread) {
    try {
      thread.join(10_000);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertTrue(!thread.isAlive(), "the server has not ended");
  }

  @Test
  void whatASynchronousCallComesToIsItsErrno() {
    CmId id = cm.createId(PortSpace.TCP);
    refused(
        Errno.ENETUNREACH, () -> id.resolveAddr(null, new InetSocketAddress("192.0.2.1", 1), 2000));
    id.resolveAddr(null, THERE, 2000);
    id.resolveRoute(2000);
    refused(Errno.ECONNREFUSED, () -> id.connect(new ConnParam()));
    CmEvent.Rejected rejected = assertInstanceOf(CmEvent.Rejected.class, id.event());
    assertEquals(RejectReason.INVALID_SERVICE_ID, rejected.reason().orElseThrow());
  }

  @Test
  void migratingTakesWaitingEventsAlong() {
    CmId id = channel.createId(PortSpace.TCP);
    id.resolveAddr(null, THERE, 2000);
    id.migrate(null);
    assertNull(channel.getCmEvent(0));
    assertInstanceOf(CmEvent.AddrResolved.class, id.channel().getCmEvent(0));
    refused(Errno.EINVAL, () -> id.migrate(null));
    refused(Errno.EDEADLK, () -> id.migrate(channel));
  }

  @Test
  void anIdMigratesToAnOpenChannelOfItsConnectionManager() {
    CmId id = channel.createId(PortSpace.TCP);
    EventChannel gone = cm.createEventChannel();
    gone.close();
    refused(Errno.EINVAL, () -> id.migrate(gone));
    try (RdmaCm other = RdmaCm.open(provider.context)) {
      refused(Errno.EINVAL, () -> id.migrate(other.createEventChannel()));
    }
    assertSame(channel, id.channel());
    refused(Errno.EINVAL, () -> RdmaCm.open((Context) null));
  }

  @Test
  void closingWaitsForAcknowledgementsButNotForItsOwnThread() throws InterruptedException {
    CmId id = channel.createId(PortSpace.TCP);
    id.resolveAddr(null, THERE, 2000);
    CmEvent event = take(CmEvent.AddrResolved.class);
    refused(Errno.EDEADLK, id::close);
    Thread closer = Thread.ofPlatform().start(id::close);
    closer.join(50);
    assertTrue(closer.isAlive());
    event.ack();
    event.ack();
    closer.join(10_000);
    assertTrue(!closer.isAlive());
    refused(Errno.EINVAL, () -> id.createQp(null, new QpInitAttr()));
  }

  /** As in librdmacm the debt of a request is the listener's. */
  @Test
  void aListenerWaitsForTheAcknowledgementOfItsRequests() throws InterruptedException {
    CmId listener = listening(PortSpace.TCP);
    CmId active = resolved(PortSpace.TCP);
    active.connect(new ConnParam());
    CmEvent request = take(CmEvent.ConnectRequest.class);
    request.id().close();
    Thread closer = Thread.ofPlatform().start(listener::close);
    closer.join(50);
    assertTrue(closer.isAlive());
    request.ack();
    closer.join(10_000);
    assertTrue(!closer.isAlive());
  }

  @Test
  void memoryIsRegisteredForWhatItIsForAndNoMore() {
    CmId id = resolved(PortSpace.TCP);
    MemorySegment memory = MemorySegment.ofArray(new long[1]);
    List<Integer> rights =
        List.of(
            AccessFlags.LOCAL_WRITE,
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ,
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE);
    provider.verbs.calls.clear();
    RdmaVerbs.regMsgs(id, memory);
    RdmaVerbs.regRead(id, memory);
    RdmaVerbs.regWrite(id, memory);
    assertEquals(
        rights.stream()
            .map(access -> "PD 1 registerMemory [" + memory + ", " + access + "]")
            .toList(),
        provider.verbs.calls);
  }

  @Test
  void whatItPostedWithGoesWithTheId() {
    CmId id = resolved(PortSpace.TCP);
    id.createQp(null, new QpInitAttr());
    List<SendRequestList> filled = new ArrayList<>();
    id.postings().send(filled::add);
    id.close();
    refused(Errno.EINVAL, () -> filled.getFirst().clear().add());
  }

  @Test
  void aChannelWithIdsIsBusyAndTellsItsHook() {
    AtomicInteger told = new AtomicInteger();
    channel.onEvent(told::incrementAndGet);
    CmId id = channel.createId(PortSpace.TCP);
    assertEquals(
        channel + " is used by 1 id (" + id + "): close that first",
        refused(Errno.EBUSY, channel::close).remedy());
    id.resolveAddr(null, THERE, 2000);
    assertEquals(1, told.get());
    id.close();
    channel.close();
  }

  @Test
  void queuesThatTheLibraryMadeGoWithTheId() {
    CmId id = resolved(PortSpace.TCP);
    id.createSrq(null, new SrqInitAttr(4, 1));
    QpInitAttr attr = new QpInitAttr();
    id.createQp(null, attr);
    assertNull(attr.sendCq(), "the program's attributes stay as they were");
    assertSame(id.srq(), id.qp().srq());
    assertNotNull(id.sendCq());
    assertNotNull(id.recvCqChannel());
    assertNotNull(id.pd());
    refused(Errno.EINVAL, () -> id.createQp(null, attr));
    id.destroyQp();
    assertNull(id.sendCq());
    id.createQp(null, attr);
    id.close();
    assertEquals(1, provider.verbs.open.size(), "the default domain alone");
  }

  @Test
  void aGroupIsAttachedAndLeft() {
    CmId id = resolved(PortSpace.UDP);
    id.createQp(null, new QpInitAttr().qpType(QpType.UD));
    id.joinMulticast(GROUP, "mine");
    try (CmEvent joined = take(CmEvent.MulticastJoin.class)) {
      assertEquals("mine", joined.joinContext());
      assertEquals(0xFFFFFF, joined.ud().qpNum());
    }
    assertEquals(
        1, provider.verbs.calls.stream().filter(c -> c.contains("attachMulticast")).count());
    id.leaveMulticast(GROUP);
    assertEquals(
        1, provider.verbs.calls.stream().filter(c -> c.contains("detachMulticast")).count());
    refused(Errno.EADDRNOTAVAIL, () -> id.leaveMulticast(GROUP));
    id.joinMulticast(GROUP, JoinFlag.SENDONLY_FULLMEMBER, null);
    take(CmEvent.MulticastJoin.class).ack();
    assertEquals(
        1, provider.verbs.calls.stream().filter(c -> c.contains("attachMulticast")).count());
  }

  @Test
  void aGroupThatWasJoinedTwiceIsHeardUntilItIsLeftTwice() {
    CmId id = resolved(PortSpace.UDP);
    id.createQp(null, new QpInitAttr().qpType(QpType.UD));
    for (String context : List.of("first", "second")) {
      id.joinMulticast(GROUP, context);
      assertEquals(context, take(CmEvent.MulticastJoin.class).joinContext());
    }
    id.leaveMulticast(GROUP);
    assertEquals(
        0, provider.verbs.calls.stream().filter(c -> c.contains("detachMulticast")).count());
    id.leaveMulticast(GROUP);
    assertEquals(
        1, provider.verbs.calls.stream().filter(c -> c.contains("detachMulticast")).count());
    refused(Errno.EADDRNOTAVAIL, () -> id.leaveMulticast(GROUP));
  }

  /** Each dropped report costs its time of the one limit. */
  @Test
  void aTimeoutHoldsForTheWholeWait() {
    CmId gone = channel.createId(PortSpace.TCP);
    gone.close();
    long beganNs = 1000;
    long[] nowNs = {beganNs};
    ProviderChannel busy =
        new ProviderChannel() {
          @Override
          public ProviderId createId(PortSpace ps, QpType qpType) {
            throw new AssertionError();
          }

          @Override
          public ProviderReport take(long timeoutNs) {
            assertTrue(nowNs[0] < beganNs + 95, "the time is over");
            if (timeoutNs < 10) {
              nowNs[0] += timeoutNs;
              return null;
            }
            nowNs[0] += 10;
            return ProviderReport.of(CmEventType.TIMEWAIT_EXIT, gone.provided(), 0);
          }

          @Override
          public long nowNs() {
            return nowNs[0];
          }

          @Override
          public void onEvent(Runnable hook) {}

          @Override
          public void close() {}
        };
    assertNull(new EventChannel(cm, busy).getCmEvent(95));
    assertEquals(95, nowNs[0] - beganNs);
  }

  @Test
  void aGroupThatWasLeftMeanwhileIsNotAttached() {
    CmId id = resolved(PortSpace.UDP);
    id.createQp(null, new QpInitAttr().qpType(QpType.UD));
    id.joinMulticast(GROUP, "mine");
    id.leaveMulticast(GROUP);
    take(CmEvent.MulticastJoin.class).ack();
    assertEquals(
        0, provider.verbs.calls.stream().filter(c -> c.contains("attachMulticast")).count());
  }

  @Test
  void badCallsAreRefusedInWords() {
    CmId unbound = channel.createId(PortSpace.TCP);
    List<Consumer<CmId>> invalid =
        List.of(
            id -> id.connect(new ConnParam()),
            id -> id.createQp(null, new QpInitAttr()),
            id -> id.resolveRoute(0),
            id -> id.resolveAddr(null, THERE, -1),
            id -> id.resolveAddr(null, InetSocketAddress.createUnresolved("x", 1), 1),
            id -> id.setOption(CmOption.TOS, 256),
            id -> id.bindAddr(null));
    invalid.forEach(call -> refused(Errno.EINVAL, () -> call.accept(unbound)));
    refused(Errno.ENOSYS, () -> unbound.setOption(CmOption.IB_PATH, 1));
    CmId id = resolved(PortSpace.TCP);
    refused(Errno.EINVAL, () -> id.connect(new ConnParam().privateData(new byte[57])));
    refused(Errno.EINVAL, () -> id.connect(new ConnParam().initiatorDepth(17)));
    refused(Errno.EINVAL, () -> id.connect(new ConnParam().initiatorDepth(-1)));
    refused(Errno.EINVAL, () -> id.connect(new ConnParam().retryCount(-1)));
    refused(Errno.EINVAL, () -> id.connect(new ConnParam().rnrRetryCount(256)));
    refused(Errno.EINVAL, () -> id.connect(new ConnParam().qpNum(0x100_0000)));
    refused(Errno.EINVAL, () -> id.accept(new ConnParam().privateData(new byte[197])));
    refused(Errno.EINVAL, () -> id.reject(new byte[149]));
    refused(Errno.EINVAL, () -> id.reject(RejectReason.TIMEOUT, new byte[0]));
    CmId datagrams = resolved(PortSpace.UDP);
    refused(Errno.EINVAL, () -> datagrams.connect(new ConnParam().privateData(new byte[181])));
    refused(Errno.EINVAL, () -> datagrams.accept(new ConnParam().privateData(new byte[137])));
    refused(Errno.EINVAL, () -> datagrams.reject(new byte[137]));
    refused(Errno.EINVAL, () -> id.createQp(null, new QpInitAttr().qpType(QpType.UD)));
    id.createQp(null, new QpInitAttr());
    refused(Errno.EINVAL, id::establish);
  }
}
