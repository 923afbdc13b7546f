package org.roce4j.conformance.table;

import java.util.List;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * The occasions of asynchronous events, and occasions without an event (rc-transport 5, 5.1 to 5.3,
 * 10; verbs-tables 5). {@link PeerFaultTable} has the events of a peer's bad request.
 */
public final class AsyncEventTable extends RowTable {
  private static final int BYTES = 64;

  private AsyncEventTable() {
    super("EVT-", "verbs-tables 5");
  }

  /** All rows. */
  @Covers({"ibv_get_async_event", "ibv_ack_async_event"})
  public static List<Row> rows() {
    AsyncEventTable table = new AsyncEventTable();
    table.queuePairs();
    table.sharedReceiveQueues();
    table.row(
        "CQ_ERR",
        "rc-transport 10",
        "a completion queue that overflows: CQ_ERR, the queue pair goes to ERR",
        AsyncEventTable::overflow);
    table.row(
        "PORT",
        "verbs-tables 5",
        "a port that goes down: PORT_ERR; up again: PORT_ACTIVE",
        AsyncEventTable::port);
    table.row(
        "GID_CHANGE",
        "verbs-tables 5",
        "an address that a port gets, and loses: GID_CHANGE; the entry is filled, and zero",
        AsyncEventTable::addresses);
    return table.rows;
  }

