package org.roce4j.conformance.table;

import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Which object must be gone before which (verbs-tables 7.1). */
public final class ObjectReferenceTable extends RowTable {
  private static final String SOURCE = "verbs-tables 7.1";
  private static final Gid GROUP = Gid.parse("239.1.2.3");

  /** A verb that destroys. */
  private interface Destroy {
    void run();
  }

  /** A used object and its user. */
  private record Use(Destroy used, Destroy user) {}

  private ObjectReferenceTable() {
    super("REF-", SOURCE);
  }

  /** All rows. */
  public static List<Row> rows() {
    ObjectReferenceTable table = new ObjectReferenceTable();
    table.domains();
    table.queues();
    table.regions();
    table.contexts();
    return table.rows;
  }

  private void busy(String id, String title, Function<Bench, Use> make) {
    row(
        id,
        title + ": EBUSY",
        bench -> {
          Use use = make.apply(bench);
          Expect.refused(Errno.EBUSY, use.used()::run);
          Expect.refused(Errno.EBUSY, use.used()::run);
          use.user().run();
          use.used().run();
        });
  }

  private void domains() {
    domain("MR", "a memory region", (near, pd) -> pd.registerMemory(near.memory(64), 0)::close);
    for (MwType type : MwType.values()) {
      domain(
          "MW_" + type,
          "a memory window of " + type,
          (near, pd) -> pd.allocMemoryWindow(type)::close);
    }
    for (QpType service : new QpType[] {QpType.RC, QpType.UC, QpType.UD}) {
      domain(
          "QP_" + service,
          "a queue pair (" + service + ")",
          (near, pd) -> pd.createQp(near.qpInit(service))::close);
    }
    domain(
        "SRQ", "a shared receive queue", (near, pd) -> pd.createSrq(new SrqInitAttr(1, 1))::close);
    busy(
        "PD-AH",
        "a protection domain with an address handle",
        bench -> {
          ProtectionDomain pd = bench.near().context().allocPd();
          return new Use(pd::close, pd.createAh(bench.near().pathTo(bench.far()))::close);
        });
  }

  private void domain(
      String id, String words, BiFunction<Station, ProtectionDomain, Destroy> user) {
    busy(
        "PD-" + id,
        "a protection domain with " + words,
        bench -> {
          ProtectionDomain pd = bench.near().context().allocPd();
          return new Use(pd::close, user.apply(bench.near(), pd));
        });
  }

  @Covers({"ibv_destroy_srq", "ibv_destroy_qp", "ibv_destroy_cq"})
  private void queues() {
    completions("SEND", "sends", QpInitAttr::sendCq);
    completions("RECV", "receives", QpInitAttr::recvCq);
    busy(
        "CHANNEL-CQ",
        "a completion channel with a completion queue",
        bench -> {
          Context context = bench.near().context();
          CompletionChannel channel = context.createCompletionChannel();
          CompletionQueue cq = context.createCq(4, null, channel, 0);
          return new Use(channel::close, cq::close);
        });
    busy(
        "SRQ-QP",
        "a shared receive queue with a queue pair",
        bench -> {
          Station near = bench.near();
          SharedReceiveQueue srq = near.pd().createSrq(new SrqInitAttr(4, 1));
          QueuePair qp = near.pd().createQp(near.qpInit(QpType.RC).srq(srq));
          return new Use(srq::close, qp::close);
        });
    busy(
        "QP-MCAST",
        "a queue pair that is attached to a multicast group",
        bench -> {
          QueuePair qp = bench.near(QpType.UD, QpState.INIT);
          qp.attachMulticast(GROUP);
          return new Use(qp::close, () -> qp.detachMulticast(GROUP));
        });
  }

  private void completions(
      String id, String does, BiFunction<QpInitAttr, CompletionQueue, QpInitAttr> use) {
    busy(
        "CQ-" + id,
        "a completion queue that a queue pair " + does + " to",
        bench -> {
          Station near = bench.near();
          CompletionQueue cq = near.context().createCq(4);
          QueuePair qp = near.pd().createQp(use.apply(near.qpInit(QpType.RC), cq));
          return new Use(cq::close, qp::close);
        });
  }

