package org.roce4j.conformance.table;

import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import java.util.function.UnaryOperator;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** The values that modify accepts; a refused modify changes nothing (verbs-tables 1.6). */
public final class ModifyValueTable extends RowTable {
  private static final String SOURCE = "verbs-tables 1.6";

  private ModifyValueTable() {
    super("VAL-", SOURCE);
  }

  /** All rows. */
  public static List<Row> rows() {
    ModifyValueTable table = new ModifyValueTable();
    table.numbers();
    table.paths();
    table.masks();
    return table.rows;
  }

  /** A number that an attribute of a step may or may not have. */
  private void numbers() {
    QpState rtr = QpState.RTR;
    QpState rts = QpState.RTS;
    range("TIMEOUT", rts, 31, QpAttr::timeout);
    range("RETRY_CNT", rts, 7, QpAttr::retryCnt);
    range("RNR_RETRY", rts, 7, QpAttr::rnrRetry);
    range("MIN_RNR_TIMER", rtr, 31, QpAttr::minRnrTimer);
    range("DEST_QPN", rtr, 0xffffff, QpAttr::destQpNum);
    value("PKEY_INDEX-0", QpState.INIT, "pkey_index 0", null, a -> a.pkeyIndex(0));
    deviceLimit("MAX_QP_RD_ATOMIC", rts, QpAttr::maxRdAtomic);
    deviceLimit("MAX_DEST_RD_ATOMIC", rtr, QpAttr::maxDestRdAtomic);
    row(
        "PKEY_INDEX-END",
        "pkey_index beyond the table is refused",
        bench -> {
          int length = bench.near().context().queryPort(1).pkeyTableLength();
          check(bench, QpState.INIT, Errno.EINVAL, a -> a.pkeyIndex(length));
        });
    for (Mtu mtu : Mtu.values()) {
      value("PATH_MTU-" + mtu.bytes(), rtr, "path_mtu " + mtu.bytes(), null, a -> a.pathMtu(mtu));
    }
    value("PORT-0", QpState.INIT, "port 0", Errno.EINVAL, a -> a.portNum(0));
    value("PORT-2", QpState.INIT, "port 2 of 1", Errno.EINVAL, a -> a.portNum(2));
    for (int psn : new int[] {0, 0xffffff, 0x1000000, -1}) {
      String id = Integer.toHexString(psn).toUpperCase(Locale.ROOT);
      row(
          "RQ_PSN-" + id,
          "rq_psn " + id + " is masked to 24 bits",
          bench -> {
            QueuePair qp = check(bench, QpState.RTR, null, a -> a.rqPsn(psn));
            Expect.equal("the queried rq_psn", psn & 0xffffff, qp.query().rqPsn());
          });
      row(
          "SQ_PSN-" + id,
          "sq_psn " + id + " is masked to 24 bits",
          bench -> {
            QueuePair qp = check(bench, QpState.RTS, null, a -> a.sqPsn(psn));
            Expect.equal("the queried sq_psn", psn & 0xffffff, qp.query().sqPsn());
          });
    }
  }

  private void range(String name, QpState to, int most, ObjIntConsumer<QpAttr> set) {
    value(name + "-0", to, name + " 0", null, a -> set.accept(a, 0));
    value(name + "-MAX", to, name + " " + most, null, a -> set.accept(a, most));
    value(name + "-OVER", to, name + " " + (most + 1), Errno.EINVAL, a -> set.accept(a, most + 1));
    value(name + "-MINUS", to, name + " -1", Errno.EINVAL, a -> set.accept(a, -1));
  }

  private void deviceLimit(String name, QpState to, ObjIntConsumer<QpAttr> set) {
    value(name + "-0", to, name + " 0", null, a -> set.accept(a, 0));
    row(
        name + "-MAX",
        name + " up to the device's limit is taken",
        bench -> check(bench, to, null, a -> set.accept(a, limit(bench))));
    row(
        name + "-OVER",
        name + " beyond the device's limit is refused",
        bench -> check(bench, to, Errno.EINVAL, a -> set.accept(a, limit(bench) + 1)));
  }

  private static int limit(Bench bench) {
    return bench.near().context().queryDevice().maxQpRdAtomic();
  }

  private void paths() {
    path("AV-NO_GRH", "an address vector without is_global", Errno.EINVAL, p -> local(p.grh()));
    path("AV-PORT_2", "an address vector of port 2", Errno.EINVAL, p -> port(p, 2));
    path("AV-PORT_0", "an address vector of port 0", Errno.EINVAL, p -> port(p, 0));
    path(
        "AV-SGID_EMPTY",
        "an address vector from an empty GID index",
        Errno.EINVAL,
        p -> route(p, new GlobalRoute(p.grh().dgid(), 0, 1000, 64, 0)));
    path(
        "AV-SGID_END",
        "an address vector from a GID index beyond the table",
        Errno.EINVAL,
        p -> route(p, new GlobalRoute(p.grh().dgid(), 0, 1 << 20, 64, 0)));
    path(
        "AV-SGID_MINUS",
        "an address vector from GID index -1",
        Errno.EINVAL,
        p -> route(p, new GlobalRoute(p.grh().dgid(), 0, -1, 64, 0)));
  }

