package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Errors between the two sides of a reliable connection. */
final class ReliableCases extends Cases {
  private static final String RESPONDER = "rc-transport 4";
  private static final String STATUS = "rc-transport 5";
  private static final String TIMEOUT = "rc-transport 3.2";
  private static final String[] GIVEN_UP = {
    "req_cqe_error",
    "ack_timeout",
    "completer_retry_err",
    "retransmitted_pkts",
    "retry_exceeded_err"
  };

  @Override
  void collect() {
    receives();
    access();
    limits();
    silence();
    notReady();
  }

  // ---- answered with a NAK

  /** How a responder refuses a request: with a NAK; both sides go to ERR. */
  private enum Refusal {
    TOO_LONG(
        WcStatus.REM_INV_REQ_ERR,
        WcStatus.LOC_LEN_ERR,
        EventType.QP_REQ_ERR,
        "req_remote_invalid_request",
        "resp_local_length_error"),
    NOT_RECEIVED(
        WcStatus.REM_OP_ERR,
        WcStatus.LOC_PROT_ERR,
        null,
        "req_remote_op_errors",
        "resp_local_prot_error"),
    ACCESS(
        WcStatus.REM_ACCESS_ERR,
        WcStatus.WR_FLUSH_ERR,
        EventType.QP_ACCESS_ERR,
        "req_remote_access_errors",
        "resp_remote_access_errors"),
    /** The request has taken a receive, which also fails. */
    ACCESS_OF_BOTH(
        WcStatus.REM_ACCESS_ERR,
        WcStatus.REM_ACCESS_ERR,
        EventType.QP_ACCESS_ERR,
        "req_remote_access_errors",
        "resp_remote_access_errors"),
    INVALID(
        WcStatus.REM_INV_REQ_ERR,
        WcStatus.WR_FLUSH_ERR,
        EventType.QP_ACCESS_ERR,
        "req_remote_invalid_request",
        "resp_invalid_request");

    private final WcStatus requester;
    private final WcStatus responder;
    private final EventType event;
    private final String requesterCounter;
    private final String responderCounter;

    Refusal(
        WcStatus requester,
        WcStatus responder,
        EventType event,
        String requesterCounter,
        String responderCounter) {
      this.requester = requester;
      this.responder = responder;
      this.event = event;
      this.requesterCounter = requesterCounter;
      this.responderCounter = responderCounter;
    }

    ErrorCase of(ErrorCase error) {
      ErrorCase refused =
          error
              .requester(requester, ERR)
              .responder(responder, ERR)
              .requesterCounts("req_cqe_error", requesterCounter)
              .responderCounts(responderCounter);
      if (responder != WcStatus.WR_FLUSH_ERR) {
        refused = refused.responderCounts("resp_cqe_error");
      }
      return event == null ? refused : refused.responderEvent(event);
    }
  }

  private void refused(
      Refusal how, String id, String source, String cause, ErrorCase.Provocation provocation) {
    refused(how, id, source, cause, List.of(new ErrorCase.Way("", "", provocation)));
  }

  private void refused(
      Refusal how, String id, String source, String cause, List<ErrorCase.Way> ways) {
    add(how.of(ErrorCase.of(Chapter.RC, "RC-" + id, source, cause, ways)));
  }

  private void receives() {
    refused(
        Refusal.TOO_LONG,
        "SEND_LONG",
        "rc-transport 0 R5",
        "A SEND longer than the receive it came to",
        bench -> post(bench, pair(bench, QpType.RC), send(bench, BYTES + 1)));
    refused(
        Refusal.NOT_RECEIVED,
        "RECV_LKEY",
        STATUS,
        "The receive has",
        WrongMemory.ways(
            WrongMemory.LANDINGS,
            (bench, wrong) -> {
              Bench.Pair pair = bench.pair(QpType.RC);
              Expect.posts(pair.far(), receive(bench, wrong, BYTES));
              return post(bench, pair, send(bench, BYTES));
            }));
    add(
        ErrorCase.of(
                Chapter.RC,
                "RC-SEND_INV",
                RESPONDER,
                "SEND_WITH_INV, which is not answered, of what it cannot invalidate there",
                StubbornKey.ways(
                    (bench, key) -> {
                      Bench.Pair pair = bench.pair(QpType.RC, impatient(), Bench.attributes());
                      receives(bench, pair.far());
                      Station near = bench.near();
                      post(
                          bench,
                          pair,
                          near.send(1, WrOpcode.SEND_WITH_INV)
                              .sge(near.region(), 0, BYTES)
                              .invalidateRkey(key.at(bench.far())));
                      bench.becomes(pair.far(), ERR);
                      // The repetition may have come together with the request.
                      late(bench, near, bench.far(), pair.far().qpNum(), QpType.RC);
                      return ErrorCase.Scene.of(pair);
                    }))
            .requester(WcStatus.RETRY_EXC_ERR, ERR)
            .responder(WcStatus.REM_INV_REQ_ERR, ERR)
            .responderEvent(EventType.QP_ACCESS_ERR)
            .requesterCounts(GIVEN_UP)
            .responderCounts("resp_cqe_error", "resp_remote_access_errors", "wrong_state"));
  }

