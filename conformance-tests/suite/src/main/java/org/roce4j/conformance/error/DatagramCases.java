package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;

import java.util.List;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Errors of unreliable datagrams. */
final class DatagramCases extends Cases {
  @Override
  void collect() {
    dropped(
        "QKEY",
        "The Q_Key is not the receiving queue pair's",
        "bad_qkey",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.UD);
          Station near = bench.near();
          Expect.posts(
              pair.near(),
              near.send(1, WrOpcode.SEND)
                  .sge(near.region(), 0, BYTES)
                  .ud(near.ahTo(bench.far()), pair.far().qpNum(), bench.values().qkey() ^ 1));
          return ErrorCase.Scene.of(pair).then(() -> UnreliableCases.serves(bench, pair));
        });
    dropped(
        "NO_RECEIVE",
        "No receive is posted",
        "out_of_buffer",
        bench -> post(bench, bench.pair(QpType.UD), send(bench, BYTES)));
    dropped(
        "SEND_LONG",
        "The message is longer than the receive less 40 bytes; the receive is kept",
        "request_dropped",
        bench -> {
          Bench.Pair pair = pair(bench, QpType.UD);
          return post(bench, pair, send(bench, BYTES + 1))
              .then(() -> UnreliableCases.serves(bench, pair));
        });
    add(
        ErrorCase.of(
                Chapter.UD,
                "UD-RECV_LKEY",
                "rc-transport 4",
                "The receive has",
                UnreliableCases.badReceives(QpType.UD))
            .requester(WcStatus.SUCCESS, RTS)
            .responder(WcStatus.LOC_PROT_ERR, ERR)
            .responderCounts("resp_cqe_error", "resp_local_prot_error"));
    DeafPeer.each(QpType.UD, this::unheard);
  }

  private void dropped(String id, String cause, String counter, ErrorCase.Provocation provocation) {
    add(
        ErrorCase.of(Chapter.UD, "UD-" + id, "rc-transport 8", cause, provocation)
            .requester(WcStatus.SUCCESS, RTS)
            .responderCounts(counter));
  }

  private void unheard(String id, String cause, List<DeafPeer> peers, String counter) {
    add(
        ErrorCase.of(
                Chapter.UD,
                "UD-" + id,
                "rc-transport 8",
                cause,
                DeafPeer.ways(
                    peers,
                    (bench, peer) -> {
                      Station near = bench.near();
                      QueuePair sender = bench.near(QpType.UD, RTS);
                      DeafPeer.Met met = peer.meet(bench, sender);
                      Expect.posts(
                          sender,
                          send(bench, BYTES)
                              .ud(near.ahTo(bench.far()), met.qpNum(), bench.values().qkey()));
                      return new ErrorCase.Scene(sender, null, met.unharmed());
                    }))
            .requester(WcStatus.SUCCESS, RTS)
            .responder(null, null)
            .responderCounts(counter));
  }
}
