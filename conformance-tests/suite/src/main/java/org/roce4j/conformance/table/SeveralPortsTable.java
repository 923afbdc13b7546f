package org.roce4j.conformance.table;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Consumer;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** A device with two ports, and a peer that reaches it by either. */
public final class SeveralPortsTable extends RowTable {
  private static final int BYTES = 64;
  private static final int QKEY = 7;
  private static final int CM_PORT = 7473;
  private static final int TIMEOUT_MS = 2000;
  private static final Gid GROUP = Gid.parse("239.255.47.48");

  private SeveralPortsTable() {
    super("PRT-", "man ibv_query_port; man ibv_modify_qp; man ibv_create_ah");
  }

  /** All rows. */
  public static List<Row> rows() {
    SeveralPortsTable table = new SeveralPortsTable();
    table.scene("TABLES", "each port has a GID table and a state of its own", Scene::tables);
    for (int port = 1; port <= 2; port++) {
      int own = port;
      table.scene(
          "RC_" + own, "a connection goes over port " + own, scene -> scene.connected(own, true));
    }
    table.scene(
        "BOUND",
        "a queue pair takes no address vector of another port than it was given in INIT",
        Scene::bound);
    table.scene("HANDLE", "nor does a request of a UD queue pair", Scene::handle);
    table.scene(
        "DATAGRAM", "a datagram to another port does not reach a queue pair", Scene::astray);
    table.scene("DOWN", "a port goes down, and the other goes on", Scene::down);
    table.scene("GROUP", "a queue pair hears the multicast groups of its port", Scene::group);
    table.scene("CM", "an id of rdma_cm is bound to the port of its address", Scene::ids);
    return table.rows;
  }

  private void scene(String id, String title, Consumer<Scene> check) {
    row(
        id,
        title,
        bench -> {
          bench.need(Capability.SEVERAL_PORTS);
          check.accept(new Scene(bench, bench.twoPorts(), bench.far()));
        });
  }

  /** The device with two ports, and its peer. */
  private record Scene(Bench bench, Station dual, Station far) {
    private Context context() {
      return dual.context();
    }

    private Gid address(int port) {
      return context().queryGid(port, 0);
    }

    private AhAttr fromPort(int port) {
      return AhAttr.roce(far.address(), 0).onPort(port);
    }

    private void tables() {
      Expect.equal("phys_port_cnt", 2, context().queryDevice().physPortCount());
      for (int port = 1; port <= 2; port++) {
        Expect.equal(
            "the state of port " + port, PortState.ACTIVE, context().queryPort(port).state());
        Expect.equal("the entry", address(port), context().queryGidEx(port, 0).gid());
        Expect.equal("its port", port, context().queryGidEx(port, 0).portNum());
      }
      Expect.that(!address(1).equals(address(2)), "both ports have one address");
      for (int none : new int[] {0, 3}) {
        Expect.refused(Errno.EINVAL, () -> context().queryPort(none));
        Expect.refused(Errno.EINVAL, () -> context().queryGid(none, 0));
        Expect.refused(Errno.EINVAL, () -> context().queryPkey(none, 0));
      }
    }

    /** Connects through a port; a message then arrives in both directions, or in none. */
    private void connected(int port, boolean arrives) {
      QueuePair here = dual.qp(QpType.RC);
      QueuePair there = far.qp(QpType.RC);
      QpAttr attr = Bench.attributes().portNum(port).ahAttr(fromPort(port));
      if (!arrives) {
        attr.timeout(12).retryCnt(1);
      }
      QpBringUp.toRts(here, attr.destQpNum(there.qpNum()));
      QpBringUp.toRts(
          there, Bench.attributes().ahAttr(AhAttr.roce(address(port), 0)).destQpNum(here.qpNum()));
      Expect.equal("port_num", port, here.query().portNum());
      Expect.equal("port_num of the path", port, here.query().ahAttr().portNum());
      far.postReceives(there, 1, BYTES);
      Expect.posts(here, dual.send(1, WrOpcode.SEND).sge(dual.region(), 0, BYTES));
      bench.completes(dual, 1, arrives ? WcStatus.SUCCESS : WcStatus.RETRY_EXC_ERR);
      if (arrives) {
        bench.completes(far, 100, WcStatus.SUCCESS);
        dual.postReceives(here, 1, BYTES);
        Expect.posts(there, far.send(2, WrOpcode.SEND).sge(far.region(), 0, BYTES));
        bench.completes(far, 2, WcStatus.SUCCESS);
        bench.completes(dual, 100, WcStatus.SUCCESS);
      }
      here.close();
      there.close();
    }

    private void bound() {
      QueuePair qp = dual.qp(QpType.RC);
      QpAttr init = new QpAttr().qpState(QpState.INIT).pkeyIndex(0).qpAccessFlags(0);
      for (int none : new int[] {0, 3}) {
        Expect.refused(Errno.EINVAL, () -> qp.modify(init.portNum(none)));
      }
      qp.modify(init.portNum(2));
      QpAttr values = Bench.attributes().destQpNum(0x17);
      Expect.refused(Errno.EINVAL, () -> QpBringUp.to(QpState.RTR, qp, values.ahAttr(fromPort(1))));
      Expect.equal("the state", QpState.INIT, qp.state());
      Expect.refused(Errno.EINVAL, () -> dual.pd().createAh(fromPort(3)));
    }

