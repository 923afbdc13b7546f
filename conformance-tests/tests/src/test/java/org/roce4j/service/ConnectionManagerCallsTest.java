package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/**
 * The calls of librdmacm as its manual describes them, between two devices of a virtual network.
 */
@EmulatedRdma
class ConnectionManagerCallsTest {
  private static final int PORT = 7471;
  private static final int SIZE = 64;
  private static final int SIGNALED = SendFlags.SIGNALED;
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.9.8.7");

  private final Arena arena = Arena.ofShared();
  private final WorkCompletions completion = new WorkCompletions(arena, 1);
  private Context serverDevice;
  private RdmaCm clientCm;
  private RdmaCm serverCm;
  private EventChannel client;
  private EventChannel server;
  private CmId active;
  private CmId passive;

  @BeforeEach
  void open(Context first, Context second) {
    serverDevice = second;
    clientCm = RdmaCm.open(first);
    serverCm = RdmaCm.open(second);
    client = clientCm.createEventChannel();
    server = serverCm.createEventChannel();
  }

  @AfterEach
  void close() {
    clientCm.close();
    serverCm.close();
    arena.close();
  }

  private InetSocketAddress there() {
    Gid gid = serverDevice.queryGidTable().getFirst().gid();
    return new InetSocketAddress(gid.toInetAddress(), PORT);
  }

  private static <E extends CmEvent> E next(EventChannel channel, Class<E> type) {
    CmEvent event = channel.getCmEvent(TimeUnit.MINUTES.toNanos(5));
    E expected = assertInstanceOf(type, event);
    expected.ack();
    return expected;
  }

  private static void refused(Errno errno, Runnable call) {
    assertEquals(errno, assertThrows(VerbsException.class, call::run).errno());
  }

  private static QpInitAttr attr(QpType type) {
    return new QpInitAttr().qpType(type).cap(new QpCapabilities(8, 8, 2, 2)).sqSigAll(true);
  }

  private CmId listen(PortSpace ps) {
    CmId id = server.createId(ps);
    id.bindAddr(there());
    id.listen(4);
    return id;
  }

  private CmId resolve(PortSpace ps) {
    CmId id = client.createId(ps);
    id.resolveAddr(null, there(), 2000);
    next(client, CmEvent.AddrResolved.class);
    id.resolveRoute(2000);
    next(client, CmEvent.RouteResolved.class);
    return id;
  }

  private void connect() {
    listen(PortSpace.TCP);
    active = resolve(PortSpace.TCP);
    active.createQp(null, attr(QpType.RC));
    active.connect(new ConnParam());
    passive = next(server, CmEvent.ConnectRequest.class).id();
    passive.createQp(null, attr(QpType.RC));
    passive.accept(new ConnParam());
    next(client, CmEvent.Established.class);
    next(server, CmEvent.Established.class);
  }

  private void completed(CmId id, boolean send) {
    if (send) {
      RdmaVerbs.getSendComp(id, completion);
    } else {
      RdmaVerbs.getRecvComp(id, completion);
    }
    assertEquals(WcStatus.SUCCESS, completion.status(0), () -> completion.toString(0));
  }

  @Test
  @Tag("rdma_create_event_channel")
  @Tag("rdma_destroy_event_channel")
  @Tag("rdma_create_id")
  @Tag("rdma_destroy_id")
  @Tag("rdma_get_devices")
  @Tag("rdma_free_devices")
  void channelsAndIds() {
    EventChannel channel = clientCm.createEventChannel();
    CmId id = channel.createId(PortSpace.TCP, "mine");
    assertEquals("mine", id.userContext());
    assertEquals(1, clientCm.devices().size());
    refused(Errno.EBUSY, channel::close);
    id.close();
    id.close();
    channel.close();
    refused(Errno.EINVAL, () -> id.listen(1));
  }

  @Test
  @Tag("rdma_bind_addr")
  @Tag("rdma_listen")
  @Tag("rdma_resolve_addr")
  @Tag("rdma_resolve_route")
  @Tag("rdma_get_src_port")
  @Tag("rdma_get_dst_port")
  @Tag("rdma_get_local_addr")
  @Tag("rdma_get_peer_addr")
  void addressesAndPorts() {
    CmId unbound = client.createId(PortSpace.TCP);
    assertNull(unbound.localAddr());
    assertNull(unbound.peerAddr());
    assertEquals(0, unbound.srcPort());
    refused(Errno.EINVAL, () -> unbound.resolveRoute(2000));
    CmId listener = listen(PortSpace.TCP);
    assertEquals(there(), listener.localAddr());
    CmId other = server.createId(PortSpace.TCP);
    refused(Errno.EADDRINUSE, () -> other.bindAddr(there()));
    CmId id = resolve(PortSpace.TCP);
    assertEquals(PORT, id.dstPort());
    assertEquals(there(), id.peerAddr());
    assertNotNull(id.verbs());
    assertEquals(1, id.portNum());
    assertEquals(id.localAddr().getPort(), id.srcPort());
  }

