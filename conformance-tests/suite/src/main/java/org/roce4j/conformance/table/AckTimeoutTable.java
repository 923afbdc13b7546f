package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.BenchCompletion;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.AckTimeout;

/** The local ACK timeout: 4.096 us x 2^timeout, 0 never; and the retries (rc-transport 3.2). */
public final class AckTimeoutTable {
  private static final String SOURCE = "rc-transport 3.2";
  private static final long UNIT_NS = 4096;
  private static final int CODES = 32;
  private static final long DAY_NS = 86_400_000_000_000L;

  /** The longest that is waited for in real time: 67 ms. */
  private static final int LONGEST_IN_REAL_TIME = 14;

  private AckTimeoutTable() {}

  /** All rows: two for each code, one for each number of retries. */
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < CODES; i++) {
      int code = i;
      long ns = code == 0 ? 0 : UNIT_NS << code;
      rows.add(
          new Row(
              "TMO-CODE-" + code,
              SOURCE,
              "timeout " + code + " is " + (code == 0 ? "never" : ns + " ns"),
              bench -> {
                bench.need(Capability.OWN_WIRE_CODE);
                Expect.equal("the timeout in ns", ns, AckTimeout.ns(code));
              }));
      rows.add(
          new Row(
              "TMO-WAIT-" + code,
              SOURCE,
              code == 0
                  ? "with timeout 0 a requester waits for ever"
                  : "with timeout "
                      + code
                      + " a requester gives up after "
                      + ns
                      + " to 4 x as many",
              bench -> {
                if (code == 0 || code > LONGEST_IN_REAL_TIME) {
                  bench.need(Capability.VIRTUAL_TIME);
                }
                if (code == 0) {
                  neverGivesUp(bench);
                } else {
                  givesUp(bench, code, ns, 1);
                }
              }));
    }
    for (int i = 0; i <= 7; i++) {
      int retries = i;
      int code = 10;
      rows.add(
          new Row(
              "TMO-RETRIES-" + retries,
              "rc-transport 0 R8, 3.2",
              "retry_cnt " + retries + " makes " + (retries + 1) + " attempts",
              bench -> givesUp(bench, code, UNIT_NS << code, retries + 1)));
    }
    return rows;
  }

  /** Nobody answers: every attempt lasts one timeout. */
  private static void givesUp(Bench bench, int code, long timeoutNs, int attempts) {
    post(bench, bench.values().timeout(code).retryCnt(attempts - 1));
    long before = bench.link().nowNs();
    long due = timeoutNs * attempts;
    BenchCompletion completion = bench.completion(bench.near(), 4 * due + Bench.SOON_NS);
    Expect.equal("the status", WcStatus.RETRY_EXC_ERR, completion.status());
    long took = bench.link().nowNs() - before;
    if (bench.has(Capability.VIRTUAL_TIME)) {
      Expect.that(took >= due, "it took " + took + " ns, at least " + due + " are due");
    }
    Expect.that(
        took <= 4 * due + bench.link().patienceNs(), "it took " + took + " ns, due are " + due);
  }

  private static void neverGivesUp(Bench bench) {
    QueuePair qp = post(bench, bench.values().timeout(0).retryCnt(0));
    bench.link().await(() -> bench.near().poll() != null, DAY_NS);
    bench.nothing(bench.near());
    Expect.equal("the state", QpState.RTS, qp.state());
  }

  private static QueuePair post(Bench bench, QpAttr values) {
    QueuePair qp = bench.near(QpType.RC, QpState.RTS, values);
    Expect.posts(qp, bench.near().send(1, WrOpcode.SEND).sge(bench.near().region(), 0, 8));
    return qp;
  }
}