    private QueuePair datagrams(Station at, int port) {
      QueuePair qp = at.qp(QpType.UD);
      QpBringUp.toRts(qp, Bench.attributes().portNum(port).qkey(QKEY));
      return qp;
    }

    private void receive(QueuePair qp, int port) {
      Expect.posts(
          qp, dual.receive(port).sge(dual.region(), port * 1024L, GlobalRouteHeader.SIZE + BYTES));
    }

    private void sent(QueuePair from, Gid to, int qpNum) {
      AddressHandle handle = far.pd().createAh(AhAttr.roce(to, 0));
      Expect.posts(
          from, far.send(1, WrOpcode.SEND).sge(far.region(), 0, BYTES).ud(handle, qpNum, QKEY));
      bench.completes(far, 1, WcStatus.SUCCESS);
      handle.close();
    }

    private void handle() {
      QueuePair qp = datagrams(dual, 2);
      AddressHandle other = dual.pd().createAh(fromPort(1));
      Expect.posted(
          Errno.EINVAL,
          qp.postSend(
              dual.send(1, WrOpcode.SEND).sge(dual.region(), 0, BYTES).ud(other, 0x17, QKEY)));
      bench.nothing(dual);
    }

    private void astray() {
      bench.need(Capability.COUNTS_CAUSES);
      QueuePair qp = datagrams(dual, 2);
      receive(qp, 2);
      QueuePair sender = datagrams(far, 1);
      sent(sender, address(1), qp.qpNum());
      bench.link().await(() -> dual.counted("wrong_address") > 0, Bench.SOON_NS);
      Expect.equal("wrong_address", 1L, dual.counted("wrong_address"));
      bench.nothing(dual);
      sent(sender, address(2), qp.qpNum());
      bench.completes(dual, 2, WcStatus.SUCCESS);
    }

    private void port(int port, boolean up) {
      bench.link().port(port, up);
      EventType type = up ? EventType.PORT_ACTIVE : EventType.PORT_ERR;
      Expect.equal("the port", port, bench.event(dual, type).portNum());
      PortState state = up ? PortState.ACTIVE : PortState.DOWN;
      Expect.equal("its state", state, context().queryPort(port).state());
    }

    private void down() {
      port(2, false);
      try {
        Expect.equal("port 1", PortState.ACTIVE, context().queryPort(1).state());
        connected(1, true);
        connected(2, false);
      } finally {
        port(2, true);
      }
      connected(2, true);
      bench.noEvent(dual);
    }

    private void group() {
      QueuePair sender = datagrams(far, 1);
      List<QueuePair> members = List.of(datagrams(dual, 1), datagrams(dual, 2));
      for (int port = 1; port <= 2; port++) {
        members.get(port - 1).attachMulticast(GROUP);
        receive(members.get(port - 1), port);
      }
      for (int port = 1; port <= 2; port++) {
        port(3 - port, false);
        sent(sender, GROUP, QueuePair.MULTICAST_QPN);
        bench.completes(dual, port, WcStatus.SUCCESS);
        bench.nothing(dual);
        receive(members.get(port - 1), port);
        port(3 - port, true);
      }
      members.forEach(member -> member.detachMulticast(GROUP));
    }

    private void ids() {
      bench.need(Capability.CONNECTION_MANAGER);
      try (RdmaCm here = RdmaCm.open(context());
          RdmaCm there = RdmaCm.open(far.context())) {
        EventChannel server = here.createEventChannel();
        CmId listener = server.createId(PortSpace.TCP);
        listener.bindAddr(new InetSocketAddress(CM_PORT));
        listener.listen(2);
        Expect.equal("port_num of the wildcard", 0, listener.portNum());
        EventChannel client = there.createEventChannel();
        for (int port = 1; port <= 2; port++) {
          CmId id = client.createId(PortSpace.TCP);
          id.resolveAddr(
              null, new InetSocketAddress(address(port).toInetAddress(), CM_PORT), TIMEOUT_MS);
          next(client, CmEvent.AddrResolved.class);
          id.resolveRoute(TIMEOUT_MS);
          next(client, CmEvent.RouteResolved.class);
          id.createQp(null, far.qpInit(QpType.RC));
          id.connect(new ConnParam());
          CmId request = next(server, CmEvent.ConnectRequest.class).id();
          Expect.equal("port_num", port, request.portNum());
          request.createQp(null, dual.qpInit(QpType.RC));
          request.accept(new ConnParam());
          next(client, CmEvent.Established.class);
          next(server, CmEvent.Established.class);
          Expect.equal("port_num of the path", port, request.qp().query().ahAttr().portNum());
        }
      }
    }

    private static <E extends CmEvent> E next(EventChannel channel, Class<E> type) {
      CmEvent event = channel.getCmEvent(Bench.SOON_NS * 10);
      Expect.that(type.isInstance(event), "no " + type.getSimpleName() + ", but " + event);
      event.ack();
      return type.cast(event);
    }
  }
}
