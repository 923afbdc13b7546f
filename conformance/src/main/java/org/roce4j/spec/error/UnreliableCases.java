package org.roce4j.spec.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;
import static org.roce4j.verbs.QpState.SQE;

import java.util.function.Function;
import org.roce4j.spec.bench.Bench;
import org.roce4j.spec.bench.Expect;
import org.roce4j.spec.bench.QpValues;
import org.roce4j.spec.bench.Station;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** What becomes of messages over an unreliable connection. */
final class UnreliableCases extends Cases {
  private static final String SOURCE = "rc-transport 7";

  @Override
  void collect() {
    dropped(
        "NO_RECEIVE",
        "No receive is posted for a SEND, or for RDMA_WRITE_WITH_IMM (whose data stays)",
        "out_of_buffer",
        bench -> post(bench, bench.pair(QpType.UC), send(bench, BYTES)));
    dropped(
        "SEND_LONG",
        "A SEND longer than the receive, which is kept",
        "request_dropped",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.UC);
          return post(bench, pair, send(bench, BYTES + 1)).then(() -> serves(bench, pair));
        });
    write(
        "RKEY",
        "RDMA_WRITE: the rkey is unknown, of another protection domain, or its region is gone",
        bench ->
            remote(
                bench,
                WrOpcode.RDMA_WRITE,
                bench.far().region().address(),
                Bench.noKey(bench.far())));
    write(
        "RANGE",
        "RDMA_WRITE: the range leaves the region, or wraps around the address space",
        bench -> {
          MemoryRegion region = bench.far().region();
          return remote(
              bench, WrOpcode.RDMA_WRITE, region.address() + Station.BYTES, region.rkey());
        });
    write(
        "REGION_RIGHT",
        "RDMA_WRITE: the region lacks REMOTE_WRITE",
        bench -> remote(bench, WrOpcode.RDMA_WRITE, bench.far().region(AccessFlags.LOCAL_WRITE)));
    dropped(
        "QP_RIGHT",
        "RDMA_WRITE: the responder's queue pair lacks REMOTE_WRITE",
        "request_dropped",
        bench ->
            post(
                bench,
                pair(bench, QpType.UC, new QpValues().accessFlags(0)),
                remote(bench, WrOpcode.RDMA_WRITE)));
    dropped(
        "MTU_LARGER",
        "The requester's path MTU is larger than the responder's: its packets are too long",
        "request_dropped",
        bench ->
            post(
                bench,
                pair(bench, QpType.UC, new QpValues().mtu(Mtu.MTU_256)),
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
                "The receive's lkey is unknown, its range leaves the region, or the region lacks"
                    + " LOCAL_WRITE",
                bench -> badReceive(bench, bench.pair(QpType.UC)))
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
    unreachable("NO_QP", "No queue pair has the number, or it was destroyed", "unknown_qp");
    unreachable("PEER_STATE", "The peer is not in RTR yet, or in ERR or RESET", "wrong_state");
    unreachable("PEER_SERVICE", "The peer's queue pair is of another service", "wrong_service");
    unreachable(
        "PEER_ADDRESS",
        "The peer expects another address than the packets come from",
        "wrong_address");
  }

  private void dropped(String id, String cause, String counter, ErrorCase.Provocation provocation) {
    add(
        ErrorCase.of(Chapter.UC, "UC-" + id, SOURCE, cause, provocation)
            .requester(WcStatus.SUCCESS, RTS)
            .responderCounts(counter));
  }

  private void write(String id, String cause, Function<Bench, SendRequestList> request) {
    dropped(
        id,
        cause,
        "request_dropped",
        bench -> post(bench, pair(bench, QpType.UC), request.apply(bench)));
  }

  /** A receive whose lkey nobody has, and a message for it. */
  static ErrorCase.Scene badReceive(Bench bench, Bench.Pair pair) {
    Station far = bench.far();
    Expect.posted(
        null,
        pair.far()
            .postRecv(far.receive(100).sge(far.region().address(), BYTES + GRH, Bench.noKey(far))));
    return post(bench, pair, send(bench, BYTES));
  }

  /** The receive that was kept takes the next message. */
  static void serves(Bench bench, Bench.Pair pair) {
    post(bench, pair, send(bench, BYTES));
    bench.completes(bench.near(), 1, WcStatus.SUCCESS);
    bench.completes(bench.far(), 100, WcStatus.SUCCESS);
  }

  /** The second element cannot be read: the first packet has left by then. */
  private static ErrorCase.Scene torn(Bench bench) {
    Bench.Pair pair = bench.pair(QpType.UC);
    bench.far().postReceives(pair.far(), 1, 4096);
    Station near = bench.near();
    Expect.posted(
        null,
        pair.near()
            .postSend(
                near.send(1, WrOpcode.SEND)
                    .sge(near.region(), 0, 1024)
                    .sge(near.region().address(), 1024, Bench.noKey(near))));
    bench.becomes(pair.near(), SQE);
    pair.near().modify(new QpAttr().qpState(RTS));
    Expect.posted(
        null, pair.near().postSend(near.send(2, WrOpcode.SEND).sge(near.region(), 0, BYTES)));
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

  private void unreachable(String id, String cause, String counter) {
    add(
        ErrorCase.of(Chapter.UC, "UC-" + id, SOURCE, cause, bench -> unreachable(bench, counter))
            .requester(WcStatus.SUCCESS, RTS)
            .responder(null, null)
            .responderCounts(counter));
  }

  private static ErrorCase.Scene unreachable(Bench bench, String counter) {
    Station near = bench.near();
    Station far = bench.far();
    QueuePair sender = near.qp(QpType.UC);
    QueuePair receiver = far.qp(counter.equals("wrong_service") ? QpType.RC : QpType.UC);
    boolean strange = counter.equals("wrong_address");
    QpState state = counter.equals("wrong_state") ? QpState.INIT : RTS;
    bench.bring(
        far,
        receiver,
        state,
        new QpValues().peer(far.pathTo(strange ? far : near), sender.qpNum()));
    int number = receiver.qpNum() ^ (counter.equals("unknown_qp") ? 0x800 : 0);
    bench.bring(near, sender, RTS, new QpValues().peer(near.pathTo(far), number));
    Expect.posted(null, sender.postSend(send(bench, BYTES)));
    return new ErrorCase.Scene(
        sender, null, () -> Expect.equal("the responder's state", state, receiver.state()));
  }
}