  private void regions() {
    busy(
        "MR-MW_BOUND",
        "a memory region with a window bound to it",
        bench -> {
          MemoryRegion region = bench.near().region(Station.ALL_RIGHTS);
          return new Use(region::close, bound(bench, region)::close);
        });
    row(
        "REREG_MR-MW_BOUND",
        "verbs-tables 7",
        "a memory region with a window bound to it cannot be registered anew: EBUSY",
        bench -> {
          MemoryRegion region = bench.near().region(Station.ALL_RIGHTS);
          MemoryWindow window = bound(bench, region);
          Expect.refused(Errno.EBUSY, () -> region.reregister(null, AccessFlags.LOCAL_WRITE));
          Expect.equal("the rights", Station.ALL_RIGHTS, region.accessFlags());
          window.close();
          region.reregister(null, AccessFlags.LOCAL_WRITE);
        });
    row(
        "MW-BOUND",
        "rc-transport 6.5",
        "a window can be deallocated while it is bound",
        bench -> bound(bench, bench.near().region()).close());
    row(
        "MR-MW_INVALIDATED",
        "rc-transport 6.5",
        "a region whose window was invalidated can be deregistered",
        bench -> {
          MemoryRegion region = bench.near().region(Station.ALL_RIGHTS);
          Bench.Pair pair = bench.pair(QpType.RC);
          int rkey = bind(bench, pair.near(), newWindow(bench), region);
          Expect.posts(pair.near(), bench.near().send(2, WrOpcode.LOCAL_INV).invalidateRkey(rkey));
          bench.completes(bench.near(), 2, WcStatus.SUCCESS);
          region.close();
        });
  }

  private static MemoryWindow newWindow(Bench bench) {
    return bench.near().pd().allocMemoryWindow(MwType.TYPE_2);
  }

  private static MemoryWindow bound(Bench bench, MemoryRegion region) {
    MemoryWindow window = newWindow(bench);
    bind(bench, bench.near(QpType.RC, QpState.RTS), window, region);
    return window;
  }

  /** Binds it; the key by which it is reached then. */
  private static int bind(Bench bench, QueuePair qp, MemoryWindow window, MemoryRegion region) {
    Station near = bench.near();
    int rkey = MemoryWindow.incrementRkey(window.rkey());
    Expect.posts(
        qp,
        near.send(1, WrOpcode.BIND_MW)
            .bindMw(window, rkey, region, region.address(), 64, AccessFlags.REMOTE_READ));
    bench.completes(near, 1, WcStatus.SUCCESS);
    return rkey;
  }

  @Covers({"ibv_open_device", "ibv_close_device"})
  private void contexts() {
    row(
        "CONTEXT",
        "closing a context frees everything that is left of it",
        bench -> {
          Context context = bench.near().context();
          ProtectionDomain pd = bench.near().pd();
          QueuePair qp = bench.near(QpType.RC, QpState.RTS);
          bench.near().region();
          pd.createSrq(new SrqInitAttr(1, 1));
          context.close();
          context.close();
          qp.close();
          boolean refused = false;
          try {
            context.allocPd();
          } catch (VerbsException e) {
            refused = true;
          }
          Expect.that(refused, "a closed context allocates");
        });
    row(
        "QP-OUTSTANDING",
        "a queue pair can be destroyed with requests outstanding",
        bench -> {
          Station near = bench.near();
          QueuePair qp = bench.near(QpType.RC, QpState.RTS);
          near.postReceives(qp, 3, 64);
          Expect.posts(qp, near.send(1, WrOpcode.SEND).sge(near.region(), 0, 8));
          qp.close();
          bench.nothing(near);
          near.cq().close();
          near.region().close();
          near.pd().close();
        });
  }
}
