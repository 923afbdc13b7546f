package org.roce4j.conformance.table;

import java.util.List;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Size and limit of a shared receive queue, changed while it is used; refusals are BAD- rows. */
public final class SharedQueueSizeTable extends RowTable {
  private static final int BYTES = 64;

  private SharedQueueSizeTable() {
    super("SRQ-", "man ibv_modify_srq; rc-transport 5.3");
  }

  /** All rows. */
  @Covers({"ibv_create_srq", "ibv_modify_srq", "ibv_query_srq", "ibv_destroy_srq"})
  public static List<Row> rows() {
    SharedQueueSizeTable table = new SharedQueueSizeTable();
    table.sizes();
    table.limits();
    return table.rows;
  }

  private static SharedReceiveQueue srq(Bench bench, int size, int receives) {
    SharedReceiveQueue srq = bench.far().pd().createSrq(new SrqInitAttr(size, 1));
    for (int i = 0; i < receives; i++) {
      Expect.posted(null, post(bench, srq, i));
    }
    return srq;
  }

  private static int post(Bench bench, SharedReceiveQueue srq, int wrId) {
    Station far = bench.far();
    return srq.postRecv(far.receive(wrId).sge(far.region(), 0, BYTES));
  }

  private static void resize(SharedReceiveQueue srq, int size) {
    srq.modify(new SrqAttr(size, 0, 0), SrqAttrMask.MAX_WR);
  }

  private void sizes() {
    row(
        "KEEP",
        "what is posted survives a change of size, in order",
        bench -> {
          SharedReceiveQueue srq = srq(bench, 4, 3);
          resize(srq, 64);
          resize(srq, 3);
          Bench.Pair pair = pair(bench, srq);
          for (int i = 0; i < 3; i++) {
            sends(bench, pair, i);
            bench.completes(bench.far(), i, WcStatus.SUCCESS);
          }
        });
    row(
        "MOST",
        "a queue cannot get larger than the device allows",
        bench -> {
          SharedReceiveQueue srq = srq(bench, 8, 0);
          int most = bench.far().context().queryDevice().maxSrqWr();
          Expect.refused(Errno.EINVAL, () -> resize(srq, most + 1));
          srq.close();
        });
  }

  private void limits() {
    row(
        "LIMIT_REARMED",
        "a limit may be changed before it is reached",
        bench -> {
          SharedReceiveQueue srq = srq(bench, 8, 3);
          Bench.Pair pair = pair(bench, srq);
          srq.modify(new SrqAttr(0, 0, 3), SrqAttrMask.LIMIT);
          srq.modify(new SrqAttr(0, 0, 1), SrqAttrMask.LIMIT);
          sends(bench, pair, 1);
          sends(bench, pair, 2);
          bench.noEvent(bench.far());
          sends(bench, pair, 3);
          bench.event(bench.far(), EventType.SRQ_LIMIT_REACHED);
        });
  }

  private static Bench.Pair pair(Bench bench, SharedReceiveQueue srq) {
    Station far = bench.far();
    Bench.Pair pair =
        new Bench.Pair(
            bench.near().qp(QpType.RC), far.pd().createQp(far.qpInit(QpType.RC).srq(srq)));
    bench.connect(pair.near(), pair.far(), Bench.attributes(), Bench.attributes());
    return pair;
  }

  private static void sends(Bench bench, Bench.Pair pair, int wrId) {
    Station near = bench.near();
    Expect.posts(pair.near(), near.send(wrId, WrOpcode.SEND).sge(near.region(), 0, BYTES));
    bench.completes(near, wrId, WcStatus.SUCCESS);
  }
}
