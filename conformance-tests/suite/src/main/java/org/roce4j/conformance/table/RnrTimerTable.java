package org.roce4j.conformance.table;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;

/** The RNR NAK timer of every code (rc-transport 2.1), as a number and as a wait. */
public final class RnrTimerTable {
  private static final String[] MILLISECONDS = {
    "655.36", "0.01", "0.02", "0.03", "0.04", "0.06", "0.08", "0.12",
    "0.16", "0.24", "0.32", "0.48", "0.64", "0.96", "1.28", "1.92",
    "2.56", "3.84", "5.12", "7.68", "10.24", "15.36", "20.48", "30.72",
    "40.96", "61.44", "81.92", "122.88", "163.84", "245.76", "327.68", "491.52"
  };

  private RnrTimerTable() {}

  /** All rows: two for each code. */
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < MILLISECONDS.length; i++) {
      int code = i;
      String text = MILLISECONDS[i];
      long ns = new BigDecimal(text).movePointRight(6).longValueExact();
      rows.add(
          new Row(
              "RNR-CODE-" + code,
              "rc-transport 2.1",
              "min_rnr_timer " + code + " is " + text + " ms",
              bench -> {
                bench.need(Capability.OWN_WIRE_CODE);
                Expect.equal("the timer in ns", ns, Aeth.rnrDelayNs(code));
              }));
      rows.add(
          new Row(
              "RNR-WAIT-" + code,
              "rc-transport 2.1, 3.2",
              "a requester waits at least " + text + " ms after an RNR NAK of code " + code,
              bench -> waits(bench, code, ns)));
    }
    return rows;
  }

  /** One RNR retry and no receive: the failure cannot come before one wait is over. */
  private static void waits(Bench bench, int code, long ns) {
    Bench.Pair pair =
        bench.pair(QpType.RC, Bench.attributes().rnrRetry(1), Bench.attributes().minRnrTimer(code));
    long before = bench.link().nowNs();
    Expect.posts(pair.near(), bench.near().send(1, WrOpcode.SEND).sge(bench.near().region(), 0, 8));
    Expect.equal(
        "the status",
        WcStatus.RNR_RETRY_EXC_ERR,
        bench.completion(bench.near(), ns + Bench.SOON_NS).status());
    long took = bench.link().nowNs() - before;
    Expect.that(took >= ns, "the wait took " + took + " ns, at least " + ns + " are due");
    long most = ns + ns / 2 + Bench.SOON_NS / 100 + bench.link().patienceNs();
    Expect.that(took <= most, "the wait took " + took + " ns");
  }
}