  private void access() {
    for (WrOpcode opcode :
        new WrOpcode[] {
          WrOpcode.RDMA_WRITE,
          WrOpcode.RDMA_READ,
          WrOpcode.ATOMIC_CMP_AND_SWP,
          WrOpcode.ATOMIC_FETCH_AND_ADD
        }) {
      access(opcode + "-RKEY", opcode + " with", opcode, WrongMemory.KEYS);
      access(opcode + "-RANGE", opcode + " with", opcode, WrongMemory.RANGES);
      access(
          opcode + "-REGION_RIGHT",
          opcode + ": the region lacks the right",
          bench -> remote(bench, opcode, bench.far().region(AccessFlags.LOCAL_WRITE)));
      refused(
          Refusal.ACCESS,
          opcode + "-QP_RIGHT",
          "rc-transport 0 R9",
          opcode + ": the responder's queue pair lacks the right",
          bench ->
              post(
                  bench,
                  pair(bench, QpType.RC, Bench.attributes().qpAccessFlags(0)),
                  remote(bench, opcode)));
    }
    withImmediate();
    access(
        "MEMORY_GONE",
        "The memory behind a region was freed (its arena was closed)",
        bench -> {
          bench.need(Capability.KNOWS_ARENAS);
          Arena arena = Arena.ofShared();
          MemoryRegion region =
              bench.far().pd().registerMemory(arena.allocate(4096), Station.ALL_RIGHTS);
          SendRequestList request = remote(bench, WrOpcode.RDMA_WRITE, region);
          arena.close();
          return request;
        });
  }

  /** The request has taken a receive, which also fails. */
  private void withImmediate() {
    WrOpcode opcode = WrOpcode.RDMA_WRITE_WITH_IMM;
    List<ErrorCase.Way> ways = new ArrayList<>();
    for (List<WrongMemory> wrong : List.of(WrongMemory.KEYS, WrongMemory.RANGES)) {
      ways.addAll(
          WrongMemory.ways(
              wrong,
              (bench, way) -> post(bench, pair(bench, QpType.RC), remote(bench, opcode, way))));
    }
    ways.add(
        new ErrorCase.Way(
            "REGION_RIGHT",
            "a region that lacks the right",
            bench ->
                post(
                    bench,
                    pair(bench, QpType.RC),
                    remote(bench, opcode, bench.far().region(AccessFlags.LOCAL_WRITE)))));
    refused(
        Refusal.ACCESS_OF_BOTH,
        "RDMA_WRITE_WITH_IMM",
        STATUS,
        "RDMA_WRITE_WITH_IMM, whose receive fails too, with",
        ways);
    refused(
        Refusal.ACCESS,
        "RDMA_WRITE_WITH_IMM-QP_RIGHT",
        "rc-transport 0 R9",
        "RDMA_WRITE_WITH_IMM: the responder's queue pair lacks the right; no receive is taken",
        bench ->
            post(
                bench,
                pair(bench, QpType.RC, Bench.attributes().qpAccessFlags(0)),
                remote(bench, opcode)));
  }

  private void access(String id, String cause, WrOpcode opcode, List<WrongMemory> wrong) {
    refused(
        Refusal.ACCESS,
        id,
        STATUS,
        cause,
        WrongMemory.ways(
            wrong,
            (bench, way) -> post(bench, pair(bench, QpType.RC), remote(bench, opcode, way))));
  }

  private void access(String id, String cause, Function<Bench, SendRequestList> request) {
    refused(
        Refusal.ACCESS,
        id,
        STATUS,
        cause,
        bench -> post(bench, pair(bench, QpType.RC), request.apply(bench)));
  }