  private static AhAttr local(GlobalRoute route) {
    return new AhAttr(false, route, 1, 0, 0, 0, 1);
  }

  private static AhAttr route(AhAttr path, GlobalRoute route) {
    return new AhAttr(true, route, 0, 0, 0, 0, path.portNum());
  }

  private static AhAttr port(AhAttr path, int port) {
    return new AhAttr(true, path.grh(), 0, 0, 0, 0, port);
  }

  private void path(String id, String title, Errno errno, UnaryOperator<AhAttr> change) {
    row(
        id,
        title + verdict(errno),
        bench ->
            check(
                bench,
                QpState.RTR,
                errno,
                a -> a.ahAttr(change.apply(bench.near().pathTo(bench.far())))));
  }

  private void masks() {
    row(
        "MASK-BIT_21",
        "a mask bit that names no attribute is not supported",
        bench -> mask(bench, 1 << 21, Errno.EOPNOTSUPP));
    row(
        "MASK-BIT_31",
        "the highest mask bit is not supported",
        bench -> mask(bench, 1 << 31, Errno.EOPNOTSUPP));
    row(
        "STATE-UNKNOWN",
        "a state above ERR is refused",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, QpState.INIT);
          Expect.refused(Errno.EINVAL, () -> qp.modify(new QpAttr().qpState(QpState.UNKNOWN)));
        });
    row(
        "CUR_STATE-WRONG",
        "cur_qp_state that is not the state is refused",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, QpState.RTS);
          Expect.refused(
              Errno.EINVAL,
              () -> qp.modify(new QpAttr().qpState(QpState.RTS).curQpState(QpState.SQD)));
        });
    for (QpType service : new QpType[] {QpType.RC, QpType.UC}) {
      row(
          "NO_STATE-" + service,
          "without STATE in the mask the row of the present state applies (" + service + ")",
          bench -> {
            QueuePair qp = bench.near(service, QpState.RTS);
            qp.modify(new QpAttr().qpAccessFlags(0));
            Expect.equal("the access flags", 0, qp.query().qpAccessFlags());
            Expect.refused(Errno.EINVAL, () -> qp.modify(new QpAttr().pkeyIndex(0)));
            Expect.equal("the state", QpState.RTS, qp.state());
          });
    }
    row(
        "QKEY-PRIVILEGED",
        "a Q_Key with bit 31 set is refused to a user without CAP_NET_RAW",
        bench -> {
          QueuePair qp = bench.near(QpType.UD, QpState.RESET);
          QpAttr attr = new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1);
          Expect.refused(Errno.EPERM, () -> qp.modify(attr.qkey(0x80000000)));
          Expect.equal("the state", QpState.RESET, qp.state());
        });
    row(
        "NOTHING_CHANGED",
        "a modify that fails for its last attribute has not changed the first",
        bench -> {
          QueuePair qp = bench.near(QpType.RC, QpState.RTS);
          int before = qp.query().qpAccessFlags();
          Expect.refused(
              Errno.EINVAL, () -> qp.modify(new QpAttr().qpAccessFlags(0).minRnrTimer(32)));
          Expect.equal("the access flags", before, qp.query().qpAccessFlags());
        });
  }

  private static void mask(Bench bench, int bit, Errno errno) {
    QueuePair qp = bench.near(QpType.RC, QpState.RTS);
    QpAttr attr = new QpAttr().qpState(QpState.RTS);
    Expect.refused(errno, () -> qp.modify(attr, attr.mask() | bit));
  }

  private void value(String id, QpState to, String title, Errno errno, Consumer<QpAttr> change) {
    row(id, title + verdict(errno), bench -> check(bench, to, errno, change));
  }

  private static String verdict(Errno errno) {
    return errno == null ? " is taken" : " is refused";
  }

  /** Makes the step to a state with one attribute changed. */
  private static QueuePair check(Bench bench, QpState to, Errno errno, Consumer<QpAttr> change) {
    QpState from = QpState.of(to.value() - 1);
    QueuePair qp = bench.near(QpType.RC, from);
    int required =
        QpTransitionTable.entry(new QpTransitionTable.Step(QpType.RC, from, to)).required();
    int mask = QpAttrMask.STATE | required;
    QpAttr attr = bench.values().qpState(to);
    change.accept(attr);
    if (errno == null) {
      qp.modify(attr, mask);
      Expect.equal("the state", to, qp.state());
    } else {
      Expect.refused(errno, () -> qp.modify(attr, mask));
      Expect.equal("the state after a refusal", from, qp.state());
    }
    return qp;
  }
}
