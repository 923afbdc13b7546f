package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;

/** What a call of an id has come to: its event, its errno, and the words. */
@Timeout(30)
class OutcomesOfCallsTest {
  private static final int PORT = 7471;
  private static final InetSocketAddress THERE = new InetSocketAddress("127.0.0.1", PORT);

  private final LoopbackProvider provider = new LoopbackProvider();
  private final RdmaCm cm = RdmaCm.open(provider.context);
  private final EventChannel channel = cm.createEventChannel();
  private final CmId id = cm.createId(PortSpace.TCP);

  @AfterEach
  void close() {
    cm.close();
    assertEquals(List.of(), provider.verbs.open);
  }

  private CmEvent event(CmEventType type, int status) {
    ProviderReport report = new ProviderReport(type, id.provided(), null, status, null, null, null);
    CmEventDebt.Entry debt = new CmEventDebt().delivered();
    return CmEvent.of(type, new ReportedEvent(report, id, null, status, debt));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ADDR_ERROR      | -101   | ENETUNREACH  | ",
        "ROUTE_ERROR     | -110   | ETIMEDOUT    | ",
        "UNREACHABLE     | -110   | ETIMEDOUT    | : does the peer listen at that address?",
        "UNREACHABLE     | 22     | EINVAL       | : does the peer listen at that address?",
        "CONNECT_ERROR   | -99999 | EIO          | ",
        "REJECTED        | 0      | ECONNREFUSED | : event() has the peer's private data",
        "REJECTED        | 28     | ECONNREFUSED | : event() has the peer's private data",
        "REJECTED        | 8      | ECONNREFUSED | : nobody listens at that port",
        "DEVICE_REMOVAL  | 0      | ENODEV       | : its context was closed",
        "MULTICAST_ERROR | -22    | EINVAL       | "
      })
  void failure(CmEventType type, int status, Errno errno, String words) {
    CmEvent event = event(type, status);
    VerbsException told = refused(errno, () -> id.delivery().checkOutcome(event));
    assertEquals(event + (words == null ? "" : words), told.remedy());
  }

  @ParameterizedTest
  @CsvSource({"ESTABLISHED", "ADDR_RESOLVED", "ROUTE_RESOLVED", "DISCONNECTED", "MULTICAST_JOIN"})
  void success(CmEventType type) {
    id.delivery().checkOutcome(event(type, 0));
  }

  /** An event that was replaced is acknowledged, so that its id can be closed. */
  @Test
  void eventOfTheCallBefore() {
    id.resolveAddr(null, THERE, 2000);
    CmEvent before = id.event();
    id.delivery().keep(event(CmEventType.ADDR_RESOLVED, 0));
    assertNotNull(before);
    id.delivery().debt().checkNotOwn();
    id.resolveRoute(2000);
    assertInstanceOf(CmEvent.RouteResolved.class, id.event());
    CompletableFuture.runAsync(id::close).orTimeout(10, TimeUnit.SECONDS).join();
  }

  /** The id of a request is synchronous if its listener is. */
  @Test
  void disconnectingWaitsWhereThereIsAConnection() throws Exception {
    CmId listener = cm.createId(PortSpace.TCP);
    listener.bindAddr(THERE);
    listener.listen(0);
    id.resolveAddr(null, THERE, 2000);
    id.resolveRoute(2000);
    id.createQp(null, new QpInitAttr());
    CompletableFuture<CmId> accepted =
        CompletableFuture.supplyAsync(
            () -> {
              CmId request = listener.getRequest();
              assertTrue(request.delivery().synchronous());
              request.accept(new ConnParam().qpNum(5));
              return request;
            });
    id.connect(new ConnParam());
    CmId passive = accepted.get(10, TimeUnit.SECONDS);
    assertInstanceOf(CmEvent.Established.class, passive.event());
    id.disconnect();
    assertInstanceOf(CmEvent.Disconnected.class, id.event());
    passive.disconnect();
    assertInstanceOf(CmEvent.Disconnected.class, passive.event());
  }

  /** Without a queue pair the program itself establishes the connection, which then stands. */
  @Test
  void establishedConnectionStandsAtBothEnds() {
    CmId listener = channel.createId(PortSpace.TCP);
    listener.bindAddr(THERE);
    listener.listen(0);
    CmId active = channel.createId(PortSpace.TCP);
    active.resolveAddr(null, THERE, 2000);
    channel.getCmEvent(0).ack();
    active.connect(new ConnParam());
    CmId passive = channel.getCmEvent(0).id();
    passive.accept(new ConnParam());
    channel.getCmEvent(0).ack();
    assertFalse(active.handshake().standing());
    active.establish();
    assertTrue(active.handshake().standing());
    channel.getCmEvent(0).ack();
    assertTrue(passive.handshake().standing());
    active.disconnect();
    channel.getCmEvent(0).ack();
    channel.getCmEvent(0).ack();
    assertFalse(active.handshake().standing());
    assertFalse(passive.handshake().standing());
    cm.idsOf(channel).forEach(each -> each.delivery().debt().abandon());
  }

  @Test
  void queuePairLeavesItsGroupsFirst() {
    CmId member = channel.createId(PortSpace.UDP);
    member.resolveAddr(null, THERE, 2000);
    channel.getCmEvent(0).ack();
    QpInitAttr attr = new QpInitAttr().qpType(QpType.UD);
    for (Runnable end : List.<Runnable>of(member::destroyQp, member::close)) {
      member.createQp(null, attr);
      member.joinMulticast(InetAddress.ofLiteral("239.1.2.3"), null);
      channel.getCmEvent(0).ack();
      provider.verbs.calls.clear();
      end.run();
      assertEquals(
          1, provider.verbs.calls.stream().filter(c -> c.contains("detachMulticast")).count());
    }
    assertNull(member.qp());
  }

  /** An id that moves waits for the events that were taken from its channel before. */
  @Test
  void migratingWaitsForAcknowledgements() {
    CmId moving = channel.createId(PortSpace.TCP);
    moving.resolveAddr(null, THERE, 2000);
    CmEvent owed = channel.getCmEvent(0);
    EventChannel other = cm.createEventChannel();
    CompletableFuture<Void> moved = new CompletableFuture<>();
    Thread mover =
        Thread.ofPlatform()
            .start(
                () -> {
                  moving.migrate(other);
                  moved.complete(null);
                });
    while (mover.getState() != Thread.State.WAITING && !moved.isDone()) {
      Thread.onSpinWait();
    }
    assertFalse(moved.isDone(), "an event is owed");
    owed.ack();
    moved.orTimeout(10, TimeUnit.SECONDS).join();
    assertEquals(other, moving.channel());
  }
}
