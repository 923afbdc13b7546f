package org.roce4j.conformance.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.RowSkipped;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** The errno of every bad call (verbs-tables 7). */
public final class BadCallTable extends RowTable {
  private static final String SOURCE = "verbs-tables 7";
  private static final Gid GROUP = Gid.parse("239.1.2.3");
  private static final QpType[] SERVICES = {QpType.RC, QpType.UC, QpType.UD};

  private final List<BadCall> calls = new ArrayList<>();

  /**
   * A call that is refused.
   *
   * @param title the mistake
   * @param call throws the refusal
   */
  public record BadCall(String title, Errno errno, Consumer<Bench> call) {}

  private BadCallTable() {
    super("BAD-", SOURCE);
  }

  /** All rows. */
  public static List<Row> rows() {
    return table().rows;
  }

  /** The rows whose call is refused, as calls. */
  public static List<BadCall> calls() {
    return table().calls;
  }

  private static BadCallTable table() {
    BadCallTable table = new BadCallTable();
    table.queries();
    table.regions();
    table.windows();
    table.completionQueues();
    table.queuePairs();
    table.sharedReceiveQueues();
    table.addressHandles();
    table.multicast();
    table.receives();
    table.sends();
    return table;
  }

  /** A verb of the near station that is refused. */
  private void refused(String id, String title, Errno errno, BiConsumer<Bench, Station> verb) {
    posting(id, title, errno, bench -> verb.accept(bench, bench.near()));
  }

  /** As most calls are: with EINVAL. */
  private void refused(String id, String title, BiConsumer<Bench, Station> verb) {
    refused(id, title, Errno.EINVAL, verb);
  }

  private void holds(String id, String title, BiConsumer<Bench, Station> check) {
    row(id, title, bench -> check.accept(bench, bench.near()));
  }

  /** A post of the near station that is refused. */
  private void posting(String id, String title, Errno errno, Consumer<Bench> call) {
    calls.add(new BadCall(title, errno, call));
    row(id, title + ": " + errno, bench -> Expect.refused(errno, () -> call.accept(bench)));
  }

  private void posting(String id, String title, Consumer<Bench> call) {
    posting(id, title, Errno.EINVAL, call);
  }

  private void queries() {
    refused("QUERY_PORT-0", "port 0", (b, s) -> s.context().queryPort(0));
    refused("QUERY_PORT-2", "port 2 of 1", (b, s) -> s.context().queryPort(2));
    refused(
        "QUERY_GID-END",
        "a GID index beyond the table",
        (b, s) -> s.context().queryGid(1, s.context().queryPort(1).gidTableLength()));
    refused("QUERY_GID-MINUS", "GID index -1", (b, s) -> s.context().queryGid(1, -1));
    refused("QUERY_GID-PORT", "a GID of port 2", (b, s) -> s.context().queryGid(2, 0));
    holds(
        "QUERY_GID-EMPTY",
        "an empty GID entry reads as zero",
        (b, s) -> Expect.equal("the GID", Gid.ZERO, s.context().queryGid(1, 1000)));
    refused(
        "QUERY_GID_EX-EMPTY",
        "query_gid_ex of an empty entry",
        Errno.ENODATA,
        (b, s) -> s.context().queryGidEx(1, 1000));
    refused(
        "QUERY_PKEY-END",
        "a P_Key index beyond the table",
        (b, s) -> s.context().queryPkey(1, s.context().queryPort(1).pkeyTableLength()));
    holds(
        "PKEY_INDEX-NONE",
        "the index of a P_Key that is not in the table is -1",
        (b, s) -> Expect.equal("the index", -1, s.context().pkeyIndex(1, 0x1234)));
  }