  @Test
  @Tag("rdma_create_qp")
  @Tag("rdma_create_qp_ex")
  @Tag("rdma_destroy_qp")
  @Tag("rdma_create_srq")
  @Tag("rdma_create_srq_ex")
  @Tag("rdma_destroy_srq")
  void queuesOfAnId() {
    CmId id = resolve(PortSpace.TCP);
    id.createSrq(null, new SrqInitAttr(4, 1));
    id.createQp(null, attr(QpType.RC));
    assertEquals(QpState.INIT, id.qp().state());
    assertSame(id.srq(), id.qp().srq());
    assertSame(id.sendCq(), id.qp().sendCq());
    refused(Errno.EBUSY, id::destroySrq);
    id.destroyQp();
    id.destroySrq();
    assertNull(id.qp());
    QpInitAttr refused = attr(QpType.RC).createFlags(1 << 30);
    assertThrows(VerbsException.class, () -> id.createQp(null, refused));
    assertNull(id.sendCq(), "a completion queue as the refused queue pair would have had it");
    assertNull(id.recvCq());
    CmId datagrams = resolve(PortSpace.UDP);
    datagrams.createQp(null, attr(QpType.UD));
    assertEquals(QpState.RTS, datagrams.qp().state());
  }

  @Test
  @Tag("rdma_connect")
  @Tag("rdma_accept")
  @Tag("rdma_disconnect")
  @Tag("rdma_get_cm_event")
  @Tag("rdma_ack_cm_event")
  @Tag("rdma_event_str")
  void aConnectionFromRequestToEnd() {
    connect();
    assertEquals(QpState.RTS, active.qp().state());
    assertEquals(QpState.RTS, passive.qp().state());
    passive.disconnect();
    CmEvent.Disconnected told = next(client, CmEvent.Disconnected.class);
    assertSame(active, told.id());
    assertEquals("RDMA_CM_EVENT_DISCONNECTED", told.type().text());
    active.disconnect();
    next(server, CmEvent.Disconnected.class);
    assertEquals(QpState.ERR, active.qp().state());
  }

  @Test
  @Tag("rdma_reject")
  void aRequestIsRejectedWithBytes() {
    listen(PortSpace.TCP);
    CmId id = resolve(PortSpace.TCP);
    id.createQp(null, attr(QpType.RC));
    id.connect(new ConnParam());
    next(server, CmEvent.ConnectRequest.class).id().reject(new byte[] {4, 2});
    CmEvent.Rejected rejected = next(client, CmEvent.Rejected.class);
    assertArrayEquals(Arrays.copyOf(new byte[] {4, 2}, 148), rejected.privateData());
    assertEquals(CmEventType.REJECTED, rejected.type());
  }

  @Test
  @Tag("rdma_init_qp_attr")
  @Tag("rdma_establish")
  @Tag("rdma_notify")
  void aQueuePairOfTheProgramsOwn() {
    listen(PortSpace.TCP);
    active = resolve(PortSpace.TCP);
    try (QueuePair own = active.pd().createQp(attr(QpType.RC).cq(active.verbs().createCq(16)))) {
      active.connect(new ConnParam().qpNum(own.qpNum()));
      passive = next(server, CmEvent.ConnectRequest.class).id();
      passive.createQp(null, attr(QpType.RC));
      passive.accept(new ConnParam());
      next(client, CmEvent.ConnectResponse.class);
      for (QpState state : List.of(QpState.INIT, QpState.RTR, QpState.RTS)) {
        own.modify(active.initQpAttr(state));
      }
      active.establish();
      next(server, CmEvent.Established.class);
      refused(Errno.EISCONN, () -> passive.notify(EventType.COMM_EST));
    }
  }

