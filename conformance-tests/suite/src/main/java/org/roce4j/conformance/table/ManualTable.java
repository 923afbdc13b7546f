package org.roce4j.conformance.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.BenchCompletion;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MigState;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.OdpCapFlags;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortFlags;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Calls as the manual of libibverbs describes them, where no other table does. */
public final class ManualTable extends RowTable {
  private static final int GRH = 40;
  private static final int BYTES = 64;

  private ManualTable() {
    super("MAN-", "the manual of libibverbs");
  }

  /** All rows. */
  public static List<Row> rows() {
    ManualTable table = new ManualTable();
    table.queries();
    table.objects();
    table.row(
        "CQ_EVENTS",
        "a channel tells of an armed completion queue once; what was told must be acknowledged",
        ManualTable::completionEvents);
    table.row(
        "AH_FROM_WC",
        "the sender of a datagram is answered by an address vector made of its completion",
        ManualTable::answers);
    return table.rows;
  }

  @Covers({
    "ibv_query_device",
    "ibv_query_device_ex",
    "ibv_query_port",
    "ibv_query_gid",
    "ibv_query_gid_ex",
    "ibv_query_gid_table",
    "ibv_query_pkey",
    "ibv_get_pkey_index",
    "ibv_get_device_list",
    "ibv_get_device_name",
    "ibv_get_device_guid",
    "ibv_get_device_index"
  })
  private void queries() {
    row(
        "DEVICE",
        "a device of the list has a name and a GUID, and its attributes are its limits",
        bench -> {
          RdmaDevice device = bench.near().context().device();
          Expect.that(!device.name().isEmpty(), "no name");
          for (RdmaDevice each : Verbs.devices()) {
            Expect.that(!each.name().isEmpty(), "no name");
            boolean another = each.index() != device.index() || each.name().equals(device.name());
            Expect.that(another || device.index() == -1, "the index of " + each.name());
          }
          DeviceAttr attr = bench.near().context().queryDevice();
          Expect.equal("the GUID", device.guid(), attr.nodeGuid());
          for (int limit :
              List.of(attr.maxQp(), attr.maxQpWr(), attr.maxSge(), attr.maxCq(), attr.maxCqe())) {
            Expect.that(limit > 0, "a limit of " + limit);
          }
          Expect.that(attr.physPortCount() >= 1, "no port");
        });
    row(
        "DEVICE_EX",
        "the extended attributes begin with the plain ones and say the same flags",
        bench -> {
          DeviceAttr plain = bench.near().context().queryDevice();
          DeviceAttrEx attr = bench.near().context().queryDeviceEx();
          Expect.equal("the plain attributes", plain, attr.device());
          Expect.equal(
              "the low flags", (int) plain.deviceCapFlags(), (int) attr.deviceCapFlagsEx());
          boolean times = attr.completionTimestampMask() != 0;
          Expect.that(!times || attr.hcaCoreClockKhz() != 0, "times without a clock");
          boolean paging = (attr.odpCaps().general() & OdpCapFlags.SUPPORT) != 0;
          Expect.that(paging || attr.odpCaps().rc() == 0, "paging of RC that there is not");
        });
    row(
        "PORT",
        "an active port tells its MTU and the lengths of its tables",
        bench -> {
          PortAttr port = bench.near().context().queryPort(1);
          Expect.equal("its state", PortState.ACTIVE, port.state());
          Expect.that(port.activeMtu().compareTo(Mtu.MTU_256) >= 0, "no MTU");
          Expect.that(port.activeMtu().compareTo(port.maxMtu()) <= 0, "more than its most");
          Expect.that((port.flags() & PortFlags.GRH_REQUIRED) != 0, "no GRH required");
          Expect.that(port.gidTableLength() > 0 && port.pkeyTableLength() > 0, "an empty table");
        });
    row(
        "GID",
        "the GID of each entry in use is the same one by one, with its type and in the table",
        bench -> {
          Context context = bench.near().context();
          List<GidEntry> table = context.queryGidTable();
          for (GidEntry each : table) {
            if (each.portNum() == 1) {
              Expect.equal("the GID", each.gid(), context.queryGid(1, each.gidIndex()));
              Expect.equal("the entry", each, context.queryGidEx(1, each.gidIndex()));
            }
          }
          Gid own = bench.near().address();
          Expect.that(table.stream().anyMatch(e -> e.gid().equals(own)), own + " is missing");
        });
    row(
        "PKEY",
        "the default P_Key is in the table, and is found by its value",
        bench -> {
          Context context = bench.near().context();
          int index = context.pkeyIndex(1, 0xffff);
          Expect.that(index >= 0, "no default P_Key");
          Expect.equal("the P_Key there", 0xffff, context.queryPkey(1, index));
          Expect.equal("the index of one that is not there", -1, context.pkeyIndex(1, 0x7abc));
        });
  }

