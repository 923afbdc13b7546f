package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;
import static org.roce4j.verbs.QpState.SQE;

import java.lang.foreign.ValueLayout;
import java.util.List;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Errors of messages over an unreliable connection. */
final class UnreliableCases extends Cases {
  private static final String SOURCE = "rc-transport 7";

  @Override
  void collect() {
    dropped(
        "NO_RECEIVE",
        "No receive is posted",
        "out_of_buffer",
        List.of(
            new ErrorCase.Way(
                "SEND",
                "for a SEND",
                bench -> post(bench, bench.pair(QpType.UC), send(bench, BYTES))),
            new ErrorCase.Way(
                "RDMA_WRITE_WITH_IMM",
                "for RDMA_WRITE_WITH_IMM, whose data stays",
                UnreliableCases::dataStays)));
    dropped(
        "SEND_LONG",
        "A SEND longer than the receive, which is kept",
        "request_dropped",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.UC);
          return post(bench, pair, send(bench, BYTES + 1)).then(() -> serves(bench, pair));
        });
    write("RKEY", "RDMA_WRITE with", WrongMemory.KEYS);
    write("RANGE", "RDMA_WRITE with", WrongMemory.RANGES);
    dropped(
        "REGION_RIGHT",
        "RDMA_WRITE: the region lacks REMOTE_WRITE",
        "request_dropped",
        bench ->
            post(
                bench,
                pair(bench, QpType.UC),
                remote(bench, WrOpcode.RDMA_WRITE, bench.far().region(AccessFlags.LOCAL_WRITE))));
    dropped(
        "QP_RIGHT",
        "RDMA_WRITE: the responder's queue pair lacks REMOTE_WRITE",
        "request_dropped",
        bench ->
            post(
                bench,
                pair(bench, QpType.UC, Bench.attributes().qpAccessFlags(0)),
                remote(bench, WrOpcode.RDMA_WRITE)));
    dropped(
        "MTU_LARGER",
        "The requester's path MTU is larger than the responder's: its packets are too long",
        "request_dropped",
        bench ->
            post(
                bench,
                pair(bench, QpType.UC, Bench.attributes().pathMtu(Mtu.MTU_256)),
                bench
                    .near()
                    .send(1, WrOpcode.RDMA_WRITE)
                    .sge(bench.near().region(), 0, 1024)
                    .remote(bench.far().region().address(), bench.far().region().rkey())));
    add(
        ErrorCase.of(
                Chapter.UC,
                "UC-RECV_LKEY",
                "rc-transport 4",
                "The receive has",
                badReceives(QpType.UC))
            .requester(WcStatus.SUCCESS, RTS)
            .responder(WcStatus.LOC_PROT_ERR, ERR)
            .responderCounts("resp_cqe_error", "resp_local_prot_error"));
    add(
        ErrorCase.of(
                Chapter.UC,
                "UC-TORN",
                "rc-transport 0 R11",
                "A message that stops in its middle, for its second element cannot be read; SQE is"
                    + " left, and the next message arrives in the same receive",
                UnreliableCases::torn)
            .requester(WcStatus.LOC_PROT_ERR, RTS)
            .requesterCounts("req_cqe_error")
            .responderCounts("uc_message_abandoned"));
    DeafPeer.each(QpType.UC, this::unheard);
  }

  private void dropped(String id, String cause, String counter, ErrorCase.Provocation provocation) {
    dropped(id, cause, counter, List.of(new ErrorCase.Way("", "", provocation)));
  }

  private void dropped(String id, String cause, String counter, List<ErrorCase.Way> ways) {
    add(
        ErrorCase.of(Chapter.UC, "UC-" + id, SOURCE, cause, ways)
            .requester(WcStatus.SUCCESS, RTS)
            .responderCounts(counter));
  }

  private void write(String id, String cause, List<WrongMemory> wrong) {
    dropped(
        id,
        cause,
        "request_dropped",
        WrongMemory.ways(
            wrong,
            (bench, way) ->
                post(bench, pair(bench, QpType.UC), remote(bench, WrOpcode.RDMA_WRITE, way))));
  }

  /** The message finds no receive for its immediate data; its data was written. */
  private static ErrorCase.Scene dataStays(Bench bench) {
    byte sent = 0x5a;
    bench.near().region().memory().set(ValueLayout.JAVA_BYTE, 0, sent);
    return post(bench, bench.pair(QpType.UC), remote(bench, WrOpcode.RDMA_WRITE_WITH_IMM))
        .then(
            () ->
                Expect.equal(
                    "the first byte written",
                    sent,
                    bench.far().region().memory().get(ValueLayout.JAVA_BYTE, 0)));
  }

  /** Receives into memory that may not be written, each with a message for it. */
  static List<ErrorCase.Way> badReceives(QpType service) {
    return WrongMemory.ways(
        WrongMemory.LANDINGS,
        (bench, wrong) -> {
          Bench.Pair pair = bench.pair(service);
          Expect.posts(
              pair.far(), receive(bench, wrong, service == QpType.UD ? BYTES + GRH : BYTES));
          return post(bench, pair, send(bench, BYTES));
        });
  }

  /** Checks that the kept receive takes the next message. */
  static void serves(Bench bench, Bench.Pair pair) {
    post(bench, pair, send(bench, BYTES));
    bench.completes(bench.near(), 1, WcStatus.SUCCESS);
    bench.completes(bench.far(), 100, WcStatus.SUCCESS);
  }

  /** The second element cannot be read, after the first packet has left. */
  private static ErrorCase.Scene torn(Bench bench) {
    Bench.Pair pair = bench.pair(QpType.UC);
    bench.far().postReceives(pair.far(), 1, 4096);
    Station near = bench.near();
    Expect.posts(
        pair.near(),
        near.send(1, WrOpcode.SEND)
            .sge(near.region(), 0, 1024)
            .sge(near.region().address(), 1024, Bench.noKey(near)));
    bench.becomes(pair.near(), SQE);
    pair.near().modify(new QpAttr().qpState(RTS));
    Expect.posts(pair.near(), near.send(2, WrOpcode.SEND).sge(near.region(), 0, BYTES));
    return ErrorCase.Scene.of(pair)
        .then(
            () -> {
              bench.completes(near, 2, WcStatus.SUCCESS);
              Expect.equal(
                  "bytes of the next message",
                  BYTES,
                  bench.completes(bench.far(), 100, WcStatus.SUCCESS).byteLength());
            });
  }

  private void unheard(String id, String cause, List<DeafPeer> peers, String counter) {
    add(
        ErrorCase.of(
                Chapter.UC,
                "UC-" + id,
                SOURCE,
                cause,
                DeafPeer.connected(peers, QpType.UC, Bench::attributes))
            .requester(WcStatus.SUCCESS, RTS)
            .responder(null, null)
            .responderCounts(counter));
  }
}