  @Test
  @Tag("rdma_set_option")
  void optionsAreChecked() {
    CmId id = client.createId(PortSpace.TCP);
    id.setOption(CmOption.TOS, 32);
    id.setOption(CmOption.REUSEADDR, 1);
    id.setOption(CmOption.AFONLY, 1);
    id.setOption(CmOption.ACK_TIMEOUT, 20);
    refused(Errno.EINVAL, () -> id.setOption(CmOption.ACK_TIMEOUT, 32));
    refused(Errno.ENOSYS, () -> id.setOption(CmOption.IB_PATH, 1));
    CmId datagrams = client.createId(PortSpace.UDP);
    refused(Errno.EINVAL, () -> datagrams.setOption(CmOption.ACK_TIMEOUT, 20));
  }

  @Test
  @Tag("rdma_migrate_id")
  void anIdMovesWithWhatItHasNotTold() {
    EventChannel other = clientCm.createEventChannel();
    CmId id = client.createId(PortSpace.TCP);
    id.resolveAddr(null, there(), 2000);
    id.migrate(other);
    assertSame(other, id.channel());
    next(other, CmEvent.AddrResolved.class);
    id.migrate(null);
    id.resolveRoute(2000);
    assertInstanceOf(CmEvent.RouteResolved.class, id.event());
  }

  @Test
  @Tag("rdma_getaddrinfo")
  @Tag("rdma_freeaddrinfo")
  @Tag("rdma_create_ep")
  @Tag("rdma_destroy_ep")
  @Tag("rdma_get_request")
  void endpoints() {
    String address = there().getAddress().getHostAddress();
    AddrInfo hints = new AddrInfo().flags(AddrInfo.PASSIVE);
    CmId listener =
        serverCm.createEp(AddrInfo.resolve(address, "7471", hints), null, attr(QpType.RC));
    listener.listen(1);
    CompletableFuture<Void> served =
        CompletableFuture.runAsync(
            () -> {
              CmId request = listener.getRequest();
              assertNotNull(request.qp());
              request.accept(new ConnParam());
              request.close();
            });
    CmId id = clientCm.createEp(AddrInfo.resolve(address, "7471", null), null, attr(QpType.RC));
    id.connect(new ConnParam());
    assertInstanceOf(CmEvent.Established.class, id.event());
    served.join();
    id.close();
    listener.close();
  }

  @Test
  @Tag("rdma_create_srq_ex")
  @Tag("rdma_create_qp_ex")
  void anExtendedConnection() {
    AddrInfo to = AddrInfo.resolve(there().getAddress().getHostAddress(), "7471", null);
    AddrInfo at = new AddrInfo().flags(AddrInfo.PASSIVE).portSpace(PortSpace.TCP).srcAddr(there());
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
    active = clientCm.createEp(to.qpType(QpType.XRC_SEND), null, attr(QpType.XRC_SEND));
    active.connect(new ConnParam());
    passive = served.join();
    assertEquals(QpType.XRC_RECV, passive.qp().qpType());
    MemorySegment in = arena.allocate(SIZE, 8);
    MemorySegment out = arena.allocate(SIZE, 8);
    out.setString(0, "to a queue by number");
    try (MemoryRegion inMr = RdmaVerbs.regMsgs(passive, in);
        MemoryRegion outMr = RdmaVerbs.regMsgs(active, out);
        SendRequestList send = new SendRequestList(1, 1, 0)) {
      RdmaVerbs.postRecv(passive, 1, in, inMr);
      send.add().opcode(WrOpcode.SEND).flags(SIGNALED).sge(outMr, 0, SIZE);
      active.qp().postSendOrThrow(send.xrc(passive.srq().srqNum()));
      completed(active, true);
      completed(passive, false);
      assertEquals("to a queue by number", in.getString(0));
    }
    active.close();
    passive.destroyQp();
    assertNotNull(passive.recvCq(), "receives of the shared queue complete there");
    passive.destroySrq();
    passive.close();
    listener.close();
  }

