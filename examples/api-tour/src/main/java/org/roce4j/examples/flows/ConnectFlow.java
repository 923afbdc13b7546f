package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/**
 * Flows 21, 22 and 25: the client's twenty steps and the server's eighteen of librdmacm's manual,
 * and the seven of each of the other manual, which are those that connect.
 */
final class ConnectFlow {
  private static final String SERVICE = "7472";
  private static final int TIMEOUT_MS = 2000;
  private static final int BYTES = 64;

  private final boolean wholeStory;
  private final List<String> client = new ArrayList<>();
  private final List<String> server = new ArrayList<>();
  private final CompletableFuture<Void> listening = new CompletableFuture<>();

  private ConnectFlow(boolean wholeStory) {
    this.wholeStory = wholeStory;
  }

  static void run(List<RdmaDevice> devices, PrintStream out) {
    new ConnectFlow(true).play(devices, out);
  }

  /** Without data and without a disconnection. */
  static void shortRun(List<RdmaDevice> devices, PrintStream out) {
    new ConnectFlow(false).play(devices, out);
  }

  private void play(List<RdmaDevice> devices, PrintStream out) {
    try (Context near = devices.get(0).open();
        Context far = devices.get(1).open()) {
      InetAddress address = far.queryGid(1, 0).toInetAddress();
      CompletableFuture<Void> served =
          Peers.start("flow-server", () -> serve(far, new InetSocketAddress(address, port())));
      listening.join();
      CompletableFuture<Void> called =
          Peers.start("flow-client", () -> call(near, address.getHostAddress()));
      called.join();
      served.join();
    }
    client.forEach(line -> out.println("client: " + line));
    server.forEach(line -> out.println("server: " + line));
  }

  private static int port() {
    return Integer.parseInt(SERVICE);
  }

  private void call(Context device, String host) {
    AddrInfo there = AddrInfo.resolve(host, SERVICE, null); // 1. rdma_getaddrinfo
    try (RdmaCm cm = RdmaCm.open(device)) {
      EventChannel channel = cm.createEventChannel(); // 2. rdma_create_event_channel
      CmId id = channel.createId(PortSpace.TCP); // 3. rdma_create_id
      id.resolveAddr(null, there.dstAddr(), TIMEOUT_MS); // 4. rdma_resolve_addr
      take(channel, CmEventType.ADDR_RESOLVED, client); // 5. and 6.
      id.createQp(null, queuePair()); // 7. rdma_create_qp
      id.resolveRoute(TIMEOUT_MS); // 8. rdma_resolve_route
      take(channel, CmEventType.ROUTE_RESOLVED, client); // 9. and 10.
      id.connect(new ConnParam()); // 11. rdma_connect
      take(channel, CmEventType.ESTABLISHED, client); // 12. and 13.
      if (wholeStory) {
        try (Message message = new Message(id)) { // 14. data
          message.memory.setString(0, "hello");
          RdmaVerbs.postSend(id, 1, message.memory, message.region, 0);
          RdmaVerbs.getSendComp(id, message.completion);
          message.demandSuccess();
        }
        id.disconnect(); // 15. rdma_disconnect
        take(channel, CmEventType.DISCONNECTED, client); // 16. and 17.
      }
      id.destroyQp(); // 18. rdma_destroy_qp
      id.close(); // 19. rdma_destroy_id
      channel.close(); // 20. rdma_destroy_event_channel
    }
  }

  private void serve(Context device, InetSocketAddress address) {
    try (RdmaCm cm = RdmaCm.open(device)) {
      EventChannel channel = cm.createEventChannel(); // 1. rdma_create_event_channel
      CmId listener = channel.createId(PortSpace.TCP); // 2. rdma_create_id
      listener.bindAddr(address); // 3. rdma_bind_addr
      listener.listen(1); // 4. rdma_listen
      listening.complete(null);
      CmEvent request = channel.getCmEvent(); // 5. rdma_get_cm_event
      demand(request, CmEventType.CONNECT_REQUEST, server);
      CmId id = request.id();
      id.createQp(null, queuePair()); // 6. rdma_create_qp
      Message message = new Message(id);
      RdmaVerbs.postRecv(id, 1, message.memory, message.region);
      id.accept(new ConnParam()); // 7. rdma_accept
      request.ack(); // 8. rdma_ack_cm_event
      take(channel, CmEventType.ESTABLISHED, server); // 9. and 10.
      if (wholeStory) {
        RdmaVerbs.getRecvComp(id, message.completion); // 11. data
        message.demandSuccess();
        server.add("received '" + message.memory.getString(0) + "'");
      }
      take(channel, CmEventType.DISCONNECTED, server); // 12. and 13.
      id.disconnect(); // 14. rdma_disconnect
      id.destroyQp(); // 15. rdma_destroy_qp
      message.close();
      id.close(); // 16. rdma_destroy_id
      listener.close(); // 17. rdma_destroy_id
      channel.close(); // 18. rdma_destroy_event_channel
    } catch (RuntimeException | Error e) {
      listening.completeExceptionally(e);
      throw e;
    }
  }

  private static QpInitAttr queuePair() {
    return new QpInitAttr().cap(new QpCapabilities(1, 1, 1, 1)).sqSigAll(true);
  }

  /** rdma_get_cm_event and rdma_ack_cm_event. */
  private static void take(EventChannel channel, CmEventType wanted, List<String> story) {
    try (CmEvent event = channel.getCmEvent()) {
      demand(event, wanted, story);
    }
  }

  private static void demand(CmEvent event, CmEventType wanted, List<String> story) {
    if (event.type() != wanted) {
      throw new IllegalStateException(event.toString());
    }
    story.add(wanted.toString());
  }

  /** Registered memory of a message. */
  private static final class Message implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory = arena.allocate(BYTES);
    private final MemoryRegion region;
    private final WorkCompletions completion = new WorkCompletions(arena, 1);

    Message(CmId id) {
      region = RdmaVerbs.regMsgs(id, memory); // rdma_reg_msgs
    }

    void demandSuccess() {
      if (completion.status(0) != WcStatus.SUCCESS) {
        throw new IllegalStateException(completion.toString(0));
      }
    }

    @Override
    public void close() {
      region.close(); // rdma_dereg_mr
      arena.close();
    }
  }
}
