package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.roce4j.conformance.Check;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.LegacyXrc;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Queues, operations and events that came after the first libibverbs, each used as its manual page
 * says; see {@link LaterVerbTable} for devices that lack them.
 */
public final class LaterConnectionTable {
  private static final int BYTES = 64;
  private static final int GRH = 40;
  private static final Gid GROUP = Gid.ofIpv4(0xEE01_0203);

  private final List<Row> rows = new ArrayList<>();

  private LaterConnectionTable() {}

  /** All rows. */
  public static List<Row> rows() {
    LaterConnectionTable table = new LaterConnectionTable();
    table.completionQueues();
    table.queues();
    table.extendedConnections();
    table.operations();
    table.groups();
    table.descriptors();
    return table.rows;
  }

  private void row(String id, String calls, String title, Check check) {
    rows.add(new Row("VRB-" + id, "man " + calls, title, check));
  }

  // ---- completions

  @Covers({
    "ibv_modify_cq",
    "ibv_wc_read_vendor_err",
    "ibv_wc_read_pkey_index",
    "ibv_wc_read_slid",
    "ibv_wc_read_sl",
    "ibv_wc_read_dlid_path_bits",
    "ibv_wc_read_completion_ts",
    "ibv_wc_read_completion_wallclock_ns"
  })
  private void completionQueues() {
    row(
        "WC_PATH",
        "ibv_wc_read_vendor_err, ibv_wc_read_slid, ibv_wc_read_sl, ibv_wc_read_dlid_path_bits",
        "a datagram's completion has no vendor's error and, on RoCE, no LID",
        bench ->
            reads(
                bench,
                WcExFlags.STANDARD,
                cq -> {
                  Expect.equal("vendor_err", 0, cq.readVendorErr());
                  Expect.equal("slid", 0, cq.readSlid());
                  Expect.equal("sl", 0, cq.readServiceLevel());
                  Expect.equal("dlid_path_bits", 0, cq.readDlidPathBits());
                }));
    row(
        "WC_PKEY_INDEX",
        "ibv_wc_read_pkey_index",
        "a datagram's completion tells the index of its P_Key",
        bench ->
            reads(
                bench,
                WcExFlags.STANDARD,
                cq -> Expect.equal("pkey_index", 0, cq.readPkeyIndex())));
    row(
        "WC_TIME",
        "ibv_wc_read_completion_ts",
        "a completion bears the time of the device's clock",
        bench ->
            reads(
                bench,
                WcExFlags.WITH_COMPLETION_TIMESTAMP,
                cq -> Expect.that(cq.readCompletionTimestamp() >= 0, "a negative time")));
    row(
        "WC_WALLCLOCK",
        "ibv_wc_read_completion_wallclock_ns",
        "a completion bears the time of the wall clock",
        bench ->
            reads(
                bench,
                WcExFlags.WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
                cq -> Expect.that(cq.readCompletionWallclockNs() >= 0, "a negative time")));
    row(
        "MODIFY_CQ",
        "ibv_modify_cq",
        "a completion queue may share an event among completions",
        bench -> Expect.accepted(() -> bench.near().cq().modify(new CqModeration(4, 10))));
  }

  private interface Fields {
    void read(ExtendedCompletionQueue cq);
  }

  /** The completion of a datagram's receiver. */
  private static void reads(Bench bench, int wcFlags, Fields fields) {
    Station far = bench.far();
    ExtendedCompletionQueue cq = far.context().createCqEx(new CqInitAttr().cqe(4).wcFlags(wcFlags));
    QueuePair receiver = far.pd().createQp(far.qpInit(QpType.UD).cq(cq));
    Bench.Pair pair = new Bench.Pair(bench.near().qp(QpType.UD), receiver);
    bench.connect(pair.near(), pair.far(), Bench.attributes(), Bench.attributes());
    far.postReceives(receiver, 1, GRH + BYTES);
    datagram(bench, pair);
    boolean[] started = new boolean[1];
    bench.link().await(() -> started[0] = cq.startPoll() == 0, Bench.SOON_NS);
    Expect.that(started[0], "no completion came");
    Expect.equal("the status", WcStatus.SUCCESS, cq.status());
    fields.read(cq);
    cq.endPoll();
  }

