package org.roce4j.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;
import static org.roce4j.manual.AnswerSteps.refused;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/**
 * The manual of librdmacm, 1.3 and 1.4: the client's twenty steps and the server's eighteen. Each
 * is a test with the step's number and call in its name, in an order that both sides can follow.
 */
@DisplayName("The steps of a client and of a server")
@Timeout(60)
class ConnectionStepsTest {
  private static final String PORT = "7471";
  private static final int TIMEOUT_MS = 2000;

  @EmulatedRdma
  @TestFactory
  List<DynamicTest> inVirtualTime(Context client, Context server) {
    return new Steps(client, server).all();
  }

  @EmulatedRdma(transport = "netty")
  @TestFactory
  List<DynamicTest> overSockets(Context client, Context server) {
    return new Steps(client, server).all();
  }

  private static final class Steps {
    private final List<DynamicTest> steps = new ArrayList<>();
    private final Arena arena = Arena.ofAuto();
    private final RdmaCm here;
    private final RdmaCm there;
    private final String address;
    private AddrInfo info;
    private EventChannel clients;
    private EventChannel servers;
    private CmId client;
    private CmId listener;
    private CmId accepted;
    private CmEvent event;
    private MemoryRegion received;

    Steps(Context client, Context server) {
      here = RdmaCm.open(client);
      there = RdmaCm.open(server);
      address = server.queryGid(1, 0).addressText();
    }

    List<DynamicTest> all() {
      serverListens();
      clientCalls();
      serverAccepts();
      clientIsConnected();
      serverIsConnected();
      transfer();
      clientDisconnects();
      serverDisconnects();
      clientEnds();
      serverEnds();
      return steps;
    }

    private void server(int number, String call, Executable does) {
      steps.add(dynamicTest("server %2d: %s".formatted(number, call), does));
    }

    private void client(int number, String call, Executable does) {
      steps.add(dynamicTest("client %2d: %s".formatted(number, call), does));
    }

    private void takes(EventChannel from, Class<? extends CmEvent> type, CmId of) {
      event = assertInstanceOf(type, from.getCmEvent());
      if (of != null) {
        assertSame(of, event.id());
      }
    }

    private void acknowledges() {
      event.ack();
    }

    private static QpInitAttr queuePair() {
      return new QpInitAttr().cap(new QpCapabilities(1, 1, 1, 1)).sqSigAll(true);
    }

    private void serverListens() {
      server(1, "rdma_create_event_channel", () -> servers = there.createEventChannel());
      server(2, "rdma_create_id", () -> listener = servers.createId(PortSpace.TCP));
      server(
          3,
          "rdma_bind_addr",
          () -> {
            InetSocketAddress at = new InetSocketAddress(address, Integer.parseInt(PORT));
            listener.bindAddr(at);
            assertEquals(at, listener.localAddr());
          });
      server(4, "rdma_listen", () -> listener.listen(1));
    }

    private void clientCalls() {
      client(
          1,
          "rdma_getaddrinfo",
          () -> {
            info = AddrInfo.resolve(address, PORT, null);
            assertEquals(Integer.parseInt(PORT), info.dstAddr().getPort());
          });
      client(2, "rdma_create_event_channel", () -> clients = here.createEventChannel());
      client(3, "rdma_create_id", () -> client = clients.createId(PortSpace.TCP));
      client(4, "rdma_resolve_addr", () -> client.resolveAddr(null, info.dstAddr(), TIMEOUT_MS));
      client(
          5,
          "rdma_get_cm_event: ADDR_RESOLVED",
          () -> takes(clients, CmEvent.AddrResolved.class, client));
      client(6, "rdma_ack_cm_event", this::acknowledges);
      client(
          7,
          "rdma_create_qp",
          () -> {
            client.createQp(null, queuePair());
            assertEquals(QpState.INIT, client.qp().state());
          });
      client(8, "rdma_resolve_route", () -> client.resolveRoute(TIMEOUT_MS));
      client(
          9,
          "rdma_get_cm_event: ROUTE_RESOLVED",
          () -> takes(clients, CmEvent.RouteResolved.class, client));
      client(10, "rdma_ack_cm_event", this::acknowledges);
      client(11, "rdma_connect", () -> client.connect(new ConnParam()));
    }