  private void limits() {
    for (WrOpcode opcode :
        new WrOpcode[] {
          WrOpcode.RDMA_READ, WrOpcode.ATOMIC_CMP_AND_SWP, WrOpcode.ATOMIC_FETCH_AND_ADD
        }) {
      refused(
          Refusal.INVALID,
          opcode + "-DEPTH",
          "rc-transport 0 R10",
          opcode + ": more outstanding than the responder's max_dest_rd_atomic",
          bench ->
              post(
                  bench,
                  pair(bench, QpType.RC, Bench.attributes().maxDestRdAtomic(0)),
                  remote(bench, opcode)));
    }
    refused(
        Refusal.INVALID,
        "MTU_LARGER",
        RESPONDER,
        "The requester's path MTU is larger than the responder's: its packets are too long",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.RC, Bench.attributes().pathMtu(Mtu.MTU_256));
          return post(
              bench,
              pair,
              bench
                  .near()
                  .send(1, WrOpcode.RDMA_WRITE)
                  .sge(bench.near().region(), 0, 1024)
                  .remote(bench.far().region().address(), bench.far().region().rkey()));
        });
    add(
        ErrorCase.of(
                Chapter.RC,
                "RC-BAD_RESPONSE",
                STATUS,
                "An answer that does not fit the request, as from a responder with another path"
                    + " MTU",
                bench -> {
                  Bench.Pair pair = pair(bench, QpType.RC, Bench.attributes().pathMtu(Mtu.MTU_256));
                  MemoryRegion there = bench.far().region();
                  return post(
                      bench,
                      pair,
                      bench
                          .near()
                          .send(1, WrOpcode.RDMA_READ)
                          .sge(bench.near().region(), 0, 1024)
                          .remote(there.address(), there.rkey()));
                })
            .requester(WcStatus.BAD_RESP_ERR, ERR)
            .requesterCounts("req_cqe_error", "wrong_state"));
  }

  // ---- not answered

  private void silence() {
    DeafPeer.each(QpType.RC, this::unheard);
    outOfStep(
        "PSN_AHEAD",
        "sq_psn here is ahead of rq_psn there",
        -5,
        "out_of_seq_request",
        "sent_seq_nak");
    outOfStep(
        "PSN_BEHIND",
        "sq_psn here is behind rq_psn there: everything looks like a duplicate",
        5,
        "duplicate_request");
  }

  /** The requester gives up; the responder is unharmed. */
  private void unheard(String id, String cause, List<DeafPeer> peers, String responderCounter) {
    add(
        ErrorCase.of(
                Chapter.RC,
                "RC-" + id,
                TIMEOUT,
                cause,
                DeafPeer.connected(peers, QpType.RC, ReliableCases::impatient))
            .requester(WcStatus.RETRY_EXC_ERR, ERR)
            .responder(null, null)
            .requesterCounts(GIVEN_UP)
            .responderCounts(responderCounter));
  }

  private void outOfStep(String id, String cause, int ahead, String... responderCounters) {
    add(
        ErrorCase.of(
                Chapter.RC,
                "RC-" + id,
                TIMEOUT,
                cause,
                bench -> {
                  Bench.Pair pair =
                      bench.pair(
                          QpType.RC, patient(), Bench.attributes().rqPsn(Bench.FIRST_PSN + ahead));
                  receives(bench, pair.far());
                  return post(bench, pair, send(bench, BYTES));
                })
            .requester(WcStatus.RETRY_EXC_ERR, ERR)
            .requesterCounts(GIVEN_UP)
            .requesterCounts("response_dropped")
            .responderCounts(responderCounters));
  }

  private void notReady() {
    add(
        ErrorCase.of(
                Chapter.RC,
                "RC-RNR",
                TIMEOUT,
                "No receive is posted, and none comes within rnr_retry attempts (7: for ever)",
                bench ->
                    post(
                        bench,
                        bench.pair(QpType.RC, Bench.attributes().rnrRetry(1), Bench.attributes()),
                        send(bench, BYTES)))
            .requester(WcStatus.RNR_RETRY_EXC_ERR, ERR)
            .requesterCounts(
                "req_cqe_error", "rcvd_rnr_err", "retransmitted_pkts", "retry_rnr_exceeded_err")
            .responderCounts("send_rnr_err"));
    add(
        ErrorCase.of(
                Chapter.RC,
                "RC-RNR_LATE",
                TIMEOUT,
                "No receive is posted, but one is in time",
                bench -> {
                  Bench.Pair pair =
                      bench.pair(QpType.RC, Bench.attributes(), Bench.attributes().minRnrTimer(14));
                  post(bench, pair, send(bench, BYTES));
                  bench.link().await(() -> bench.near().counted("rcvd_rnr_err") > 0, Bench.SOON_NS);
                  receives(bench, pair.far());
                  return ErrorCase.Scene.of(pair);
                })
            .requester(WcStatus.SUCCESS, RTS)
            .responder(WcStatus.SUCCESS, RTS)
            .requesterCounts("rcvd_rnr_err", "retransmitted_pkts")
            .responderCounts("send_rnr_err"));
  }
}
