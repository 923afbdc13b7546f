package org.roce4j.verbs;

import static org.roce4j.verbs.QpAttrMask.ACCESS_FLAGS;
import static org.roce4j.verbs.QpAttrMask.ALT_PATH;
import static org.roce4j.verbs.QpAttrMask.AV;
import static org.roce4j.verbs.QpAttrMask.CUR_STATE;
import static org.roce4j.verbs.QpAttrMask.DEST_QPN;
import static org.roce4j.verbs.QpAttrMask.EN_SQD_ASYNC_NOTIFY;
import static org.roce4j.verbs.QpAttrMask.MAX_DEST_RD_ATOMIC;
import static org.roce4j.verbs.QpAttrMask.MAX_QP_RD_ATOMIC;
import static org.roce4j.verbs.QpAttrMask.MIN_RNR_TIMER;
import static org.roce4j.verbs.QpAttrMask.PATH_MIG_STATE;
import static org.roce4j.verbs.QpAttrMask.PATH_MTU;
import static org.roce4j.verbs.QpAttrMask.PKEY_INDEX;
import static org.roce4j.verbs.QpAttrMask.PORT;
import static org.roce4j.verbs.QpAttrMask.QKEY;
import static org.roce4j.verbs.QpAttrMask.RETRY_CNT;
import static org.roce4j.verbs.QpAttrMask.RNR_RETRY;
import static org.roce4j.verbs.QpAttrMask.RQ_PSN;
import static org.roce4j.verbs.QpAttrMask.SQ_PSN;
import static org.roce4j.verbs.QpAttrMask.STATE;
import static org.roce4j.verbs.QpAttrMask.TIMEOUT;
import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.INIT;
import static org.roce4j.verbs.QpState.RESET;
import static org.roce4j.verbs.QpState.RTR;
import static org.roce4j.verbs.QpState.RTS;
import static org.roce4j.verbs.QpState.SQD;
import static org.roce4j.verbs.QpState.SQE;

import java.util.EnumMap;
import java.util.Map;
import org.roce4j.verbs.text.Wording;

/**
 * Which transition needs and allows which attributes (verbs-tables 1.1 to 1.4, the kernel's {@code
 * qp_state_table}). A pure predicate.
 */
public final class QpTransitions {
  private record Row(int required, int optional) {}

  private static final Map<QpType, Row[][]> TABLE = new EnumMap<>(QpType.class);

  private static final int CONNECTED_INIT = PKEY_INDEX | PORT | ACCESS_FLAGS;
  private static final int CONNECTED_RTR = AV | PATH_MTU | DEST_QPN | RQ_PSN;
  private static final int RETRIES = TIMEOUT | RETRY_CNT | RNR_RETRY;
  private static final int PATHS = ALT_PATH | PATH_MIG_STATE;
  private static final int RESPONDER_DEPTH = MAX_DEST_RD_ATOMIC | MIN_RNR_TIMER;

  static {
    for (QpType type : QpType.values()) {
      Row[][] rows = new Row[QpState.values().length][QpState.values().length];
      for (QpState from : new QpState[] {RESET, INIT, RTR, RTS, SQD, SQE, ERR}) {
        rows[from.ordinal()][RESET.ordinal()] = new Row(0, 0);
        if (from != RESET) {
          rows[from.ordinal()][ERR.ordinal()] = new Row(0, 0);
        }
      }
      TABLE.put(type, rows);
    }
    datagram();
    unreliable();
    reliable(QpType.RC, RESPONDER_DEPTH, MIN_RNR_TIMER, RETRIES | MAX_QP_RD_ATOMIC);
    reliable(QpType.XRC_SEND, 0, 0, RETRIES | MAX_QP_RD_ATOMIC);
    reliable(QpType.XRC_RECV, RESPONDER_DEPTH, MIN_RNR_TIMER, TIMEOUT);
  }

  private QpTransitions() {}

  private static void datagram() {
    QpType ud = QpType.UD;
    put(ud, RESET, INIT, PKEY_INDEX | PORT | QKEY, 0);
    put(ud, INIT, INIT, 0, PKEY_INDEX | PORT | QKEY);
    put(ud, INIT, RTR, 0, PKEY_INDEX | QKEY);
    put(ud, RTR, RTS, SQ_PSN, CUR_STATE | QKEY);
    put(ud, RTS, RTS, 0, CUR_STATE | QKEY);
    put(ud, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY);
    put(ud, SQD, RTS, 0, CUR_STATE | QKEY);
    put(ud, SQD, SQD, 0, PKEY_INDEX | QKEY);
    put(ud, SQE, RTS, 0, CUR_STATE | QKEY);
  }