  @Covers({
    "ibv_alloc_pd",
    "ibv_dealloc_pd",
    "ibv_reg_mr",
    "ibv_reg_mr_iova",
    "ibv_rereg_mr",
    "ibv_dereg_mr",
    "ibv_create_cq",
    "ibv_resize_cq",
    "ibv_destroy_cq",
    "ibv_create_qp",
    "ibv_query_qp",
    "ibv_destroy_qp"
  })
  private void objects() {
    row(
        "MR",
        "a region has keys, its memory's address, or the address that it is registered with",
        bench -> {
          Station near = bench.near();
          ProtectionDomain pd = near.context().allocPd();
          MemorySegment memory = near.memory(4096);
          try (MemoryRegion plain = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
              MemoryRegion moved = pd.registerMemory(memory, 0x7000_0000L, 0)) {
            Expect.equal("the address", memory.address(), plain.iova());
            Expect.equal("the length", 4096L, plain.length());
            Expect.equal("the address of its own", 0x7000_0000L, moved.iova());
            Expect.that(plain.lkey() != moved.lkey(), "one key for two regions");
            Expect.refused(Errno.EBUSY, pd::close);
          }
          pd.close();
        });
    row(
        "MR_MOVES",
        "a region that is registered anew with other memory: peers write there, by its address",
        ManualTable::moves);
    row(
        "CQ_RESIZE",
        "a completion queue that is resized keeps what it holds and takes more",
        ManualTable::resize);
    row(
        "QP_QUERY",
        "a queue pair tells its state, its numbers and what it was granted",
        bench -> {
          Station near = bench.near();
          Object mine = new Object();
          QueuePair qp =
              near.pd().createQp(near.qpInit(QpType.RC).userContext(mine).sqSigAll(true));
          Expect.equal("the state", QpState.RESET, qp.query(QpAttrMask.STATE).qpState());
          Expect.equal("path_mig_state", MigState.MIGRATED, qp.query().pathMigState());
          Expect.that(!qp.query().altAhAttr().isGlobal(), "an alternate path");
          QpInitAttr made = qp.initAttr();
          Expect.that(made.userContext() == mine, "another context");
          Expect.that(made.sqSigAll(), "sq_sig_all is lost");
          Expect.that(made.sendCq() == near.cq() && made.srq() == null, "other queues");
          Expect.equal("the capabilities", qp.cap(), made.cap());
          Expect.that(qp.query().cap().maxSendWr() >= 1, "no room for a request");
          bench.bring(near, qp, QpState.RTS, bench.values());
          Expect.equal("the state", QpState.RTS, qp.query().qpState());
          Expect.equal("the PSN", Bench.FIRST_PSN, qp.query().sqPsn());
          qp.close();
        });
  }

  private static void moves(Bench bench) {
    Station near = bench.near();
    Station far = bench.far();
    Bench.Pair pair = bench.pair(QpType.RC);
    MemoryRegion region = far.region(Station.ALL_RIGHTS);
    MemorySegment other = far.memory(BYTES);
    region.reregister(other, null, -1);
    Expect.equal("the address", other.address(), region.iova());
    Expect.equal("the length", (long) BYTES, region.length());
    near.region().memory().set(ValueLayout.JAVA_LONG, 0, 7);
    SendRequestList write = near.send(1, WrOpcode.RDMA_WRITE).sge(near.region(), 0, 8);
    Expect.posts(pair.near(), write.remote(other.address(), region.rkey()));
    bench.completes(near, 1, WcStatus.SUCCESS);
    Expect.equal("what is there", 7L, other.get(ValueLayout.JAVA_LONG, 0));
    region.close();
  }

