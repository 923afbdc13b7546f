package org.roce4j.conformance.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/** The purposes of the connection manager's calls, each used as its manual describes it. */
public final class ConnectionCallTable extends RowTable {
  private static final String SOURCE = "the manual of librdmacm";
  private static final int PORT = 7472;
  private static final int TIMEOUT_MS = 2000;
  private static final int SIZE = 64;
  private static final int GRH = 40;
  private static final int SIGNALED = SendFlags.SIGNALED;
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.9.8.7");

  private ConnectionCallTable() {
    super("CMC-", SOURCE);
  }

  /** All rows. */
  @Covers({
    "rdma_create_event_channel",
    "rdma_destroy_event_channel",
    "rdma_create_id",
    "rdma_destroy_id",
    "rdma_get_devices",
    "rdma_free_devices",
    "rdma_bind_addr",
    "rdma_listen",
    "rdma_resolve_addr",
    "rdma_resolve_route",
    "rdma_get_src_port",
    "rdma_get_dst_port",
    "rdma_get_local_addr",
    "rdma_get_peer_addr",
    "rdma_create_qp",
    "rdma_create_qp_ex",
    "rdma_destroy_qp",
    "rdma_create_srq",
    "rdma_create_srq_ex",
    "rdma_destroy_srq",
    "rdma_connect",
    "rdma_accept",
    "rdma_reject",
    "rdma_disconnect",
    "rdma_get_cm_event",
    "rdma_ack_cm_event",
    "rdma_event_str",
    "rdma_init_qp_attr",
    "rdma_establish",
    "rdma_notify",
    "rdma_set_option",
    "rdma_migrate_id",
    "rdma_getaddrinfo",
    "rdma_freeaddrinfo",
    "rdma_create_ep",
    "rdma_destroy_ep",
    "rdma_get_request",
    "rdma_reg_msgs",
    "rdma_reg_read",
    "rdma_reg_write",
    "rdma_dereg_mr",
    "rdma_post_recv",
    "rdma_post_recvv",
    "rdma_post_send",
    "rdma_post_sendv",
    "rdma_post_read",
    "rdma_post_readv",
    "rdma_post_write",
    "rdma_post_writev",
    "rdma_post_ud_send",
    "rdma_get_send_comp",
    "rdma_get_recv_comp",
    "rdma_join_multicast",
    "rdma_join_multicast_ex",
    "rdma_leave_multicast"
  })
  public static List<Row> rows() {
    ConnectionCallTable table = new ConnectionCallTable();
    table.ends("IDS", "ids belong to their channel, which they keep open", Ends::ids);
    table.ends("ADDRESSES", "an id tells its addresses and ports", Ends::addresses);
    table.ends(
        "QUEUES", "what is made for an id is connected with it, and goes with it", Ends::queues);
    table.ends("EXTENDED", "queues of an id have extended attributes, too", Ends::extended);
    table.ends("XRC", "an id connects a shared receive queue by its number", Ends::sharedQueue);
    table.ends("ENDS", "a connection that one end has left is over for both", Ends::leaves);
    table.ends("REJECTED", "the bytes of a rejection arrive", Ends::rejects);
    table.ends("OWN_QP", "a queue pair of the program's own is brought to RTS", Ends::ownQueuePair);
    table.ends("OPTIONS", "options are taken in their ranges", Ends::options);
    table.ends("MIGRATES", "an id moves with what it has not told", Ends::migrates);
    table.ends("ENDPOINTS", "endpoints connect in two calls on each side", Ends::endpoints);
    table.ends("MESSAGES", "messages of one piece and of several arrive", Ends::messages);
    table.ends("MEMORY", "remote memory is read and written", Ends::remoteMemory);
    table.ends("GROUP", "a member of a group receives a datagram", Ends::group);
    return table.rows;
  }

  private void ends(String id, String title, Consumer<Ends> check) {
    row(
        id,
        title,
        bench -> {
          bench.need(Capability.CONNECTION_MANAGER);
          try (RdmaCm calling = RdmaCm.open(bench.near().context());
              RdmaCm called = RdmaCm.open(bench.far().context())) {
            check.accept(new Ends(bench, calling, called));
          }
        });
  }