  private void regions() {
    refused(
        "REG_MR-REMOTE_WRITE",
        "reg_mr with REMOTE_WRITE without LOCAL_WRITE",
        (b, s) -> s.pd().registerMemory(s.memory(64), AccessFlags.REMOTE_WRITE));
    refused(
        "REG_MR-REMOTE_ATOMIC",
        "reg_mr with REMOTE_ATOMIC without LOCAL_WRITE",
        (b, s) -> s.pd().registerMemory(s.memory(64), AccessFlags.REMOTE_ATOMIC));
    refused(
        "REG_MR-EMPTY",
        "reg_mr of no byte",
        (b, s) -> s.pd().registerMemory(s.memory(64).asSlice(0, 0), 0));
    refused(
        "REG_MR-HEAP",
        "reg_mr of memory without an address",
        (b, s) -> s.pd().registerMemory(MemorySegment.ofArray(new byte[64]), 0));
    refused(
        "REG_MR-CONFINED",
        "reg_mr of memory that the device may not touch",
        (b, s) -> {
          try (Arena arena = Arena.ofConfined()) {
            s.pd().registerMemory(arena.allocate(64), 0);
          }
        });
    refused(
        "REG_MR-READ_ONLY",
        "reg_mr of read-only memory with a right to write",
        Errno.EFAULT,
        (b, s) -> s.pd().registerMemory(s.memory(64).asReadOnly(), AccessFlags.LOCAL_WRITE));
    refused(
        "REG_MR_IOVA-OFFSET",
        "reg_mr_iova where iova and address differ within a page",
        (b, s) -> s.pd().registerMemory(s.memory(8192), 0x10001, AccessFlags.LOCAL_WRITE));
    refused(
        "REREG_MR-NOTHING",
        "rereg_mr that changes nothing",
        (b, s) -> s.region().reregister(null, -1));
    refused(
        "REREG_MR-RIGHTS",
        "rereg_mr to REMOTE_WRITE without LOCAL_WRITE",
        (b, s) -> s.region().reregister(null, AccessFlags.REMOTE_WRITE));
    refused(
        "REREG_MR-PD",
        "rereg_mr to a protection domain of another device",
        (b, s) -> s.region().reregister(b.far().pd(), -1));
    refused(
        "REREG_MR-CONTEXT",
        "rereg_mr to a protection domain of another context of the device",
        (b, s) -> {
          try (Context other = s.context().device().open()) {
            s.region().reregister(other.allocPd(), -1);
          }
        });
  }

  private void windows() {
    refused(
        "ALLOC_MW-TYPE",
        "alloc_mw of neither type 1 nor 2",
        (b, s) -> s.pd().allocMemoryWindow(MwType.of(3)));
    bind("TYPE_2", "bind_mw of type 2", Errno.EINVAL, MwType.TYPE_2, 64, AccessFlags.REMOTE_READ);
    bind(
        "ZERO_BASED",
        "bind_mw zero-based",
        Errno.EINVAL,
        MwType.TYPE_1,
        64,
        AccessFlags.REMOTE_READ | AccessFlags.ZERO_BASED);
    refused(
        "BIND_MW-NO_MR",
        "bind_mw of a length without a region",
        (b, s) ->
            b.near(QpType.RC, QpState.RTS)
                .bindMemoryWindow(
                    s.pd().allocMemoryWindow(MwType.TYPE_1),
                    1,
                    0,
                    null,
                    0,
                    64,
                    AccessFlags.REMOTE_READ));
    refused(
        "BIND_MW-PD",
        "bind_mw of a window and a region of different protection domains",
        Errno.EPERM,
        (b, s) -> {
          QueuePair qp = b.near(QpType.RC, QpState.RTS);
          MemoryRegion other =
              s.context().allocPd().registerMemory(s.memory(64), Station.ALL_RIGHTS);
          qp.bindMemoryWindow(
              s.pd().allocMemoryWindow(MwType.TYPE_1),
              1,
              0,
              other,
              other.address(),
              64,
              AccessFlags.REMOTE_READ);
        });
  }

  private void bind(String id, String title, Errno errno, MwType type, long length, int rights) {
    refused(
        "BIND_MW-" + id,
        title,
        errno,
        (b, s) ->
            b.near(QpType.RC, QpState.RTS)
                .bindMemoryWindow(
                    s.pd().allocMemoryWindow(type),
                    1,
                    SendFlags.SIGNALED,
                    s.region(),
                    s.region().address(),
                    length,
                    rights));
  }