    private void serverAccepts() {
      server(
          5,
          "rdma_get_cm_event: CONNECT_REQUEST",
          () -> {
            takes(servers, CmEvent.ConnectRequest.class, null);
            accepted = event.id();
            assertNotEquals(listener, accepted);
            assertNotNull(accepted.verbs());
          });
      server(
          6,
          "rdma_create_qp",
          () -> {
            accepted.createQp(null, queuePair());
            received = RdmaVerbs.regMsgs(accepted, arena.allocate(16));
            RdmaVerbs.postRecv(accepted, 1, received.memory(), received);
          });
      server(7, "rdma_accept", () -> accepted.accept(new ConnParam()));
      server(8, "rdma_ack_cm_event", this::acknowledges);
    }

    private void clientIsConnected() {
      client(
          12,
          "rdma_get_cm_event: ESTABLISHED",
          () -> {
            takes(clients, CmEvent.Established.class, client);
            assertEquals(QpState.RTS, client.qp().state());
          });
      client(13, "rdma_ack_cm_event", this::acknowledges);
    }

    private void serverIsConnected() {
      server(
          9,
          "rdma_get_cm_event: ESTABLISHED",
          () -> {
            takes(servers, CmEvent.Established.class, accepted);
            assertEquals(QpState.RTS, accepted.qp().state());
          });
      server(10, "rdma_ack_cm_event", this::acknowledges);
    }

    private void transfer() {
      client(
          14,
          "RDMA verbs: a message is sent",
          () -> {
            MemoryRegion sent = RdmaVerbs.regMsgs(client, arena.allocateFrom("hello"));
            RdmaVerbs.postSend(client, 2, sent.memory(), sent, 0);
            WorkCompletions completion = new WorkCompletions(arena, 1);
            RdmaVerbs.getSendComp(client, completion);
            assertEquals(WcStatus.SUCCESS, completion.status(0));
            sent.close();
          });
      server(
          11,
          "RDMA verbs: the message is received",
          () -> {
            WorkCompletions completion = new WorkCompletions(arena, 1);
            RdmaVerbs.getRecvComp(accepted, completion);
            assertEquals(WcStatus.SUCCESS, completion.status(0));
            assertEquals("hello", received.memory().getString(0));
            received.close();
          });
    }

    private void clientDisconnects() {
      client(15, "rdma_disconnect", () -> client.disconnect());
    }

    private void serverDisconnects() {
      server(
          12,
          "rdma_get_cm_event: DISCONNECTED",
          () -> takes(servers, CmEvent.Disconnected.class, accepted));
      server(13, "rdma_ack_cm_event", this::acknowledges);
      server(14, "rdma_disconnect", () -> accepted.disconnect());
    }

    private void clientEnds() {
      client(
          16,
          "rdma_get_cm_event: DISCONNECTED",
          () -> {
            takes(clients, CmEvent.Disconnected.class, client);
            assertEquals(QpState.ERR, client.qp().state());
          });
      client(17, "rdma_ack_cm_event", this::acknowledges);
      client(18, "rdma_destroy_qp", () -> client.destroyQp());
      client(19, "rdma_destroy_id", () -> client.close());
      client(20, "rdma_destroy_event_channel", () -> clients.close());
    }

    private void serverEnds() {
      server(15, "rdma_destroy_qp", () -> accepted.destroyQp());
      server(16, "rdma_destroy_id: of the connection", () -> accepted.close());
      server(
          17,
          "rdma_destroy_id: of the listener",
          () -> {
            listener.close();
            refused(Errno.EINVAL, () -> listener.listen(1));
          });
      server(18, "rdma_destroy_event_channel", () -> servers.close());
    }
  }
}
