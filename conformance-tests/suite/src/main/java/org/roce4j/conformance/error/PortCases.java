package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.RTS;

import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** The near port goes down while requests are posted; in most cases it comes up again. */
final class PortCases extends Cases {
  private static final String SOURCE = "verbs-tables 5";

  @Override
  void collect() {
    add(
        row(
                "RC_BLINK",
                "RC: the port is down for less than the retries last",
                bench -> down(bench, bench.pair(QpType.RC, patient(), Bench.attributes()), true))
            .requester(WcStatus.SUCCESS, RTS)
            .responder(WcStatus.SUCCESS, RTS)
            .requesterCounts(
                "send_err", "ack_timeout", "completer_retry_err", "retransmitted_pkts"));
    add(
        row(
                "RC_DOWN",
                "RC: the port is down for longer",
                bench -> down(bench, bench.pair(QpType.RC, impatient(), Bench.attributes()), false))
            .requester(WcStatus.RETRY_EXC_ERR, ERR)
            .requesterCounts(
                "req_cqe_error",
                "send_err",
                "ack_timeout",
                "completer_retry_err",
                "retransmitted_pkts",
                "retry_exceeded_err"));
    for (QpType service : new QpType[] {QpType.UC, QpType.UD}) {
      add(
          row(
                  service + "_DOWN",
                  service + ": what is sent while the port is down is lost",
                  bench -> down(bench, bench.pair(service), false))
              .requester(WcStatus.SUCCESS, RTS)
              .requesterCounts("send_err"));
    }
    add(
        row(
                "PEER_DOWN",
                "RC: a peer sends here for longer than its retries last",
                bench -> {
                  bench.need(Capability.PORT_CONTROL);
                  Bench.Pair pair = bench.pair(QpType.RC, Bench.attributes(), impatient());
                  // No receive is posted: a packet still under way may arrive when the port is up.
                  bench.link().port(false);
                  Station far = bench.far();
                  Expect.posts(pair.far(), far.send(1, WrOpcode.SEND).sge(far.region(), 0, BYTES));
                  bench.becomes(pair.far(), ERR);
                  bench.link().port(true);
                  return ErrorCase.Scene.of(pair);
                })
            .requester(null, RTS)
            .responder(WcStatus.RETRY_EXC_ERR, ERR)
            .responderCounts(
                "req_cqe_error",
                "ack_timeout",
                "completer_retry_err",
                "retransmitted_pkts",
                "retry_exceeded_err"));
    addressGone();
  }

  /** The queue pair is connected from an address that the near device loses. */
  private void addressGone() {
    add(
        ErrorCase.of(
                Chapter.PORT,
                "PORT-ADDRESS_GONE",
                SOURCE,
                "RC: the address that the queue pair has is taken from its device",
                bench -> {
                  bench.need(Capability.ADDRESS_CONTROL);
                  Station near = bench.near();
                  Station far = bench.far();
                  Gid address = bench.link().addAddress();
                  Bench.Pair pair = new Bench.Pair(near.qp(QpType.RC), far.qp(QpType.RC));
                  AhAttr there = AhAttr.roce(far.address(), index(near, address));
                  AhAttr back = AhAttr.roce(address, bench.link().farGidIndex());
                  QpBringUp.toRts(
                      pair.near(), impatient().ahAttr(there).destQpNum(pair.far().qpNum()));
                  QpBringUp.toRts(
                      pair.far(), Bench.attributes().ahAttr(back).destQpNum(pair.near().qpNum()));
                  receives(bench, pair.far());
                  bench.link().removeAddress(address);
                  return post(bench, pair, send(bench, BYTES));
                })
            .requester(WcStatus.RETRY_EXC_ERR, ERR)
            .requesterEvent(EventType.GID_CHANGE)
            .requesterEvent(EventType.GID_CHANGE)
            .requesterCounts(
                "req_cqe_error",
                "send_err",
                "ack_timeout",
                "completer_retry_err",
                "retransmitted_pkts",
                "retry_exceeded_err"));
  }

  private static int index(Station station, Gid address) {
    return station.context().queryGidTable().stream()
        .filter(entry -> entry.gid().equals(address))
        .findFirst()
        .orElseThrow()
        .gidIndex();
  }

  private static ErrorCase row(String id, String cause, ErrorCase.Provocation provocation) {
    return ErrorCase.of(Chapter.PORT, "PORT-" + id, SOURCE, cause, provocation)
        .requesterEvent(EventType.PORT_ERR)
        .requesterEvent(EventType.PORT_ACTIVE)
        .requesterCounts("link_downed");
  }

  /**
   * Posts while the port is down. The port comes up after the first ACK timeout if {@code blink},
   * else at the end.
   */
  private static ErrorCase.Scene down(Bench bench, Bench.Pair pair, boolean blink) {
    bench.need(Capability.PORT_CONTROL);
    Station near = bench.near();
    receives(bench, pair.far());
    bench.link().port(false);
    try {
      Expect.equal("the port's state", PortState.DOWN, near.context().queryPort(1).state());
      post(bench, pair, send(bench, BYTES));
      String sign =
          blink ? "ack_timeout" : "send_err"; // a mere loss is probed before the ACK timeout
      bench.link().await(() -> near.counted(sign) > 0, Bench.SOON_NS);
      if (!blink && pair.near().qpType() == QpType.RC) {
        bench.becomes(pair.near(), ERR);
      }
    } finally {
      bench.link().port(true);
    }
    return ErrorCase.Scene.of(pair)
        .then(
            () ->
                Expect.equal(
                    "the port's state", PortState.ACTIVE, near.context().queryPort(1).state()));
  }
}