  /** A client at the near station and a server at the far one. */
  private static final class Ends {
    private final Bench bench;
    private final RdmaCm clientCm;
    private final RdmaCm serverCm;
    private final EventChannel client;
    private final EventChannel server;
    private final InetSocketAddress own;
    private final InetSocketAddress there;
    private final WorkCompletions completion = new WorkCompletions(1);
    private CmId active;
    private CmId passive;

    Ends(Bench bench, RdmaCm clientCm, RdmaCm serverCm) {
      this.bench = bench;
      this.clientCm = clientCm;
      this.serverCm = serverCm;
      client = clientCm.createEventChannel();
      server = serverCm.createEventChannel();
      own = new InetSocketAddress(bench.link().nearAddress().toInetAddress(), 0);
      there = new InetSocketAddress(bench.link().farAddress().toInetAddress(), PORT);
    }

    private <E extends CmEvent> E next(EventChannel channel, Class<E> type) {
      CmEvent event = channel.getCmEvent(Bench.SOON_NS + bench.link().patienceNs());
      Expect.that(type.isInstance(event), event + " where a " + type.getSimpleName() + " was due");
      event.ack();
      return type.cast(event);
    }

    private static QpInitAttr attr(QpType type) {
      return new QpInitAttr().qpType(type).cap(new QpCapabilities(8, 8, 2, 2)).sqSigAll(true);
    }

    private CmId listen() {
      CmId id = server.createId(PortSpace.TCP);
      id.bindAddr(there);
      id.listen(4);
      return id;
    }

    private CmId resolve(PortSpace ps) {
      CmId id = client.createId(ps);
      id.resolveAddr(null, there, TIMEOUT_MS);
      next(client, CmEvent.AddrResolved.class);
      id.resolveRoute(TIMEOUT_MS);
      next(client, CmEvent.RouteResolved.class);
      return id;
    }

    private void request(CmId listener) {
      Expect.that(listener != null, "nobody listens");
      active = resolve(PortSpace.TCP);
      active.createQp(null, attr(QpType.RC));
      active.connect(new ConnParam());
      passive = next(server, CmEvent.ConnectRequest.class).id();
    }

    private void connect() {
      request(listen());
      passive.createQp(null, attr(QpType.RC));
      passive.accept(new ConnParam());
      next(client, CmEvent.Established.class);
      next(server, CmEvent.Established.class);
    }

    private void sent() {
      forgetCompletion();
      RdmaVerbs.getSendComp(active, completion);
      Expect.equal("status", WcStatus.SUCCESS, completion.status(0));
    }

    private void received(CmId id) {
      forgetCompletion();
      RdmaVerbs.getRecvComp(id, completion);
      Expect.equal("status", WcStatus.SUCCESS, completion.status(0));
    }

    /** A call that returns without a completion leaves no status. */
    private void forgetCompletion() {
      completion.memory().fill((byte) -1);
    }

    void ids() {
      EventChannel channel = clientCm.createEventChannel();
      CmId id = channel.createId(PortSpace.TCP, "mine");
      Expect.equal("the context", "mine", id.userContext());
      Expect.equal("devices", 1, clientCm.devices().size());
      Expect.refused(Errno.EBUSY, channel::close);
      id.close();
      id.close();
      channel.close();
      Expect.refused(Errno.EINVAL, () -> id.listen(1));
    }

    void addresses() {
      CmId unbound = client.createId(PortSpace.TCP);
      Expect.equal("local address", null, unbound.localAddr());
      Expect.equal("peer's address", null, unbound.peerAddr());
      Expect.equal("source port", 0, unbound.srcPort());
      Expect.refused(Errno.EINVAL, () -> unbound.resolveRoute(TIMEOUT_MS));
      CmId listener = listen();
      Expect.equal("local address", there, listener.localAddr());
      CmId other = server.createId(PortSpace.TCP);
      Expect.refused(Errno.EADDRINUSE, () -> other.bindAddr(there));
      CmId id = resolve(PortSpace.TCP);
      Expect.equal("destination port", PORT, id.dstPort());
      Expect.equal("peer's address", there, id.peerAddr());
      Expect.equal("address", own.getAddress(), id.localAddr().getAddress());
      Expect.equal("port of the device", 1, id.portNum());
      Expect.equal("source port", id.localAddr().getPort(), id.srcPort());
      Expect.equal("device", bench.near().context(), id.verbs());
    }

