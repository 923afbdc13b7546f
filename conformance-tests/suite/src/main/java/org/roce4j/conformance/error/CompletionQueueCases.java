package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;

import java.lang.foreign.Arena;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Completion queues that are too small for their completions. */
final class CompletionQueueCases extends Cases {
  private static final String SOURCE = "rc-transport 10";

  @Override
  void collect() {
    add(
        ErrorCase.of(
                Chapter.CQ,
                "CQ-SEND",
                SOURCE,
                "More send completions than the queue holds",
                bench -> {
                  Station near = bench.near();
                  CompletionQueue small = near.context().createCq(1);
                  QueuePair qp = near.pd().createQp(near.qpInit(QpType.UC).sendCq(small));
                  QueuePair far = bench.far().qp(QpType.UC);
                  bench.connect(qp, far, Bench.attributes(), Bench.attributes());
                  overflow(bench, qp, small.cqe() + 1);
                  return new ErrorCase.Scene(qp, far, () -> emptied(small));
                })
            .requester(null, ERR)
            .requesterEvent(EventType.CQ_ERR)
            .requesterEvent(EventType.QP_FATAL)
            .requesterCounts("cq_overflow"));
    for (QpType service : new QpType[] {QpType.RC, QpType.UC, QpType.UD}) {
      receives(service);
    }
    add(
        ErrorCase.of(
                Chapter.CQ,
                "CQ-SHARED",
                SOURCE,
                "The same, where another queue pair completes to the queue: it goes to ERR as well",
                bench -> {
                  Station near = bench.near();
                  CompletionQueue small = near.context().createCq(1);
                  QueuePair qp = near.pd().createQp(near.qpInit(QpType.UC).sendCq(small));
                  QueuePair other = near.pd().createQp(near.qpInit(QpType.RC).recvCq(small));
                  QueuePair far = bench.far().qp(QpType.UC);
                  bench.connect(qp, far, Bench.attributes(), Bench.attributes());
                  bench.bring(near, other, RTS, bench.values());
                  overflow(bench, qp, small.cqe() + 1);
                  return new ErrorCase.Scene(qp, far, () -> bench.becomes(other, ERR));
                })
            .requester(null, ERR)
            .requesterEvent(EventType.CQ_ERR)
            .requesterEvent(EventType.QP_FATAL)
            .requesterEvent(EventType.QP_FATAL)
            .requesterCounts("cq_overflow"));
  }

  /** Posts WRITEs, which take no receive at the far side. */
  private static void overflow(Bench bench, QueuePair qp, int requests) {
    for (int i = 0; i < requests; i++) {
      Expect.posts(qp, remote(bench, WrOpcode.RDMA_WRITE));
    }
  }

  private void receives(QpType service) {
    boolean rc = service == QpType.RC;
    ErrorCase error =
        ErrorCase.of(
                Chapter.CQ,
                "CQ-RECV_" + service,
                SOURCE,
                "More receive completions than the queue holds (" + service + ")",
                bench -> receivesOverflow(bench, service))
            .requester(rc ? WcStatus.RETRY_EXC_ERR : WcStatus.SUCCESS, rc ? ERR : RTS)
            .responder(null, ERR)
            .responderEvent(EventType.CQ_ERR)
            .responderEvent(EventType.QP_FATAL)
            .responderCounts("cq_overflow");
    add(
        rc
            ? error
                .requesterCounts(
                    "req_cqe_error",
                    "ack_timeout",
                    "completer_retry_err",
                    "retransmitted_pkts",
                    "retry_exceeded_err")
                .responderCounts("wrong_state")
            : error);
  }

  private static ErrorCase.Scene receivesOverflow(Bench bench, QpType service) {
    Station far = bench.far();
    CompletionQueue small = far.context().createCq(1);
    QueuePair receiver = far.pd().createQp(far.qpInit(service).recvCq(small));
    Bench.Pair pair = new Bench.Pair(bench.near().qp(service), receiver);
    bench.connect(pair.near(), receiver, patient(), Bench.attributes());
    int room = small.cqe();
    far.postReceives(receiver, room + 2, service == QpType.UD ? BYTES + GRH : BYTES);
    for (int i = 0; i < room; i++) {
      post(bench, pair, send(bench, BYTES));
      bench.completes(bench.near(), 1, WcStatus.SUCCESS);
    }
    ErrorCase.Scene scene = post(bench, pair, send(bench, BYTES)).then(() -> emptied(small));
    bench.becomes(receiver, ERR);
    if (service == QpType.RC) {
      // The repetitions may have come together with the request.
      late(bench, bench.near(), far, receiver.qpNum(), service);
    }
    return scene;
  }

  /** Entries from before the overflow can be polled; then polling returns EIO. */
  private static void emptied(CompletionQueue queue) {
    try (Arena arena = Arena.ofConfined()) {
      WorkCompletions polled = new WorkCompletions(arena, 1);
      for (int i = 0; i < queue.cqe(); i++) {
        Expect.equal("completions polled", 1, queue.poll(polled, 1));
        Expect.equal("the status", WcStatus.SUCCESS, polled.status(0));
      }
      Expect.equal("poll afterwards", -Errno.EIO.number(), queue.poll(polled, 1));
    }
  }
}