  private static void resize(Bench bench) {
    Station near = bench.near();
    CompletionQueue cq = near.context().createCq(4);
    QueuePair qp = near.pd().createQp(near.qpInit(QpType.UD).cq(cq));
    bench.bring(near, qp, QpState.INIT, bench.values());
    near.postReceives(qp, 3, BYTES);
    qp.modify(new QpAttr().qpState(QpState.ERR));
    Expect.refused(Errno.EINVAL, () -> cq.resize(1));
    cq.resize(100);
    Expect.that(cq.cqe() >= 100, "it holds " + cq.cqe());
    for (int i = 0; i < 3; i++) {
      BenchCompletion flushed = near.poll(cq);
      Expect.equal("the request", 100L + i, flushed.wrId());
    }
    qp.close();
    cq.close();
  }

  @Covers({
    "ibv_create_comp_channel",
    "ibv_destroy_comp_channel",
    "ibv_get_cq_event",
    "ibv_ack_cq_events",
    "ibv_req_notify_cq",
    "ibv_poll_cq"
  })
  private static void completionEvents(Bench bench) {
    Station near = bench.near();
    Object mine = new Object();
    CompletionChannel channel = near.context().createCompletionChannel();
    CompletionQueue cq = near.context().createCq(16, mine, channel, 0);
    Expect.refused(Errno.EBUSY, channel::close);
    QueuePair qp = near.pd().createQp(near.qpInit(QpType.UD).cq(cq));
    bench.bring(near, qp, QpState.INIT, bench.values());
    near.postReceives(qp, 2, BYTES);
    cq.requestNotification(false);
    Expect.that(channel.getCqEvent(0) == null, "an event without a completion");
    qp.modify(new QpAttr().qpState(QpState.ERR));
    boolean[] told = new boolean[1];
    bench.link().await(() -> told[0] = told[0] || channel.getCqEvent(0) == cq, Bench.SOON_NS);
    Expect.that(told[0], "no event");
    Expect.that(cq.userContext() == mine, "another context");
    for (int i = 0; i < 2; i++) {
      Expect.that(near.poll(cq) != null, "a completion is missing");
    }
    Expect.that(channel.getCqEvent(0) == null, "two events for one arming");
    cq.ackEvents(1);
    qp.close();
    cq.close();
    channel.close();
  }

  @Covers({
    "ibv_init_ah_from_wc",
    "ibv_create_ah_from_wc",
    "ibv_create_ah",
    "ibv_destroy_ah",
    "ibv_post_recv"
  })
  private static void answers(Bench bench) {
    Station near = bench.near();
    Station far = bench.far();
    Bench.Pair pair = bench.pair(QpType.UD);
    MemoryRegion landing = far.region(AccessFlags.LOCAL_WRITE);
    Expect.posts(pair.far(), far.receive(7).sge(landing, 0, GRH + BYTES));
    AddressHandle there = near.ahTo(far);
    Expect.posts(
        pair.near(),
        near.send(1, WrOpcode.SEND)
            .sge(near.region(), 0, BYTES)
            .ud(there, pair.far().qpNum(), bench.values().qkey()));
    bench.completes(near, 1, WcStatus.SUCCESS);
    there.close();
    try (WorkCompletions completion = new WorkCompletions(1)) {
      int[] count = new int[1];
      bench
          .link()
          .await(
              () -> count[0] > 0 || (count[0] = far.cq().poll(completion, 1)) > 0, Bench.SOON_NS);
      Expect.that((completion.flags(0) & WcFlags.GRH) != 0, "a completion without GRH");
      AhAttr back = far.context().initAhFromWc(1, completion, 0, landing.memory(), 0);
      Expect.equal("the sender's address", near.address(), back.grh().dgid());
      near.postReceives(pair.near(), 1, GRH + BYTES);
      try (AddressHandle ah = far.pd().createAhFromWc(completion, 0, landing.memory(), 0, 1)) {
        Expect.posts(
            pair.far(),
            far.send(2, WrOpcode.SEND)
                .sge(far.region(), 0, BYTES)
                .ud(ah, completion.sourceQp(0), bench.values().qkey()));
        bench.completes(far, 2, WcStatus.SUCCESS);
      }
    }
    bench.completes(near, 100, WcStatus.SUCCESS);
  }
}