  @Test
  @Tag("rdma_reg_msgs")
  @Tag("rdma_dereg_mr")
  @Tag("rdma_post_recv")
  @Tag("rdma_post_recvv")
  @Tag("rdma_post_send")
  @Tag("rdma_post_sendv")
  @Tag("rdma_get_send_comp")
  @Tag("rdma_get_recv_comp")
  void messages() {
    connect();
    MemorySegment out = arena.allocate(SIZE, 8);
    MemorySegment in = arena.allocate(SIZE, 8);
    try (MemoryRegion outMr = RdmaVerbs.regMsgs(active, out);
        MemoryRegion inMr = RdmaVerbs.regMsgs(passive, in)) {
      RdmaVerbs.postRecv(passive, 1, in.asSlice(0, 16), inMr);
      Sge first = new Sge(in.address() + 16, 8, inMr.lkey());
      RdmaVerbs.postRecvv(passive, 2, first, new Sge(in.address() + 32, 8, inMr.lkey()));
      out.setString(0, "one message");
      RdmaVerbs.postSend(active, 3, out.asSlice(0, 16), outMr, SIGNALED);
      completed(active, true);
      completed(passive, false);
      assertEquals("one message", in.getString(0));
      assertEquals(1, completion.wrId(0));
      out.set(ValueLayout.JAVA_LONG, 0, 7);
      Sge half = new Sge(out.address(), 8, outMr.lkey());
      RdmaVerbs.postSendv(active, 4, SIGNALED, half, half);
      completed(active, true);
      completed(passive, false);
      assertEquals(7, in.get(ValueLayout.JAVA_LONG, 16));
      assertEquals(7, in.get(ValueLayout.JAVA_LONG, 32));
    }
  }

  @Test
  @Tag("rdma_reg_read")
  @Tag("rdma_reg_write")
  @Tag("rdma_post_read")
  @Tag("rdma_post_readv")
  @Tag("rdma_post_write")
  @Tag("rdma_post_writev")
  void remoteMemory() {
    connect();
    MemorySegment near = arena.allocate(SIZE, 8);
    MemorySegment source = arena.allocate(SIZE, 8);
    MemorySegment sink = arena.allocate(SIZE, 8);
    source.setString(0, "read me");
    try (MemoryRegion nearMr = RdmaVerbs.regMsgs(active, near);
        MemoryRegion sourceMr = RdmaVerbs.regRead(passive, source);
        MemoryRegion sinkMr = RdmaVerbs.regWrite(passive, sink)) {
      Sge all = new Sge(near.address(), SIZE, nearMr.lkey());
      RdmaVerbs.postRead(active, 1, near, nearMr, SIGNALED, sourceMr.iova(), sourceMr.rkey());
      completed(active, true);
      assertEquals("read me", near.getString(0));
      RdmaVerbs.postWrite(active, 2, near, nearMr, SIGNALED, sinkMr.iova(), sinkMr.rkey());
      completed(active, true);
      assertEquals("read me", sink.getString(0));
      source.setString(0, "again");
      RdmaVerbs.postReadv(active, 3, SIGNALED, sourceMr.iova(), sourceMr.rkey(), all);
      completed(active, true);
      RdmaVerbs.postWritev(active, 4, SIGNALED, sinkMr.iova(), sinkMr.rkey(), all);
      completed(active, true);
      assertEquals("again", sink.getString(0));
    }
  }

  @Test
  @Tag("rdma_post_ud_send")
  @Tag("rdma_join_multicast")
  @Tag("rdma_join_multicast_ex")
  @Tag("rdma_leave_multicast")
  void aGroupHearsADatagram() {
    CmId member = server.createId(PortSpace.UDP);
    member.resolveAddr(null, new InetSocketAddress(GROUP, 0), 2000);
    next(server, CmEvent.AddrResolved.class);
    member.createQp(null, attr(QpType.UD));
    member.joinMulticast(GROUP, "member");
    assertEquals("member", next(server, CmEvent.MulticastJoin.class).joinContext());
    CmId sender = client.createId(PortSpace.UDP);
    sender.resolveAddr(null, new InetSocketAddress(GROUP, 0), 2000);
    next(client, CmEvent.AddrResolved.class);
    sender.createQp(null, attr(QpType.UD));
    sender.joinMulticast(GROUP, JoinFlag.SENDONLY_FULLMEMBER, null);
    CmEvent.MulticastJoin joined = next(client, CmEvent.MulticastJoin.class);

    MemorySegment in = arena.allocate(SIZE + 40, 8);
    MemorySegment out = arena.allocate(SIZE, 8);
    out.setString(0, "to all");
    try (MemoryRegion inMr = RdmaVerbs.regMsgs(member, in);
        MemoryRegion outMr = RdmaVerbs.regMsgs(sender, out);
        AddressHandle group = sender.pd().createAh(joined.ud().ahAttr())) {
      RdmaVerbs.postRecv(member, 1, in, inMr);
      RdmaVerbs.postUdSend(sender, 2, out, outMr, SIGNALED, group, joined.ud().qpNum());
      completed(sender, true);
      completed(member, false);
      assertEquals("to all", in.getString(40));
    }
    member.leaveMulticast(GROUP);
    refused(Errno.EADDRNOTAVAIL, () -> member.leaveMulticast(GROUP));
  }
}