  private void completionQueues() {
    refused("CREATE_CQ-0", "create_cq of 0", (b, s) -> s.context().createCq(0));
    refused("CREATE_CQ-MINUS", "create_cq of -1", (b, s) -> s.context().createCq(-1));
    refused(
        "CREATE_CQ-OVER",
        "create_cq beyond max_cqe",
        (b, s) -> s.context().createCq(device(s).maxCqe() + 1));
    refused(
        "CREATE_CQ-VECTOR",
        "create_cq on a completion vector that is not there",
        (b, s) -> s.context().createCq(1, null, null, device(s).numCompVectors()));
    refused(
        "CREATE_CQ-VECTOR_MINUS",
        "create_cq on completion vector -1",
        (b, s) -> s.context().createCq(1, null, null, -1));
    refused(
        "CREATE_CQ-CHANNEL",
        "create_cq on a channel of another context",
        (b, s) -> {
          CompletionChannel channel = b.far().context().createCompletionChannel();
          s.context().createCq(1, null, channel, 0);
        });
    holds(
        "CREATE_CQ-GRANT",
        "a completion queue holds at least what was asked for",
        (b, s) -> Expect.that(s.context().createCq(5).cqe() >= 5, "it holds fewer"));
    refused("RESIZE_CQ-0", "resize_cq to 0", (b, s) -> s.cq().resize(0));
    refused(
        "RESIZE_CQ-OVER",
        "resize_cq beyond max_cqe",
        (b, s) -> s.cq().resize(device(s).maxCqe() + 1));
    refused(
        "RESIZE_CQ-FILLED",
        "resize_cq to fewer than the completions it holds",
        (b, s) -> {
          QueuePair qp = b.near(QpType.RC, QpState.INIT);
          s.postReceives(qp, 8, 64);
          qp.modify(new QpAttr().qpState(QpState.ERR));
          b.completes(s, 100, WcStatus.WR_FLUSH_ERR);
          s.cq().resize(2);
        });
  }

  private static DeviceAttr device(Station station) {
    return station.context().queryDevice();
  }

  private void queuePairs() {
    for (QpType service : SERVICES) {
      cap(service, "SEND_WR", d -> new QpCapabilities(d.maxQpWr() + 1, 1, 1, 1, 0));
      cap(service, "RECV_WR", d -> new QpCapabilities(1, d.maxQpWr() + 1, 1, 1, 0));
      cap(service, "SEND_SGE", d -> new QpCapabilities(1, 1, d.maxSge() + 1, 1, 0));
      cap(service, "RECV_SGE", d -> new QpCapabilities(1, 1, 1, d.maxSge() + 1, 0));
      cap(service, "INLINE", BadCallTable::beyondInline);
      cap(service, "SEND_WR_MINUS", d -> new QpCapabilities(-1, 1, 1, 1, 0));
      init(service, "NO_SEND_CQ", "without send_cq", Errno.EINVAL, a -> a.sendCq(null));
      init(service, "NO_RECV_CQ", "without recv_cq", Errno.EINVAL, a -> a.recvCq(null));
      init(service, "FLAGS", "with SCATTER_FCS", Errno.EOPNOTSUPP, a -> a.createFlags(256));
      holds(
          "CREATE_QP-" + service + "-GRANT",
          "a queue pair has at least what was asked for (" + service + ")",
          (b, s) -> {
            QpCapabilities asked = new QpCapabilities(5, 6, 3, 2, 33);
            QpCapabilities cap = s.pd().createQp(s.qpInit(service).cap(asked)).cap();
            Expect.that(
                cap.maxSendWr() >= 5
                    && cap.maxRecvWr() >= 6
                    && cap.maxSendSge() >= 3
                    && cap.maxRecvSge() >= 2
                    && cap.maxInlineData() >= 33,
                "granted are " + cap);
          });
    }
    for (QpType type : new QpType[] {QpType.RAW_PACKET, QpType.DRIVER}) {
      init(type, "TYPE", "of an unsupported type", Errno.EOPNOTSUPP, a -> a);
    }
    refused(
        "CREATE_QP-OTHER_CQ",
        "create_qp with a completion queue of another device",
        (b, s) -> s.pd().createQp(s.qpInit(QpType.RC).cq(b.far().cq())));
    refused(
        "CREATE_QP-OTHER_SRQ",
        "create_qp with a shared receive queue of another device",
        (b, s) ->
            s.pd()
                .createQp(s.qpInit(QpType.RC).srq(b.far().pd().createSrq(new SrqInitAttr(1, 1)))));
    refused(
        "CREATE_QP-CONTEXT_CQ",
        "create_qp with a completion queue of another context of the device",
        (b, s) -> {
          try (Context other = s.context().device().open()) {
            s.pd().createQp(s.qpInit(QpType.RC).cq(other.createCq(1)));
          }
        });
    refused(
        "CREATE_QP-CONTEXT_SRQ",
        "create_qp with a shared receive queue of another context of the device",
        (b, s) -> {
          try (Context other = s.context().device().open()) {
            SharedReceiveQueue srq = other.allocPd().createSrq(new SrqInitAttr(1, 1));
            s.pd().createQp(s.qpInit(QpType.RC).srq(srq));
          }
        });
  }

