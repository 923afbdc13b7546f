package org.roce4j.engine.qp;

import java.util.Objects;
import org.roce4j.engine.requester.DatagramRequester;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MigState;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpTransitions;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Psn;

/**
 * The attributes of {@code ibv_modify_qp} and {@code ibv_query_qp}: the checks of their values
 * (verbs-tables 1.6), the attributes that are kept, and the result of a query. This class changes
 * no queue pair.
 */
final class QpAttributes {
  private static final int KNOWN = (1 << 21) - 1 | QpAttrMask.RATE_LIMIT;

  /** The attributes that a queue pair keeps and a query returns, without the state. */
  private static final int KEPT =
      QpAttrMask.PKEY_INDEX
          | QpAttrMask.PORT
          | QpAttrMask.PATH_MTU
          | QpAttrMask.DEST_QPN
          | QpAttrMask.AV
          | QpAttrMask.PATH_MIG_STATE
          | QpAttrMask.RQ_PSN
          | QpAttrMask.SQ_PSN
          | QpAttrMask.ACCESS_FLAGS
          | QpAttrMask.QKEY
          | QpAttrMask.MAX_DEST_RD_ATOMIC
          | QpAttrMask.MIN_RNR_TIMER
          | QpAttrMask.TIMEOUT
          | QpAttrMask.RETRY_CNT
          | QpAttrMask.RNR_RETRY
          | QpAttrMask.MAX_QP_RD_ATOMIC;

  private QpAttributes() {}

  /**
   * Attributes of the half that an XRC queue pair lacks. The kernel accepts and ignores them, so
   * that a program can use the masks of RC.
   */
  static int ofOtherHalf(QpType type) {
    return switch (type) {
      case XRC_SEND -> QpAttrMask.MAX_DEST_RD_ATOMIC | QpAttrMask.MIN_RNR_TIMER;
      case XRC_RECV -> QpAttrMask.MAX_QP_RD_ATOMIC | QpAttrMask.RETRY_CNT | QpAttrMask.RNR_RETRY;
      default -> 0;
    };
  }

  /**
   * Checks mask, transition and values.
   *
   * @param kept the attributes as set so far
   * @return the state after the change
   */
  static QpState check(
      DeviceFacts device, QpType type, QpAttr kept, QpState state, QpAttr attr, int mask) {
    int unknown = mask & ~KNOWN;
    require(
        unknown == 0,
        Errno.EOPNOTSUPP,
        Wording.of("the mask has bits that name no attribute: 0x%x", unknown));
    require(
        (mask & QpAttrMask.RATE_LIMIT) == 0,
        Errno.EOPNOTSUPP,
        "a rate is set by modifyRateLimit (ibv_modify_qp_rate_limit), not among the attributes");
    boolean moves = (mask & QpAttrMask.STATE) != 0;
    QpState next = moves ? attr.qpState() : state;
    requireValue(next != null && next != QpState.UNKNOWN, "qpState names no state");
    QpState current = state;
    if ((mask & QpAttrMask.CUR_STATE) != 0) {
      current = attr.curQpState();
      requireValue(
          current == state,
          Wording.of("curQpState is %s, but the queue pair is in %s", current, state));
    }
    String illegal = QpTransitions.whyIllegal(type, current, next, mask);
    requireValue(illegal == null, illegal);
    values(device, kept, attr, mask);
    return next;
  }

  /** Copies the attributes that a modify sets. */
  static void keep(QpAttr kept, QpAttr attr, int mask) {
    kept.take(attr, mask & KEPT);
    kept.rqPsn(kept.rqPsn() & Psn.MASK).sqPsn(kept.sqPsn() & Psn.MASK);
  }

  /**
   * The result of a query: the kept attributes, the state and the PSNs.
   *
   * @param draining SQD: whether requests already started have not completed
   */
  static QpAttr query(QpAttr kept, QpState state, int expectedPsn, int nextPsn, boolean draining) {
    return new QpAttr()
        .take(kept, KEPT)
        .pathMigState(Objects.requireNonNullElse(kept.pathMigState(), MigState.MIGRATED))
        .altAhAttr(AddressVectors.NONE)
        .qpState(state)
        .curQpState(state)
        .rqPsn(state.value() >= QpState.RTR.value() ? expectedPsn : kept.rqPsn())
        .sqPsn(state.value() >= QpState.RTS.value() ? nextPsn : kept.sqPsn())
        .sqDraining(draining);
  }

  private static void values(DeviceFacts device, QpAttr kept, QpAttr attr, int mask) {
    if ((mask & QpAttrMask.PORT) != 0) {
      RequiredArgument.checkRange(attr.portNum(), 1, device.ports(), "portNum");
    }
    if ((mask & QpAttrMask.AV) != 0) {
      AddressVectors.check(device, attr.ahAttr());
      int port = (mask & QpAttrMask.PORT) != 0 ? attr.portNum() : kept.portNum();
      requireValue(
          attr.ahAttr().portNum() == port,
          Wording.of(
              "port_num of ahAttr must be %d, the port of the queue pair, not %d",
              port, attr.ahAttr().portNum()));
    }
    if ((mask & QpAttrMask.ALT_PATH) != 0) {
      throw Errno.EINVAL.refusal("RoCE has no alternate paths: leave altAhAttr out");
    }
    if ((mask & QpAttrMask.QKEY) != 0) {
      require(
          (attr.qkey() & DatagramRequester.PRIVILEGED_QKEY) == 0,
          Errno.EPERM,
          Wording.of(
              "qkey 0x%x has bit 31 set and so is privileged: use one below 0x80000000",
              attr.qkey()));
    }
    range(mask, QpAttrMask.TIMEOUT, attr.timeout(), 31);
    range(mask, QpAttrMask.RETRY_CNT, attr.retryCnt(), 7);
    range(mask, QpAttrMask.RNR_RETRY, attr.rnrRetry(), 7);
    range(mask, QpAttrMask.MIN_RNR_TIMER, attr.minRnrTimer(), 31);
    range(mask, QpAttrMask.DEST_QPN, attr.destQpNum(), Psn.MASK);
    range(mask, QpAttrMask.MAX_QP_RD_ATOMIC, attr.maxRdAtomic(), device.maxRdAtomic());
    range(mask, QpAttrMask.MAX_DEST_RD_ATOMIC, attr.maxDestRdAtomic(), device.maxRdAtomic());
    range(mask, QpAttrMask.PKEY_INDEX, attr.pkeyIndex(), device.pkeyTableLength() - 1);
    if ((mask & QpAttrMask.PATH_MTU) != 0) {
      requireValue(attr.pathMtu() != null, "pathMtu must be one of 256 to 4096 bytes");
    }
    if ((mask & QpAttrMask.PATH_MIG_STATE) != 0) {
      requireValue(attr.pathMigState() != null, "pathMigState names no state");
    }
  }

  private static void range(int mask, int bit, int value, int most) {
    if ((mask & bit) != 0) {
      RequiredArgument.checkRange(value, 0, most, QpAttrMask.setters(bit));
    }
  }

  private static void requireValue(boolean fine, String remedy) {
    require(fine, Errno.EINVAL, remedy);
  }

  private static void require(boolean fine, Errno errno, String remedy) {
    if (!fine) {
      throw new VerbsException(errno, remedy);
    }
  }
}