    void queues() {
      CmId id = resolve(PortSpace.TCP);
      id.createSrq(null, new SrqInitAttr(4, 1));
      id.createQp(null, attr(QpType.RC));
      Expect.equal("state", QpState.INIT, id.qp().state());
      Expect.equal("shared receive queue", id.srq(), id.qp().srq());
      Expect.equal("completion queue", id.sendCq(), id.qp().sendCq());
      Expect.refused(Errno.EBUSY, id::destroySrq);
      id.destroyQp();
      id.destroySrq();
      Expect.equal("queue pair", null, id.qp());
      CmId datagrams = resolve(PortSpace.UDP);
      datagrams.createQp(null, attr(QpType.UD));
      Expect.equal("state", QpState.RTS, datagrams.qp().state());
    }

    void extended() {
      CmId id = resolve(PortSpace.TCP);
      id.createSrq(new SrqInitAttrEx().srqType(SrqType.BASIC).maxWr(4).maxSge(1));
      id.createQp(null, attr(QpType.RC).sendOps(SendOpsFlags.WITH_SEND));
      Expect.equal("shared receive queue", id.srq(), id.qp().srq());
      Expect.that(id.qp().builder() != null, "no builder");
    }

    void sharedQueue() {
      bench.needOfBoth(DeviceCapFlags.XRC);
      AddrInfo at = new AddrInfo().flags(AddrInfo.PASSIVE).portSpace(PortSpace.TCP).srcAddr(there);
      CmId listener = serverCm.createEp(at.qpType(QpType.XRC_RECV), null, attr(QpType.XRC_RECV));
      listener.listen(1);
      CompletableFuture<CmId> served =
          CompletableFuture.supplyAsync(
              () -> {
                CmId request = listener.getRequest();
                request.createSrq(new SrqInitAttrEx().srqType(SrqType.XRC).maxWr(2));
                request.accept(new ConnParam());
                return request;
              });
      AddrInfo to = AddrInfo.resolve(there.getAddress().getHostAddress(), "" + PORT, null);
      active = clientCm.createEp(to.qpType(QpType.XRC_SEND), null, attr(QpType.XRC_SEND));
      active.connect(new ConnParam());
      passive = served.join();
      Expect.equal("type", QpType.XRC_RECV, passive.qp().qpType());
      MemorySegment in = bench.far().memory(SIZE);
      MemorySegment out = bench.near().memory(SIZE);
      out.setString(0, "to a queue by number");
      try (MemoryRegion inMr = RdmaVerbs.regMsgs(passive, in);
          MemoryRegion outMr = RdmaVerbs.regMsgs(active, out);
          SendRequestList send = new SendRequestList(1, 1, 0)) {
        RdmaVerbs.postRecv(passive, 1, in, inMr);
        send.add().opcode(WrOpcode.SEND).flags(SIGNALED).sge(outMr, 0, SIZE);
        active.qp().postSendOrThrow(send.xrc(passive.srq().srqNum()));
        sent();
        received(passive);
        Expect.equal("what arrived", "to a queue by number", in.getString(0));
      }
      passive.destroyQp();
      Expect.that(passive.recvCq() != null, "receives of the shared queue complete there");
      passive.destroySrq();
    }

    void leaves() {
      connect();
      Expect.equal("state", QpState.RTS, active.qp().state());
      Expect.equal("state", QpState.RTS, passive.qp().state());
      passive.disconnect();
      CmEvent.Disconnected told = next(client, CmEvent.Disconnected.class);
      Expect.equal("id", active, told.id());
      Expect.equal("text", "RDMA_CM_EVENT_DISCONNECTED", told.type().text());
      active.disconnect();
      next(server, CmEvent.Disconnected.class);
      Expect.equal("state", QpState.ERR, active.qp().state());
    }