  /** libibverbs does not report the limit, which then reads 0. */
  private static QpCapabilities beyondInline(DeviceAttr attr) {
    if (attr.maxInlineData() == 0) {
      throw new RowSkipped("the device does not tell how much inline data it takes");
    }
    return new QpCapabilities(1, 1, 1, 1, attr.maxInlineData() + 1);
  }

  private void cap(QpType service, String id, Function<DeviceAttr, QpCapabilities> cap) {
    refused(
        "CREATE_QP-" + service + "-" + id,
        "create_qp beyond the device's limit of " + id + " (" + service + ")",
        (b, s) -> s.pd().createQp(s.qpInit(service).cap(cap.apply(device(s)))));
  }

  private void init(
      QpType type, String id, String title, Errno errno, UnaryOperator<QpInitAttr> change) {
    refused(
        "CREATE_QP-" + type + "-" + id,
        "create_qp " + title + " (" + type + ")",
        errno,
        (b, s) -> s.pd().createQp(change.apply(s.qpInit(type))));
  }

  private void sharedReceiveQueues() {
    refused(
        "CREATE_SRQ-0",
        "create_srq of 0 requests",
        (b, s) -> s.pd().createSrq(new SrqInitAttr(0, 1)));
    refused(
        "CREATE_SRQ-OVER",
        "create_srq beyond max_srq_wr",
        (b, s) -> s.pd().createSrq(new SrqInitAttr(device(s).maxSrqWr() + 1, 1)));
    refused(
        "CREATE_SRQ-SGE",
        "create_srq beyond max_srq_sge",
        (b, s) -> s.pd().createSrq(new SrqInitAttr(1, device(s).maxSrqSge() + 1)));
    refused(
        "MODIFY_SRQ-LIMIT",
        "modify_srq with a limit above max_wr",
        (b, s) -> {
          SharedReceiveQueue srq = s.pd().createSrq(new SrqInitAttr(4, 1));
          srq.modify(new SrqAttr(0, 0, srq.query().maxWr() + 1), SrqAttrMask.LIMIT);
        });
    refused(
        "MODIFY_SRQ-FILL",
        "modify_srq to fewer requests than are posted",
        (b, s) -> {
          SharedReceiveQueue srq = filled(s, 4);
          srq.modify(new SrqAttr(2, 0, 0), SrqAttrMask.MAX_WR);
        });
    refused(
        "MODIFY_SRQ-MASK",
        "modify_srq with an unknown mask bit",
        (b, s) -> filled(s, 1).modify(new SrqAttr(1, 1, 1), 4));
    posting(
        "POST_SRQ_RECV-FULL",
        "post_srq_recv to a full queue",
        Errno.ENOMEM,
        b -> {
          Station s = b.near();
          SharedReceiveQueue srq = s.pd().createSrq(new SrqInitAttr(4, 1));
          fill(s, srq::postRecvOrThrow, srq.query().maxWr());
        });
    posting(
        "POST_SRQ_RECV-SGE",
        "post_srq_recv with too many elements",
        b -> {
          Station s = b.near();
          SharedReceiveQueue srq = s.pd().createSrq(new SrqInitAttr(4, 1));
          srq.postRecvOrThrow(s.receive(1).sge(s.region(), 0, 8).sge(s.region(), 8, 8));
        });
  }

  private static SharedReceiveQueue filled(Station station, int requests) {
    SharedReceiveQueue srq = station.pd().createSrq(new SrqInitAttr(8, 1));
    for (int i = 0; i < requests; i++) {
      Expect.posts(srq, station.receive(i).sge(station.region(), 0, 8));
    }
    return srq;
  }

