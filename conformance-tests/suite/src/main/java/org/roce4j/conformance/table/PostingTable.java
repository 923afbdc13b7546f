package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** The requests that may be posted in each state, and their completions (verbs-tables 3). */
public final class PostingTable {
  private static final String SOURCE = "verbs-tables 3";
  private static final int BYTES = 64;
  private static final long RECEIVE = 7;
  private static final long SEND = 8;

  private PostingTable() {}

  /** All rows: each state with each service and queue. */
  @Covers({"ibv_post_send", "ibv_post_recv"})
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (String[] cells : TextTable.read("posting.txt")) {
      QpState state = QpState.valueOf(cells[0]);
      for (QpType service : new QpType[] {QpType.RC, QpType.UC, QpType.UD}) {
        if (state == QpState.SQE && service == QpType.RC) {
          continue; // RC is never in SQE
        }
        rows.add(
            new Row(
                "POST-" + service + "-" + state + "-RECV",
                SOURCE,
                "post_recv in " + state + " (" + service + "): " + cells[1],
                bench -> receive(bench, service, state, cells[1])));
        rows.add(
            new Row(
                "POST-" + service + "-" + state + "-SEND",
                SOURCE,
                "post_send in " + state + " (" + service + "): " + cells[2],
                bench -> send(bench, service, state, cells[2])));
      }
    }
    return rows;
  }

  private static void receive(Bench bench, QpType service, QpState state, String verdict) {
    Station near = bench.near();
    QueuePair sender = bench.far().qp(service);
    QueuePair qp = near.qp(service);
    QpAttr values = bench.values().ahAttr(near.pathTo(bench.far())).destQpNum(sender.qpNum());
    bench.bring(near, qp, state, values);
    QpAttr back = Bench.attributes().ahAttr(bench.far().pathTo(near)).destQpNum(qp.qpNum());
    bench.bring(bench.far(), sender, QpState.RTS, back);

    Errno errno = verdict.equals("EINVAL") ? Errno.EINVAL : null;
    Expect.posted(errno, qp.postRecv(near.receive(RECEIVE).sge(near.region(), 0, BYTES + 40)));
    if (verdict.equals("flushed")) {
      bench.completes(near, RECEIVE, WcStatus.WR_FLUSH_ERR);
      bench.nothing(near);
    } else if (verdict.equals("taken")) {
      Expect.posts(sender, message(bench.far(), near, qp, back));
      bench.completes(near, RECEIVE, WcStatus.SUCCESS);
    } else {
      bench.nothing(near);
    }
  }

  private static void send(Bench bench, QpType service, QpState state, String verdict) {
    Station near = bench.near();
    QueuePair receiver = bench.far().qp(service);
    QueuePair qp = near.qp(service);
    QpAttr values = bench.values().ahAttr(near.pathTo(bench.far())).destQpNum(receiver.qpNum());
    bench.bring(near, qp, state, values);
    bench.bring(
        bench.far(),
        receiver,
        QpState.RTS,
        Bench.attributes().ahAttr(bench.far().pathTo(near)).destQpNum(qp.qpNum()));
    bench.far().postReceives(receiver, 1, BYTES + 40);

    Errno errno = verdict.equals("EINVAL") ? Errno.EINVAL : null;
    SendRequestList message = message(near, bench.far(), receiver, values);
    Expect.posted(errno, qp.postSend(message));
    switch (verdict) {
      case "EINVAL" -> {
        Expect.equal("the index of the bad request", 0, message.badIndex());
        bench.nothing(near);
      }
      case "flushed" -> {
        bench.completes(near, SEND, WcStatus.WR_FLUSH_ERR);
        bench.nothing(near);
      }
      case "taken" -> {
        bench.completes(near, SEND, WcStatus.SUCCESS);
        bench.completes(bench.far(), 100, WcStatus.SUCCESS);
      }
      default -> {
        bench.nothing(near);
        qp.modify(new QpAttr().qpState(QpState.RTS));
        bench.completes(near, SEND, WcStatus.SUCCESS);
        bench.completes(bench.far(), 100, WcStatus.SUCCESS);
      }
    }
  }

  private static SendRequestList message(
      Station from, Station to, QueuePair receiver, QpAttr values) {
    SendRequestList message = from.send(SEND, WrOpcode.SEND).sge(from.region(), 0, BYTES);
    return receiver.qpType() == QpType.UD
        ? message.ud(from.ahTo(to), receiver.qpNum(), values.qkey())
        : message;
  }
}