    void rejects() {
      request(listen());
      passive.reject(new byte[] {4, 2});
      byte[] said = next(client, CmEvent.Rejected.class).privateData();
      Expect.equal("bytes", "[4, 2, 0]", Arrays.toString(Arrays.copyOf(said, 3)));
      Expect.equal("length", 148, said.length);
    }

    void ownQueuePair() {
      Expect.that(listen() != null, "nobody listens");
      active = resolve(PortSpace.TCP);
      QueuePair mine = bench.near().qp(QpType.RC);
      active.connect(new ConnParam().qpNum(mine.qpNum()));
      passive = next(server, CmEvent.ConnectRequest.class).id();
      passive.createQp(null, attr(QpType.RC));
      passive.accept(new ConnParam());
      next(client, CmEvent.ConnectResponse.class);
      for (QpState state : List.of(QpState.INIT, QpState.RTR, QpState.RTS)) {
        mine.modify(active.initQpAttr(state));
      }
      active.establish();
      next(server, CmEvent.Established.class);
      Expect.refused(Errno.EISCONN, () -> passive.notify(EventType.COMM_EST));
    }

    void options() {
      CmId id = client.createId(PortSpace.TCP);
      id.setOption(CmOption.TOS, 32);
      id.setOption(CmOption.REUSEADDR, 1);
      id.setOption(CmOption.AFONLY, 1);
      id.setOption(CmOption.ACK_TIMEOUT, 20);
      Expect.refused(Errno.EINVAL, () -> id.setOption(CmOption.ACK_TIMEOUT, 32));
      CmId datagrams = client.createId(PortSpace.UDP);
      Expect.refused(Errno.EINVAL, () -> datagrams.setOption(CmOption.ACK_TIMEOUT, 20));
    }

    void migrates() {
      EventChannel other = clientCm.createEventChannel();
      CmId id = client.createId(PortSpace.TCP);
      id.resolveAddr(null, there, TIMEOUT_MS);
      id.migrate(other);
      Expect.equal("channel", other, id.channel());
      next(other, CmEvent.AddrResolved.class);
      id.migrate(null);
      id.resolveRoute(TIMEOUT_MS);
      Expect.that(id.event() instanceof CmEvent.RouteResolved, "the route is not resolved");
    }

    void endpoints() {
      String address = there.getAddress().getHostAddress();
      String port = String.valueOf(PORT);
      AddrInfo here = AddrInfo.resolve(address, port, new AddrInfo().flags(AddrInfo.PASSIVE));
      CmId listener = serverCm.createEp(here, null, attr(QpType.RC));
      listener.listen(1);
      CompletableFuture<CmId> served =
          CompletableFuture.supplyAsync(
              () -> {
                CmId request = listener.getRequest();
                Expect.that(request.qp() != null, "the endpoint's requests have no queue pair");
                request.accept(new ConnParam());
                return request;
              });
      AddrInfo to = AddrInfo.resolve(address, port, null);
      CmId id = clientCm.createEp(to, null, attr(QpType.RC));
      id.connect(new ConnParam());
      Expect.that(id.event() instanceof CmEvent.Established, "not connected");
      Expect.equal("state", QpState.RTS, served.join().qp().state());
    }

    void messages() {
      connect();
      MemorySegment out = bench.near().memory(SIZE);
      MemorySegment in = bench.far().memory(SIZE);
      try (MemoryRegion outMr = RdmaVerbs.regMsgs(active, out);
          MemoryRegion inMr = RdmaVerbs.regMsgs(passive, in)) {
        RdmaVerbs.postRecv(passive, 1, in.asSlice(0, 16), inMr);
        Sge first = new Sge(in.address() + 16, 8, inMr.lkey());
        RdmaVerbs.postRecvv(passive, 2, first, new Sge(in.address() + 32, 8, inMr.lkey()));
        out.setString(0, "one message");
        RdmaVerbs.postSend(active, 3, out.asSlice(0, 16), outMr, SIGNALED);
        sent();
        received(passive);
        Expect.equal("what arrived", "one message", in.getString(0));
        out.set(ValueLayout.JAVA_LONG, 0, 7);
        Sge half = new Sge(out.address(), 8, outMr.lkey());
        RdmaVerbs.postSendv(active, 4, SIGNALED, half, half);
        sent();
        received(passive);
        Expect.equal("what arrived", 7L, in.get(ValueLayout.JAVA_LONG, 16));
        Expect.equal("what arrived", 7L, in.get(ValueLayout.JAVA_LONG, 32));
      }
    }