  /** Fills a queue, and posts one request more. */
  private static void fill(Station station, Consumer<RecvRequestList> post, int requests) {
    for (int i = 0; i <= requests; i++) {
      post.accept(station.receive(i).sge(station.region(), 0, 8));
    }
  }

  private void addressHandles() {
    ah("PORT", "of port 2", p -> new AhAttr(true, p.grh(), 0, 0, 0, 0, 2));
    ah("NO_GRH", "without is_global", p -> new AhAttr(false, null, 1, 0, 0, 0, 1));
    ah("SGID", "from an empty GID index", p -> AhAttr.roce(p.grh().dgid(), 1000));
    ah("VERSION", "to another IP version", p -> AhAttr.roce(Gid.parse("fd00::1"), 0));
  }

  private void ah(String id, String title, UnaryOperator<AhAttr> change) {
    refused(
        "CREATE_AH-" + id,
        "create_ah " + title,
        (b, s) -> s.pd().createAh(change.apply(s.pathTo(b.far()))));
  }

  private void multicast() {
    for (QpType service : new QpType[] {QpType.RC, QpType.UC}) {
      refused(
          "ATTACH_MCAST-" + service,
          "attach_mcast of a queue pair of service " + service,
          (b, s) -> b.near(service, QpState.INIT).attachMulticast(GROUP));
    }
    refused(
        "ATTACH_MCAST-GID",
        "attach_mcast to an address that is not multicast",
        (b, s) -> b.near(QpType.UD, QpState.INIT).attachMulticast(b.far().address()));
    refused(
        "DETACH_MCAST-NOT",
        "detach_mcast from a group that was not joined",
        (b, s) -> b.near(QpType.UD, QpState.INIT).detachMulticast(GROUP));
    holds(
        "ATTACH_MCAST-TWICE",
        "attach_mcast twice is as once",
        (b, s) -> {
          QueuePair qp = b.near(QpType.UD, QpState.INIT);
          qp.attachMulticast(GROUP);
          qp.attachMulticast(GROUP);
          qp.detachMulticast(GROUP);
          Expect.refused(Errno.EINVAL, () -> qp.detachMulticast(GROUP));
        });
  }

  private void receives() {
    for (QpType service : SERVICES) {
      posting(
          "POST_RECV-" + service + "-SRQ",
          "post_recv on a queue pair with SRQ (" + service + ")",
          b -> {
            Station s = b.near();
            SharedReceiveQueue srq = s.pd().createSrq(new SrqInitAttr(4, 1));
            QueuePair qp = s.pd().createQp(s.qpInit(service).srq(srq));
            b.bring(s, qp, QpState.INIT, b.values());
            qp.postRecvOrThrow(s.receive(1).sge(s.region(), 0, 8));
          });
      posting(
          "POST_RECV-" + service + "-SGE",
          "post_recv with more elements than max_recv_sge (" + service + ")",
          b -> {
            QueuePair qp = b.near(service, QpState.INIT);
            RecvRequestList list = b.near().receive(1);
            for (int i = 0; i <= qp.cap().maxRecvSge(); i++) {
              list.sge(b.near().region(), 0, 8);
            }
            qp.postRecvOrThrow(list);
          });
      posting(
          "POST_RECV-" + service + "-FULL",
          "post_recv to a full queue (" + service + ")",
          Errno.ENOMEM,
          b -> {
            QueuePair qp = b.near(service, QpState.INIT);
            fill(b.near(), qp::postRecvOrThrow, qp.cap().maxRecvWr());
          });
    }
  }

