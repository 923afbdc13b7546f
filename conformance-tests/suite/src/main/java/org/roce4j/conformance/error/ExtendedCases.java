package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;

import java.util.List;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.ExtendedPair;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcdInitAttr;

/** Errors of messages that name their shared receive queue (XRC). */
final class ExtendedCases extends Cases {
  private static final String SOURCE = "rc-transport 9";

  private static ErrorCase of(String id, String cause, ErrorCase.Provocation how) {
    return ErrorCase.of(Chapter.XRC, "XRC-" + id, SOURCE, cause, how);
  }

  private static ErrorCase of(String id, String cause, List<ErrorCase.Way> ways) {
    return ErrorCase.of(Chapter.XRC, "XRC-" + id, SOURCE, cause, ways);
  }

  private static ExtendedPair pair(Bench bench, int receives) {
    return ExtendedPair.of(bench, receives, BYTES);
  }

  private static ErrorCase.Scene post(ExtendedPair pair, SendRequestList request) {
    Expect.posts(pair.near(), request);
    return new ErrorCase.Scene(pair.near(), pair.far());
  }

  private static ErrorCase.Scene send(ExtendedPair pair, int bytes) {
    return post(pair, pair.send(1, pair.srq().srqNum(), bytes));
  }

  @Override
  void collect() {
    local();
    receives();
    memory();
    numbers();
    ends();
  }

  private void local() {
    add(
        of(
                "SEND_LKEY",
                "A SEND of memory that is not the requester's to read",
                WrongMemory.ways(
                    WrongMemory.KEYS,
                    (bench, wrong) -> {
                      ExtendedPair pair = pair(bench, 0);
                      WrongMemory.Place place = wrong.at(bench.near(), BYTES);
                      return post(
                          pair,
                          pair.request(1, WrOpcode.SEND).sge(place.address(), BYTES, place.lkey()));
                    }))
            .requester(WcStatus.LOC_PROT_ERR, ERR)
            .requesterCounts("req_cqe_error"));
    add(
        of(
                "DEAF",
                "The target queue pair is gone",
                bench -> {
                  ExtendedPair pair = ExtendedPair.of(bench, 0, BYTES, impatient());
                  pair.far().close();
                  return new ErrorCase.Scene(post(pair, pair.send(1, 1, BYTES)).near(), null);
                })
            .requester(WcStatus.RETRY_EXC_ERR, ERR)
            .requesterCounts(
                "req_cqe_error",
                "ack_timeout",
                "completer_retry_err",
                "retransmitted_pkts",
                "retry_exceeded_err")
            .responderCounts("unknown_qp"));
  }

  private void receives() {
    add(
        of(
                "EMPTY",
                "The named queue is empty, and stays so for rnr_retry attempts",
                bench -> send(pair(bench, 0), BYTES))
            .requester(WcStatus.RNR_RETRY_EXC_ERR, ERR)
            .requesterCounts(
                "req_cqe_error", "rcvd_rnr_err", "retransmitted_pkts", "retry_rnr_exceeded_err")
            .responderCounts("send_rnr_err"));
    add(
        of(
                "SEND_LONG",
                "A SEND longer than the receive it came to",
                bench -> send(pair(bench, 2), BYTES + 1))
            .requester(WcStatus.REM_INV_REQ_ERR, ERR)
            .responder(WcStatus.LOC_LEN_ERR, ERR)
            .responderEvent(EventType.QP_REQ_ERR)
            .requesterCounts("req_cqe_error", "req_remote_invalid_request")
            .responderCounts("resp_cqe_error", "resp_local_length_error"));
    add(
        of(
                "RECV_LKEY",
                "The receive has",
                WrongMemory.ways(
                    WrongMemory.LANDINGS,
                    (bench, wrong) -> {
                      ExtendedPair pair = pair(bench, 0);
                      Expect.posts(pair.srq(), receive(bench, wrong, BYTES));
                      return send(pair, BYTES);
                    }))
            .requester(WcStatus.REM_OP_ERR, ERR)
            .responder(WcStatus.LOC_PROT_ERR, ERR)
            .requesterCounts("req_cqe_error", "req_remote_op_errors")
            .responderCounts("resp_cqe_error", "resp_local_prot_error"));
    add(
        of(
                "LIMIT",
                "Fewer receives are left than the armed limit, which is 0 from then on",
                bench -> {
                  ExtendedPair pair = pair(bench, 2);
                  pair.srq().modify(new SrqAttr(0, 0, 2), SrqAttrMask.LIMIT);
                  return send(pair, BYTES)
                      .then(() -> Expect.equal("the limit", 0, pair.srq().query().limit()));
                })
            .requester(WcStatus.SUCCESS, RTS)
            .responder(WcStatus.SUCCESS, RTS)
            .responderEvent(EventType.SRQ_LIMIT_REACHED));
  }

  private void memory() {
    for (WrOpcode opcode : List.of(WrOpcode.RDMA_WRITE, WrOpcode.RDMA_READ)) {
      add(
          of(
                  opcode + "_RKEY",
                  opcode + " of memory that is not that of the named queue's protection domain",
                  WrongMemory.ways(
                      WrongMemory.KEYS,
                      (bench, wrong) -> {
                        ExtendedPair pair = pair(bench, 0);
                        return post(pair, remote(bench, opcode, wrong).xrc(pair.srq().srqNum()));
                      }))
              .requester(WcStatus.REM_ACCESS_ERR, ERR)
              .responder(null, ERR)
              .responderEvent(EventType.QP_ACCESS_ERR)
              .requesterCounts("req_cqe_error", "req_remote_access_errors")
              .responderCounts("resp_remote_access_errors"));
    }
  }

  private void numbers() {
    add(
        of(
                "NUMBER",
                "The message names no queue of the target's domain",
                List.of(
                    new ErrorCase.Way(
                        "UNKNOWN",
                        "a number that no queue has",
                        bench -> {
                          ExtendedPair pair = pair(bench, 1);
                          return post(pair, pair.send(1, pair.srq().srqNum() ^ 1, BYTES));
                        }),
                    new ErrorCase.Way("OTHER_DOMAIN", "a queue of another domain", this::stranger),
                    new ErrorCase.Way(
                        "GONE",
                        "a queue that is destroyed",
                        bench -> {
                          ExtendedPair pair = pair(bench, 1);
                          int number = pair.srq().srqNum();
                          pair.srq().close();
                          return post(pair, pair.send(1, number, BYTES));
                        })))
            .requester(WcStatus.REM_INV_REQ_ERR, ERR)
            .responder(null, ERR)
            .responderEvent(EventType.QP_ACCESS_ERR)
            .requesterCounts("req_cqe_error", "req_remote_invalid_request")
            .responderCounts("resp_invalid_request"));
  }

  private ErrorCase.Scene stranger(Bench bench) {
    ExtendedPair pair = pair(bench, 1);
    Station far = bench.far();
    SharedReceiveQueue other =
        ExtendedPair.srq(far, far.context().openXrcd(new XrcdInitAttr()), far.pd(), far.cq());
    return post(pair, pair.send(1, other.srqNum(), BYTES));
  }

  private void ends() {
    add(
        of(
                "ERR",
                "The target is modified to ERR; nothing of the queue is flushed",
                bench -> {
                  ExtendedPair pair = pair(bench, 2);
                  pair.far().modify(new QpAttr().qpState(ERR));
                  return new ErrorCase.Scene(pair.near(), pair.far());
                })
            .responder(null, ERR));
  }
}