    void remoteMemory() {
      connect();
      MemorySegment near = bench.near().memory(SIZE);
      MemorySegment source = bench.far().memory(SIZE);
      MemorySegment sink = bench.far().memory(SIZE);
      source.setString(0, "read me");
      try (MemoryRegion nearMr = RdmaVerbs.regMsgs(active, near);
          MemoryRegion sourceMr = RdmaVerbs.regRead(passive, source);
          MemoryRegion sinkMr = RdmaVerbs.regWrite(passive, sink)) {
        Sge all = new Sge(near.address(), SIZE, nearMr.lkey());
        RdmaVerbs.postRead(active, 1, near, nearMr, SIGNALED, sourceMr.iova(), sourceMr.rkey());
        sent();
        Expect.equal("what was read", "read me", near.getString(0));
        RdmaVerbs.postWrite(active, 2, near, nearMr, SIGNALED, sinkMr.iova(), sinkMr.rkey());
        sent();
        Expect.equal("what was written", "read me", sink.getString(0));
        source.setString(0, "again");
        RdmaVerbs.postReadv(active, 3, SIGNALED, sourceMr.iova(), sourceMr.rkey(), all);
        sent();
        RdmaVerbs.postWritev(active, 4, SIGNALED, sinkMr.iova(), sinkMr.rkey(), all);
        sent();
        Expect.equal("what was written", "again", sink.getString(0));
      }
    }

    private CmId joiner(RdmaCm cm, EventChannel channel, InetSocketAddress at) {
      Expect.equal("devices", 1, cm.devices().size());
      CmId id = channel.createId(PortSpace.UDP);
      id.resolveAddr(
          new InetSocketAddress(at.getAddress(), 0), new InetSocketAddress(GROUP, 0), TIMEOUT_MS);
      next(channel, CmEvent.AddrResolved.class);
      id.createQp(null, attr(QpType.UD));
      return id;
    }

    void group() {
      passive = joiner(serverCm, server, there);
      passive.joinMulticast(GROUP, "member");
      CmEvent.MulticastJoin member = next(server, CmEvent.MulticastJoin.class);
      Expect.equal("the context", "member", member.joinContext());
      active = joiner(clientCm, client, own);
      active.joinMulticast(GROUP, JoinFlag.FULLMEMBER, null);
      CmEvent.MulticastJoin joined = next(client, CmEvent.MulticastJoin.class);
      MemorySegment in = bench.far().memory(SIZE + GRH);
      MemorySegment out = bench.near().memory(SIZE);
      out.setString(0, "to all");
      try (MemoryRegion inMr = RdmaVerbs.regMsgs(passive, in);
          MemoryRegion outMr = RdmaVerbs.regMsgs(active, out);
          AddressHandle to = active.pd().createAh(joined.ud().ahAttr())) {
        RdmaVerbs.postRecv(passive, 1, in, inMr);
        RdmaVerbs.postUdSend(active, 2, out, outMr, SIGNALED, to, joined.ud().qpNum());
        sent();
        received(passive);
        Expect.equal("what arrived", "to all", in.getString(GRH));
      }
      passive.joinMulticast(GROUP, "again");
      CmEvent.MulticastJoin again = next(server, CmEvent.MulticastJoin.class);
      Expect.equal("the context", "again", again.joinContext());
      passive.leaveMulticast(GROUP);
      passive.leaveMulticast(GROUP);
      Expect.refused(Errno.EADDRNOTAVAIL, () -> passive.leaveMulticast(GROUP));
    }
  }
}