  private void sends() {
    for (QpType service : SERVICES) {
      send(
          service,
          "SGE",
          "more elements than max_send_sge",
          (b, qp) -> {
            SendRequestList list = b.near().send(1, WrOpcode.SEND);
            for (int i = 0; i <= qp.cap().maxSendSge(); i++) {
              list.sge(b.near().region(), 0, 8);
            }
            return list;
          });
      send(
          service,
          "INLINE",
          "more inline data than max_inline_data",
          (b, qp) -> {
            MemorySegment data = b.near().memory(qp.cap().maxInlineData() + 1L);
            return b.near().send(1, WrOpcode.SEND).inline(data);
          });
      posting(
          "POST_SEND-" + service + "-FULL",
          "post_send to a full queue (" + service + ")",
          Errno.ENOMEM,
          b -> {
            QueuePair qp = b.near(service, QpState.SQD);
            for (int i = 0; i <= qp.cap().maxSendWr(); i++) {
              SendRequestList list = b.near().send(i, WrOpcode.SEND).sge(b.near().region(), 0, 8);
              qp.postSendOrThrow(addressed(b, service, list));
            }
          });
    }
    aligned(WrOpcode.ATOMIC_CMP_AND_SWP);
    aligned(WrOpcode.ATOMIC_FETCH_AND_ADD);
    send(
        QpType.UD,
        "AH_PD",
        "an address handle of another protection domain",
        (b, qp) -> {
          Station s = b.near();
          return s.send(1, WrOpcode.SEND)
              .sge(s.region(), 0, 8)
              .ud(s.context().allocPd().createAh(s.pathTo(b.far())), 0x17, 1);
        });
    for (WrOpcode opcode :
        new WrOpcode[] {
          WrOpcode.RDMA_READ, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD
        }) {
      posting(
          "POST_SEND-RC-" + opcode + "-DEPTH_0",
          opcode + " with max_rd_atomic 0",
          b -> {
            QueuePair qp = b.near(QpType.RC, QpState.RTS, b.values().maxRdAtomic(0));
            Station s = b.near();
            SendRequestList list = s.send(1, opcode).sge(s.region(), 0, 8);
            qp.postSendOrThrow(
                opcode == WrOpcode.RDMA_READ ? list.remote(0, 1) : list.atomic(0, 1, 1, 1));
          });
    }
    badIndex();
  }

  private void aligned(WrOpcode opcode) {
    for (int length : new int[] {0, 4, 7, 9, 16}) {
      send(
          QpType.RC,
          opcode + "-LENGTH_" + length,
          opcode + " of " + length + " bytes",
          (b, qp) -> b.near().send(1, opcode).sge(b.near().region(), 0, length).atomic(8, 1, 1, 1));
    }
    for (int offset : new int[] {1, 2, 4, 7}) {
      send(
          QpType.RC,
          opcode + "-OFFSET_" + offset,
          opcode + " at a remote address that is not a multiple of 8, by " + offset,
          (b, qp) ->
              b.near().send(1, opcode).sge(b.near().region(), 0, 8).atomic(8 + offset, 1, 1, 1));
    }
  }

  /** A request made for a queue pair. */
  private interface Request {
    SendRequestList make(Bench bench, QueuePair qp);
  }

  private void send(QpType service, String id, String title, Request request) {
    posting(
        "POST_SEND-" + service + "-" + id,
        "post_send with " + title + " (" + service + ")",
        b -> {
          QueuePair qp = b.near(service, QpState.RTS);
          SendRequestList list = request.make(b, qp);
          qp.postSendOrThrow(id.equals("AH_PD") ? list : addressed(b, service, list));
        });
  }

  private static SendRequestList addressed(Bench bench, QpType service, SendRequestList list) {
    return service == QpType.UD
        ? list.ud(bench.near().ahTo(bench.far()), 0x17, bench.values().qkey())
        : list;
  }

  private void badIndex() {
    holds(
        "POST_SEND-BAD_WR",
        "of a list whose third request is bad, the first two are posted and the third is named",
        (b, s) -> {
          QueuePair qp = b.near(QpType.RC, QpState.SQD);
          SendRequestList list = new SendRequestList(Arena.ofAuto(), 4, 1, 0);
          for (int i = 0; i < 4; i++) {
            list.add().wrId(i).opcodeValue(i == 2 ? 13 : WrOpcode.SEND.value());
            list.sge(s.region(), 0, 8);
          }
          Expect.posted(Errno.EINVAL, qp.postSend(list));
          Expect.equal("bad_wr", 2, list.badIndex());
          qp.modify(new QpAttr().qpState(QpState.ERR));
          for (int i = 0; i < 2; i++) {
            b.completes(s, i, WcStatus.WR_FLUSH_ERR);
          }
          b.nothing(s);
        });
  }
}