  private void queuePairs() {
    row(
        "COMM_EST",
        "rc-transport 11 row 7",
        "the first packet processed in RTR: COMM_EST, once; one that finds no receive raises none",
        bench -> {
          Station near = bench.near();
          Station far = bench.far();
          QueuePair sender = near.qp(QpType.RC);
          QueuePair qp = far.qp(QpType.RC);
          bench.bring(
              far,
              qp,
              QpState.RTR,
              Bench.attributes().ahAttr(far.pathTo(near)).destQpNum(sender.qpNum()));
          bench.bring(
              near,
              sender,
              QpState.RTS,
              Bench.attributes().ahAttr(near.pathTo(far)).destQpNum(qp.qpNum()));
          Expect.posts(sender, near.send(1, WrOpcode.SEND).sge(near.region(), 0, 8));
          bench.link().await(() -> near.counted("rcvd_rnr_err") > 0, Bench.SOON_NS);
          bench.noEvent(far);
          far.postReceives(qp, 2, BYTES);
          bench.completes(near, 1, WcStatus.SUCCESS);
          Expect.posts(sender, near.send(2, WrOpcode.SEND).sge(near.region(), 0, 8));
          bench.completes(near, 2, WcStatus.SUCCESS);
          Expect.that(bench.event(far, EventType.COMM_EST).qp() == qp, "another queue pair");
          bench.noEvent(far);
        });
    row(
        "COMM_EST-UC",
        "rc-transport 13",
        "UC: the first packet processed in RTR: COMM_EST; one that is dropped raises none",
        bench -> {
          Station near = bench.near();
          Station far = bench.far();
          QueuePair sender = near.qp(QpType.UC);
          QueuePair qp = far.qp(QpType.UC);
          bench.bring(
              far,
              qp,
              QpState.RTR,
              Bench.attributes().ahAttr(far.pathTo(near)).destQpNum(sender.qpNum()));
          bench.bring(
              near,
              sender,
              QpState.RTS,
              Bench.attributes().ahAttr(near.pathTo(far)).destQpNum(qp.qpNum()));
          Expect.posts(sender, near.send(1, WrOpcode.SEND).sge(near.region(), 0, 8));
          bench
              .link()
              .await(
                  () -> {
                    far.poll();
                    return far.counted("out_of_buffer") > 0;
                  },
                  Bench.SOON_NS);
          bench.noEvent(far);
          far.postReceives(qp, 1, BYTES);
          Expect.posts(sender, near.send(2, WrOpcode.SEND).sge(near.region(), 0, 8));
          bench.completes(far, 100, WcStatus.SUCCESS);
          Expect.that(bench.event(far, EventType.COMM_EST).qp() == qp, "another queue pair");
        });
    row(
        "COMM_EST-RTS",
        "rc-transport 11 row 7",
        "no COMM_EST in RTS",
        bench -> {
          Bench.Pair pair = bench.pair(QpType.RC);
          send(bench, pair, 1);
          bench.completes(bench.far(), 100, WcStatus.SUCCESS);
          bench.noEvent(bench.far());
        });
    row(
        "SQ_DRAINED",
        "rc-transport 5.2",
        "RTS to SQD with en_sqd_async_notify: SQ_DRAINED when nothing is outstanding",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, QpState.RTS);
          qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
          Expect.that(
              bench.event(bench.near(), EventType.SQ_DRAINED).qp() == qp, "another queue pair");
          bench.noEvent(bench.near());
          Expect.that(!qp.query().sqDraining(), "sq_draining is still set");
        });
    row(
        "ORDER",
        "verbs-tables 5",
        "events of two queue pairs, one of them twice: told in the order they happened, none"
            + " merged",
        bench -> {
          Station near = bench.near();
          QueuePair one = bench.near(QpType.RC, QpState.RTS);
          QueuePair other = bench.near(QpType.RC, QpState.RTS);
          QpAttr drain = new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true);
          for (QueuePair each : List.of(one, one, other, one)) {
            each.modify(drain);
            bench.link().await(() -> !each.query().sqDraining(), Bench.SOON_NS);
            each.modify(new QpAttr().qpState(QpState.RTS));
          }
          for (QueuePair each : List.of(one, one, other, one)) {
            Expect.that(bench.event(near, EventType.SQ_DRAINED).qp() == each, "another queue pair");
          }
          bench.noEvent(near);
        });
    row(
        "SQ_DRAINED-UNASKED",
        "rc-transport 5.2",
        "RTS to SQD without en_sqd_async_notify: no event",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, QpState.SQD);
          Expect.that(!qp.query().sqDraining(), "sq_draining is set");
          bench.noEvent(bench.near());
        });
    row(
        "SQ_DRAINED-LATER",
        "rc-transport 5.2",
        "while a started request is outstanding the queue drains: no event, RTS refused; then both",
        AsyncEventTable::drains);
  }

  private static void send(Bench bench, Bench.Pair pair, long wrId) {
    bench.far().postReceives(pair.far(), 1, BYTES);
    Station near = bench.near();
    Expect.posts(pair.near(), near.send(wrId, WrOpcode.SEND).sge(near.region(), 0, 8));
    bench.completes(near, wrId, WcStatus.SUCCESS);
  }

  /** A request that waits for a receive keeps the queue from being drained. */
  private static void drains(Bench bench) {
    Bench.Pair pair = bench.pair(QpType.RC, Bench.attributes(), Bench.attributes().minRnrTimer(18));
    Station near = bench.near();
    QueuePair qp = pair.near();
    Expect.posts(qp, near.send(1, WrOpcode.SEND).sge(near.region(), 0, 8));
    bench.link().await(() -> near.counted("rcvd_rnr_err") > 0, Bench.SOON_NS);
    qp.modify(new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true));
    Expect.that(qp.query().sqDraining(), "sq_draining is not set");
    bench.noEvent(near);
    Expect.refused(Errno.EINVAL, () -> qp.modify(new QpAttr().qpState(QpState.RTS)));
    bench.far().postReceives(pair.far(), 1, BYTES);
    bench.completes(near, 1, WcStatus.SUCCESS);
    bench.event(near, EventType.SQ_DRAINED);
    qp.modify(new QpAttr().qpState(QpState.RTS));
  }

  private void sharedReceiveQueues() {
    row(
        "LAST_WQE",
        "rc-transport 5.1",
        "a queue pair with SRQ that enters ERR: QP_LAST_WQE_REACHED, nothing of the SRQ is flushed",
        bench -> {
          Station near = bench.near();
          SharedReceiveQueue srq = near.pd().createSrq(new SrqInitAttr(4, 1));
          QueuePair qp = near.pd().createQp(near.qpInit(QpType.RC).srq(srq));
          Expect.posts(srq, near.receive(1).sge(near.region(), 0, BYTES));
          bench.bring(near, qp, QpState.RTS, bench.values());
          qp.modify(new QpAttr().qpState(QpState.ERR));
          Expect.that(
              bench.event(near, EventType.QP_LAST_WQE_REACHED).qp() == qp, "another queue pair");
          bench.noEvent(near);
          bench.nothing(near);
        });
    row(
        "SRQ_LIMIT",
        "rc-transport 5.3",
        "fewer requests in an SRQ than the armed limit: SRQ_LIMIT_REACHED once, the limit reads 0",
        AsyncEventTable::limit);
    row(
        "SRQ_LIMIT-AT_ONCE",
        "rc-transport 5.3",
        "a limit above what is posted when it is armed: SRQ_LIMIT_REACHED at once, the limit reads"
            + " 0",
        bench -> {
          Station near = bench.near();
          SharedReceiveQueue srq = near.pd().createSrq(new SrqInitAttr(8, 1));
          Expect.posts(srq, near.receive(1).sge(near.region(), 0, BYTES));
          srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT);
          bench.noEvent(near);
          srq.modify(new SrqAttr(0, 0, 2), SrqAttrMask.LIMIT);
          Expect.that(bench.event(near, EventType.SRQ_LIMIT_REACHED).srq() == srq, "another SRQ");
          Expect.equal("the limit after the event", 0, srq.query().limit());
          bench.noEvent(near);
        });
    row(
        "SRQ_GROWS",
        "verbs-tables 10",
        "a shared receive queue made for 1 request and modified to 10 with a limit of 10 takes 10",
        AsyncEventTable::grows);
  }

  /** The manual's own example of ibv_modify_srq. */
  @Covers({"ibv_create_srq", "ibv_modify_srq", "ibv_query_srq", "ibv_post_srq_recv"})
  private static void grows(Bench bench) {
    Station far = bench.far();
    far.need(DeviceCapFlags.SRQ_RESIZE);
    SharedReceiveQueue srq = far.pd().createSrq(new SrqInitAttr(1, 1));
    QueuePair receiver = far.pd().createQp(far.qpInit(QpType.RC).srq(srq));
    Bench.Pair pair = new Bench.Pair(bench.near().qp(QpType.RC), receiver);
    bench.connect(pair.near(), pair.far(), Bench.attributes(), Bench.attributes());
    Expect.posts(srq, far.receive(0).sge(far.region(), 0, BYTES));
    srq.modify(new SrqAttr(10, 1, 0), SrqAttrMask.MAX_WR);
    Expect.that(srq.query().maxWr() >= 10, "the queue is smaller than it was modified to");
    for (int i = 1; i < 10; i++) {
      Expect.posts(srq, far.receive(i).sge(far.region(), 0, BYTES));
    }
    srq.modify(new SrqAttr(0, 0, 10), SrqAttrMask.LIMIT);
    Station near = bench.near();
    for (int i = 0; i < 10; i++) {
      Expect.posts(pair.near(), near.send(i, WrOpcode.SEND).sge(near.region(), 0, 8));
      bench.completes(near, i, WcStatus.SUCCESS);
      bench.completes(far, i, WcStatus.SUCCESS);
    }
    bench.event(far, EventType.SRQ_LIMIT_REACHED);
    bench.noEvent(far);
  }

  private static void limit(Bench bench) {
    Station far = bench.far();
    SharedReceiveQueue srq = far.pd().createSrq(new SrqInitAttr(8, 1));
    QueuePair receiver = far.pd().createQp(far.qpInit(QpType.RC).srq(srq));
    Bench.Pair pair = new Bench.Pair(bench.near().qp(QpType.RC), receiver);
    bench.connect(pair.near(), pair.far(), Bench.attributes(), Bench.attributes());
    for (int i = 0; i < 5; i++) {
      Expect.posts(srq, far.receive(i).sge(far.region(), 0, BYTES));
    }
    srq.modify(new SrqAttr(0, 0, 3), SrqAttrMask.LIMIT);
    Expect.equal("the armed limit", 3, srq.query().limit());
    Station near = bench.near();
    for (int i = 0; i < 5; i++) {
      Expect.posts(pair.near(), near.send(i, WrOpcode.SEND).sge(near.region(), 0, 8));
      bench.completes(near, i, WcStatus.SUCCESS);
      bench.completes(far, i, WcStatus.SUCCESS);
      if (i < 2) {
        bench.noEvent(far); // 4 and 3 are not fewer than 3
      } else if (i == 2) {
        AsyncEvent event = bench.event(far, EventType.SRQ_LIMIT_REACHED);
        Expect.that(event.srq() == srq, "another SRQ");
        Expect.equal("the limit after the event", 0, srq.query().limit());
      } else {
        bench.noEvent(far);
      }
    }
  }

  private static void overflow(Bench bench) {
    Station near = bench.near();
    CompletionQueue small = near.context().createCq(1);
    QueuePair qp = near.pd().createQp(near.qpInit(QpType.RC).cq(small));
    bench.bring(near, qp, QpState.RTR, bench.values());
    int requests = small.cqe() + 1;
    Expect.that(requests <= qp.cap().maxRecvWr(), "the queue is larger than the receive queue");
    near.postReceives(qp, requests, BYTES);
    qp.modify(new QpAttr().qpState(QpState.ERR));
    Expect.that(bench.event(near, EventType.CQ_ERR).cq() == small, "another completion queue");
    bench.becomes(qp, QpState.ERR);
  }

  private static void port(Bench bench) {
    bench.need(Capability.PORT_CONTROL);
    Station near = bench.near();
    bench.link().port(false);
    try {
      Expect.equal("the port", 1, bench.event(near, EventType.PORT_ERR).portNum());
      Expect.equal("its state", PortState.DOWN, near.context().queryPort(1).state());
    } finally {
      bench.link().port(true);
    }
    bench.event(near, EventType.PORT_ACTIVE);
    Expect.equal("its state", PortState.ACTIVE, near.context().queryPort(1).state());
    bench.noEvent(near);
  }

  private static void addresses(Bench bench) {
    bench.need(Capability.ADDRESS_CONTROL);
    Station near = bench.near();
    List<GidEntry> before = near.context().queryGidTable();
    Gid address = bench.link().addAddress();
    Expect.equal("the port", 1, bench.event(near, EventType.GID_CHANGE).portNum());
    List<GidEntry> now = near.context().queryGidTable();
    Expect.equal("entries", before.size() + 1, now.size());
    GidEntry entry = now.stream().filter(each -> !before.contains(each)).findFirst().orElseThrow();
    Expect.equal("the entry", address, near.context().queryGid(1, entry.gidIndex()));
    bench.link().removeAddress(address);
    bench.event(near, EventType.GID_CHANGE);
    Expect.equal("the entry", Gid.ZERO, near.context().queryGid(1, entry.gidIndex()));
    Expect.refused(Errno.ENODATA, () -> near.context().queryGidEx(1, entry.gidIndex()));
    Expect.equal("the table", before, near.context().queryGidTable());
    bench.noEvent(near);
  }
}