  private static void unreliable() {
    QpType uc = QpType.UC;
    int running = CUR_STATE | ACCESS_FLAGS | PATHS;
    put(uc, RESET, INIT, CONNECTED_INIT, 0);
    put(uc, INIT, INIT, 0, CONNECTED_INIT);
    put(uc, INIT, RTR, CONNECTED_RTR, PKEY_INDEX | ACCESS_FLAGS | ALT_PATH);
    put(uc, RTR, RTS, SQ_PSN, running);
    put(uc, RTS, RTS, 0, running);
    put(uc, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY);
    put(uc, SQD, RTS, 0, running);
    put(uc, SQD, SQD, 0, PKEY_INDEX | ACCESS_FLAGS | AV | PATHS);
    put(uc, SQE, RTS, 0, CUR_STATE | ACCESS_FLAGS);
  }

  /**
   * RC and the two halves of XRC.
   *
   * @param depth required of a responder when it becomes RTR
   * @param rnr the RNR timer, where a responder has one
   * @param sending required when it becomes RTS, beside SQ_PSN
   */
  private static void reliable(QpType type, int depth, int rnr, int sending) {
    int running = CUR_STATE | ACCESS_FLAGS | rnr | PATHS;
    put(type, RESET, INIT, CONNECTED_INIT, 0);
    put(type, INIT, INIT, 0, CONNECTED_INIT);
    put(type, INIT, RTR, CONNECTED_RTR | depth, PKEY_INDEX | ACCESS_FLAGS | ALT_PATH);
    put(type, RTR, RTS, SQ_PSN | sending, running);
    put(type, RTS, RTS, 0, running);
    put(type, RTS, SQD, 0, EN_SQD_ASYNC_NOTIFY);
    put(type, SQD, RTS, 0, running);
    put(type, SQD, SQD, 0, CONNECTED_INIT | AV | PATHS | depth | sending);
    put(type, SQE, RTS, 0, 0); // unreachable, but the kernel's table has it
  }

  private static void put(QpType type, QpState from, QpState to, int required, int optional) {
    TABLE.get(type)[from.ordinal()][to.ordinal()] = new Row(required, optional);
  }

  /**
   * Whether a modify with these attributes is allowed.
   *
   * @param mask of {@link QpAttrMask}; without STATE the state stays
   */
  public static boolean legal(QpType type, QpState current, QpState next, int mask) {
    Row row = TABLE.get(type)[current.ordinal()][next.ordinal()];
    return row != null
        && (mask & row.required()) == row.required()
        && (mask & ~(row.required() | row.optional() | STATE)) == 0;
  }

  /** The required attributes of a transition, or -1 if there is no such transition. */
  public static int required(QpType type, QpState current, QpState next) {
    Row row = TABLE.get(type)[current.ordinal()][next.ordinal()];
    return row == null ? -1 : row.required();
  }

  /** The optional attributes of a transition, or -1. */
  public static int optional(QpType type, QpState current, QpState next) {
    Row row = TABLE.get(type)[current.ordinal()][next.ordinal()];
    return row == null ? -1 : row.optional();
  }

  /**
   * Why a modify with these attributes is not allowed, by the names of the setters of {@link
   * QpAttr}; null: it is.
   *
   * @param mask of {@link QpAttrMask}; without STATE the state stays
   */
  public static String whyIllegal(QpType type, QpState current, QpState next, int mask) {
    if (legal(type, current, next, mask)) {
      return null;
    }
    String step = Wording.of("%s from %s to %s", type, current, next);
    Row row = TABLE.get(type)[current.ordinal()][next.ordinal()];
    if (row == null) {
      return Wording.of("%s is no transition of a queue pair", step)
          + (current == ERR || current == RESET ? "" : "; move it to RESET first");
    }
    int missing = row.required() & ~mask;
    int extra = mask & ~(row.required() | row.optional() | STATE);
    return step
        + (missing != 0 ? " needs " + QpAttrMask.setters(missing) : "")
        + (missing != 0 && extra != 0 ? " and" : "")
        + (extra != 0 ? " does not take " + QpAttrMask.setters(extra) : "");
  }
}