  private static void datagram(Bench bench, Bench.Pair pair) {
    Station near = bench.near();
    Expect.posts(
        pair.near(),
        near.send(1, WrOpcode.SEND)
            .sge(near.region(), 0, BYTES)
            .ud(near.ahTo(bench.far()), pair.far().qpNum(), bench.values().qkey()));
    bench.completes(near, 1, WcStatus.SUCCESS);
  }

  // ---- queues

  @Covers({"ibv_create_srq_ex", "ibv_create_qp_ex", "ibv_qp_to_qp_ex"})
  private void queues() {
    row(
        "SRQ_EX",
        "ibv_create_srq_ex",
        "a basic shared receive queue of ibv_create_srq_ex receives",
        bench -> {
          Station far = bench.far();
          SharedReceiveQueue srq =
              far.context().createSrq(new SrqInitAttrEx().pd(far.pd()).maxWr(4).maxSge(1));
          QueuePair receiver = far.pd().createQp(far.qpInit(QpType.RC).srq(srq));
          Bench.Pair pair = new Bench.Pair(bench.near().qp(QpType.RC), receiver);
          bench.connect(pair.near(), pair.far(), Bench.attributes(), Bench.attributes());
          Expect.posts(srq, far.receive(5).sge(far.region(), 0, BYTES));
          Station near = bench.near();
          Expect.posts(pair.near(), near.send(1, WrOpcode.SEND).sge(near.region(), 0, BYTES));
          bench.completes(far, 5, WcStatus.SUCCESS);
        });
    row(
        "QP_EX",
        "ibv_create_qp_ex, ibv_qp_to_qp_ex",
        "a queue pair of ibv_create_qp_ex is of its domain, and builds its operations",
        bench -> {
          Station near = bench.near();
          QueuePair qp =
              near.context()
                  .createQp(
                      near.qpInit(QpType.RC).pd(near.pd()).sendOps(SendOpsFlags.WITH_RDMA_WRITE));
          Expect.that(qp.pd() == near.pd(), "it is of " + qp.pd());
          Expect.equal("the operations", SendOpsFlags.WITH_RDMA_WRITE, qp.initAttr().sendOps());
          bench.bring(near, qp, QpState.RTS, bench.values());
          WorkRequestBuilder wr = qp.builder();
          wr.start();
          wr.abort();
          qp.close();
        });
    row(
        "QP_EX-BLOCK_SELF",
        "ibv_create_qp_ex",
        "a queue pair may be made deaf to its own multicast",
        bench -> {
          Station near = bench.near();
          QpInitAttr deaf = near.qpInit(QpType.UD).createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB);
          Expect.accepted(() -> near.pd().createQp(deaf).close());
        });
    row(
        "QP_EX-SOURCE_QPN",
        "ibv_create_qp_ex",
        "a number of its own for the source of packets is refused on RoCE",
        LaterConnectionTable::sourceQpn);
  }

  /** A flag of IP over InfiniBand: only Linux's mlx5 supports it, and only on InfiniBand ports. */
  private static void sourceQpn(Bench bench) {
    Station near = bench.near();
    QpInitAttr asked =
        near.qpInit(QpType.UD).createFlags(QpCreateFlags.SOURCE_QPN).sourceQpn(0x1234);
    Expect.refused(Errno.EOPNOTSUPP, () -> near.pd().createQp(asked));
  }

  // ---- XRC

  @Covers({
    "ibv_open_xrcd",
    "ibv_close_xrcd",
    "ibv_get_srq_num",
    "ibv_open_qp",
    "ibv_wr_set_xrc_srqn"
  })
  private void extendedConnections() {
    row(
        "XRC",
        "ibv_open_xrcd, ibv_close_xrcd, ibv_get_srq_num, ibv_open_qp",
        "a receiving queue pair of an XRC domain is opened by its number",
        bench -> {
          Station far = bench.far();
          XrcDomain domain = far.context().openXrcd(new XrcdInitAttr());
          SharedReceiveQueue srq =
              far.context()
                  .createSrq(
                      new SrqInitAttrEx()
                          .srqType(SrqType.XRC)
                          .pd(far.pd())
                          .xrcd(domain)
                          .cq(far.cq())
                          .maxWr(4)
                          .maxSge(1));
          Expect.that(srq.srqNum() != 0, "it has no number");
          QueuePair target =
              far.context().createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(domain));
          QueuePair opened = far.context().openQp(new QpOpenAttr(target.qpNum(), domain));
          Expect.equal("its number", target.qpNum(), opened.qpNum());
          opened.close();
          target.close();
          srq.close();
          domain.close();
        });
    row(
        "XRC-SEND",
        "ibv_create_qp_ex, ibv_wr_set_xrc_srqn",
        "a queue pair that sends to XRC shared receive queues builds requests that name them",
        bench -> {
          Station near = bench.near();
          QueuePair qp =
              near.context()
                  .createQp(
                      near.qpInit(QpType.XRC_SEND)
                          .recvCq(null)
                          .pd(near.pd())
                          .sendOps(SendOpsFlags.WITH_SEND));
          bench.bring(near, qp, QpState.RTS, bench.values());
          WorkRequestBuilder wr = qp.builder();
          wr.start();
          Expect.accepted(() -> wr.wrId(1).flags(SendFlags.SIGNALED).send().setXrcSrqNumber(7));
          Expect.accepted(() -> wr.setSge(near.region(), 0, BYTES));
          wr.abort();
          qp.close();
        });
    legacy();
  }

  @Covers({
    "ibv_open_xrc_domain",
    "ibv_create_xrc_srq",
    "ibv_close_xrc_domain",
    "ibv_create_xrc_rcv_qp",
    "ibv_modify_xrc_rcv_qp",
    "ibv_reg_xrc_rcv_qp",
    "ibv_unreg_xrc_rcv_qp",
    "ibv_query_xrc_rcv_qp"
  })
  private void legacy() {
    row(
        "XRC-LEGACY",
        "ibv_open_xrc_domain, ibv_create_xrc_srq, ibv_close_xrc_domain, ibv_create_xrc_rcv_qp,"
            + " ibv_modify_xrc_rcv_qp, ibv_reg_xrc_rcv_qp, ibv_unreg_xrc_rcv_qp,"
            + " ibv_query_xrc_rcv_qp",
        "the calls of OFED's XRC make, move, ask and leave a receiving queue pair",
        bench -> {
          Station far = bench.far();
          LegacyXrc xrc = new LegacyXrc();
          XrcDomain domain = xrc.openXrcDomain(far.context(), null, XrcdInitAttr.O_CREAT);
          SharedReceiveQueue srq =
              xrc.createXrcSrq(far.pd(), domain, far.cq(), new SrqInitAttr(4, 1));
          int qpNum = xrc.createXrcRcvQp(new QpInitAttr().xrcd(domain));
          QpAttr init = Bench.attributes().qpState(QpState.INIT);
          xrc.modifyXrcRcvQp(
              domain,
              qpNum,
              init,
              QpAttrMask.STATE | QpBringUp.needed(QpType.XRC_RECV, QpState.INIT));
          Expect.equal("its state", QpState.INIT, xrc.queryXrcRcvQp(domain, qpNum).qpState());
          xrc.unregXrcRcvQp(domain, qpNum);
          srq.close();
          xrc.closeXrcDomain(domain);
        });
  }

  // ---- operations

  @Covers({"ibv_wr_flush", "ibv_wr_atomic_write"})
  private void operations() {
    row(
        "WR_FLUSH",
        "ibv_wr_flush",
        "a FLUSH of memory that a WRITE has filled succeeds",
        bench -> {
          MemoryRegion there =
              bench.far().region(AccessFlags.LOCAL_WRITE | AccessFlags.FLUSH_GLOBAL);
          built(
              bench,
              SendOpsFlags.WITH_FLUSH,
              wr -> wr.flush(there.rkey(), there.address(), BYTES, 1, 0));
        });
    row(
        "WR_ATOMIC_WRITE",
        "ibv_wr_atomic_write",
        "an ATOMIC WRITE of eight bytes succeeds",
        bench -> {
          MemoryRegion there = bench.far().region();
          built(
              bench,
              SendOpsFlags.WITH_ATOMIC_WRITE,
              wr -> wr.atomicWrite(there.rkey(), there.address(), 1));
        });
  }

  private interface Operation {
    void build(WorkRequestBuilder wr);
  }

  private static void built(Bench bench, long operation, Operation of) {
    Station near = bench.near();
    QueuePair sender = near.pd().createQp(near.qpInit(QpType.RC).sendOps(operation));
    Bench.Pair pair = new Bench.Pair(sender, bench.far().qp(QpType.RC));
    int rights =
        AccessFlags.REMOTE_WRITE
            | (operation == SendOpsFlags.WITH_FLUSH ? AccessFlags.FLUSH_GLOBAL : 0);
    bench.connect(sender, pair.far(), Bench.attributes(), Bench.attributes().qpAccessFlags(rights));
    WorkRequestBuilder wr = sender.builder();
    wr.start();
    of.build(wr.wrId(1).flags(SendFlags.SIGNALED));
    Expect.posted(null, wr.complete());
    bench.completes(near, 1, WcStatus.SUCCESS);
  }

  // ---- groups

  @Covers({"ibv_attach_mcast", "ibv_detach_mcast"})
  private void groups() {
    row(
        "MCAST",
        "ibv_attach_mcast, ibv_detach_mcast",
        "a queue pair of datagrams joins a group once, and leaves it once",
        bench -> {
          Station near = bench.near();
          QueuePair qp = bench.near(QpType.UD, QpState.RTS);
          qp.attachMulticast(GROUP);
          qp.attachMulticast(GROUP);
          Expect.refused(Errno.EBUSY, qp::close);
          qp.detachMulticast(GROUP);
          Expect.refused(Errno.EINVAL, () -> qp.detachMulticast(GROUP));
          QueuePair connected = near.qp(QpType.RC);
          Expect.refused(Errno.EINVAL, () -> connected.attachMulticast(GROUP));
          qp.close();
        });
  }

  // ---- descriptors

  @Covers({"ibv_get_async_event", "ibv_get_cq_event"})
  private void descriptors() {
    row(
        "ASYNC_EVENT",
        "ibv_get_async_event",
        "an event wakes who waits for it, by a descriptor or a hook",
        bench -> {
          Station far = bench.far();
          if (bench.has(Capability.KERNEL_DEVICE)) {
            Expect.that(far.context().asyncFd() >= 0, "no descriptor");
          }
          AtomicInteger woken = new AtomicInteger();
          far.context().onAsyncEvent(woken::incrementAndGet);
          SharedReceiveQueue srq = far.pd().createSrq(new SrqInitAttr(4, 1));
          QueuePair receiver = far.pd().createQp(far.qpInit(QpType.RC).srq(srq));
          Bench.Pair pair = new Bench.Pair(bench.near().qp(QpType.RC), receiver);
          bench.connect(pair.near(), receiver, Bench.attributes(), Bench.attributes());
          for (int i = 0; i < 2; i++) {
            Expect.posts(srq, far.receive(i).sge(far.region(), 0, BYTES));
          }
          srq.modify(new SrqAttr(0, 0, 2), SrqAttrMask.LIMIT);
          Station near = bench.near();
          Expect.posts(pair.near(), near.send(1, WrOpcode.SEND).sge(near.region(), 0, BYTES));
          bench.completes(far, 0, WcStatus.SUCCESS);
          bench.link().await(() -> woken.get() > 0, Bench.SOON_NS);
          Expect.that(woken.get() > 0, "the hook was not run");
          AsyncEvent event = bench.event(far, EventType.SRQ_LIMIT_REACHED);
          Expect.that(event.srq() == srq, "of another queue");
          far.context().onAsyncEvent(null);
          Expect.that(far.context().getAsyncEvent(0) == null, "a second event");
        });
    row(
        "CQ_EVENT",
        "ibv_get_cq_event",
        "a completion wakes who waits for it, by a descriptor or a hook",
        bench -> {
          Station near = bench.near();
          CompletionChannel channel = near.context().createCompletionChannel();
          if (bench.has(Capability.KERNEL_DEVICE)) {
            Expect.that(channel.fd() >= 0, "no descriptor");
          }
          AtomicInteger woken = new AtomicInteger();
          channel.onEvent(woken::incrementAndGet);
          CompletionQueue cq = near.context().createCq(4, null, channel, 0);
          QueuePair qp = near.pd().createQp(near.qpInit(QpType.UD).cq(cq));
          bench.bring(near, qp, QpState.INIT, bench.values());
          near.postReceives(qp, 1, GRH + BYTES);
          cq.requestNotification(false);
          qp.modify(new QpAttr().qpState(QpState.ERR));
          bench.link().await(() -> woken.get() > 0, Bench.SOON_NS);
          Expect.that(woken.get() > 0, "the hook was not run");
          channel.onEvent(null);
          Expect.that(channel.getCqEvent(0) == cq, "no event, or of another queue");
          cq.ackEvents(1);
          qp.close();
          cq.close();
          channel.close();
        });
  }
}
