package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;

import java.util.List;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Errors whose receives come from a shared receive queue. */
final class SharedReceiveCases extends Cases {
  /** A pair whose far side receives from a shared queue. */
  private record Shared(SharedReceiveQueue srq, Bench.Pair pair) {
    static Shared of(Bench bench, QpType service, int receives) {
      Station far = bench.far();
      SharedReceiveQueue srq = far.pd().createSrq(new SrqInitAttr(8, 1));
      Bench.Pair pair =
          new Bench.Pair(bench.near().qp(service), far.pd().createQp(far.qpInit(service).srq(srq)));
      bench.connect(pair.near(), pair.far(), Bench.attributes().rnrRetry(1), Bench.attributes());
      for (int i = 0; i < receives; i++) {
        Expect.posts(
            srq,
            far.receive(100L + i).sge(far.region(), 0, service == QpType.UD ? BYTES + GRH : BYTES));
      }
      return new Shared(srq, pair);
    }
  }

  private static ErrorCase of(String id, String source, String cause, ErrorCase.Provocation how) {
    return ErrorCase.of(Chapter.SRQ, "SRQ-" + id, source, cause, how);
  }

  private static ErrorCase of(String id, String source, String cause, List<ErrorCase.Way> ways) {
    return ErrorCase.of(Chapter.SRQ, "SRQ-" + id, source, cause, ways);
  }

  @Override
  void collect() {
    add(
        of(
                "RC-EMPTY",
                "rc-transport 4",
                "RC: the queue is empty, and stays so for rnr_retry attempts",
                bench -> post(bench, Shared.of(bench, QpType.RC, 0).pair(), send(bench, BYTES)))
            .requester(WcStatus.RNR_RETRY_EXC_ERR, ERR)
            .requesterCounts(
                "req_cqe_error", "rcvd_rnr_err", "retransmitted_pkts", "retry_rnr_exceeded_err")
            .responderCounts("send_rnr_err"));
    add(
        of(
                "RC-SEND_LONG",
                "rc-transport 0 R5",
                "RC: a SEND longer than the receive it came to",
                bench -> post(bench, Shared.of(bench, QpType.RC, 2).pair(), send(bench, BYTES + 1)))
            .requester(WcStatus.REM_INV_REQ_ERR, ERR)
            .responder(WcStatus.LOC_LEN_ERR, ERR)
            .responderEvent(EventType.QP_REQ_ERR)
            .responderEvent(EventType.QP_LAST_WQE_REACHED)
            .requesterCounts("req_cqe_error", "req_remote_invalid_request")
            .responderCounts("resp_cqe_error", "resp_local_length_error"));
    add(
        of(
                "RC-RECV_LKEY",
                "rc-transport 5",
                "RC: the receive has",
                WrongMemory.ways(
                    WrongMemory.LANDINGS,
                    (bench, wrong) -> {
                      Shared shared = Shared.of(bench, QpType.RC, 0);
                      Expect.posts(shared.srq(), receive(bench, wrong, BYTES));
                      return post(bench, shared.pair(), send(bench, BYTES));
                    }))
            .requester(WcStatus.REM_OP_ERR, ERR)
            .responder(WcStatus.LOC_PROT_ERR, ERR)
            .responderEvent(EventType.QP_LAST_WQE_REACHED)
            .requesterCounts("req_cqe_error", "req_remote_op_errors")
            .responderCounts("resp_cqe_error", "resp_local_prot_error"));
    add(
        of(
                "RC-RKEY",
                "rc-transport 5",
                "RC: RDMA_WRITE_WITH_IMM with an rkey that nobody has",
                bench ->
                    post(
                        bench,
                        Shared.of(bench, QpType.RC, 2).pair(),
                        remote(
                            bench,
                            WrOpcode.RDMA_WRITE_WITH_IMM,
                            bench.far().region().address(),
                            Bench.noKey(bench.far()))))
            .requester(WcStatus.REM_ACCESS_ERR, ERR)
            .responder(WcStatus.REM_ACCESS_ERR, ERR)
            .responderEvent(EventType.QP_ACCESS_ERR)
            .responderEvent(EventType.QP_LAST_WQE_REACHED)
            .requesterCounts("req_cqe_error", "req_remote_access_errors")
            .responderCounts("resp_cqe_error", "resp_remote_access_errors"));
    add(
        of(
                "RC-ERR",
                "rc-transport 5.1",
                "A queue pair of the queue is modified to ERR; nothing is flushed",
                bench -> {
                  Shared shared = Shared.of(bench, QpType.RC, 2);
                  shared.pair().far().modify(new QpAttr().qpState(ERR));
                  return ErrorCase.Scene.of(shared.pair());
                })
            .responder(null, ERR)
            .responderEvent(EventType.QP_LAST_WQE_REACHED));
    add(
        of(
                "UC-SEND_LONG",
                "rc-transport 7",
                "UC: a SEND longer than the receive, which was taken and so is completed",
                bench -> post(bench, Shared.of(bench, QpType.UC, 2).pair(), send(bench, BYTES + 1)))
            .requester(WcStatus.SUCCESS, RTS)
            .responder(WcStatus.REM_INV_REQ_ERR, RTS)
            .responderCounts("resp_cqe_error", "request_dropped"));
    add(
        of(
                "UC-EMPTY",
                "rc-transport 7",
                "UC: the queue is empty",
                bench -> post(bench, Shared.of(bench, QpType.UC, 0).pair(), send(bench, BYTES)))
            .requester(WcStatus.SUCCESS, RTS)
            .responderCounts("out_of_buffer"));
    add(
        of(
                "UD-SEND_LONG",
                "rc-transport 8",
                "UD: the message is longer than the receive less 40 bytes; the receive is kept",
                bench -> {
                  Bench.Pair pair = Shared.of(bench, QpType.UD, 1).pair();
                  return post(bench, pair, send(bench, BYTES + 1))
                      .then(() -> UnreliableCases.serves(bench, pair));
                })
            .requester(WcStatus.SUCCESS, RTS)
            .responderCounts("request_dropped"));
    add(
        of(
                "UD-EMPTY",
                "rc-transport 8",
                "UD: the queue is empty",
                bench -> post(bench, Shared.of(bench, QpType.UD, 0).pair(), send(bench, BYTES)))
            .requester(WcStatus.SUCCESS, RTS)
            .responderCounts("out_of_buffer"));
    add(
        of(
                "LIMIT",
                "rc-transport 5.3",
                "Fewer receives are left than the armed limit, which is 0 from then on",
                bench -> {
                  Shared shared = Shared.of(bench, QpType.RC, 2);
                  shared.srq().modify(new SrqAttr(0, 0, 2), SrqAttrMask.LIMIT);
                  return post(bench, shared.pair(), send(bench, BYTES))
                      .then(() -> Expect.equal("the limit", 0, shared.srq().query().limit()));
                })
            .requester(WcStatus.SUCCESS, RTS)
            .responder(WcStatus.SUCCESS, RTS)
            .responderEvent(EventType.SRQ_LIMIT_REACHED));
  }
}
