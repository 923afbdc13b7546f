package org.roce4j.spec.bench;

import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.MigState;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpState;

/** Legal values for every attribute of a queue pair; a row changes those it is about. Fluent. */
public final class QpValues {
  /** Every remote right. */
  public static final int ALL_REMOTE =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;

  /** The first PSN in either direction, unless said otherwise: it soon wraps. */
  public static final int FIRST_PSN = 0xfffff0;

  private int accessFlags = ALL_REMOTE;
  private Mtu mtu = Mtu.MTU_1024;
  private int timeout = 14;
  private int retryCnt = 7;
  private int rnrRetry = 7;
  private int minRnrTimer = 1;
  private int maxRdAtomic = 4;
  private int maxDestRdAtomic = 4;
  private int qkey = 0x11111111;
  private AhAttr path;
  private int destQpNum = 0x17;
  private int rqPsn = FIRST_PSN;
  private QpState current = QpState.RTS;

  public QpValues accessFlags(int value) {
    accessFlags = value;
    return this;
  }

  public QpValues mtu(Mtu value) {
    mtu = value;
    return this;
  }

  public QpValues timeout(int code) {
    timeout = code;
    return this;
  }

  public QpValues retryCnt(int value) {
    retryCnt = value;
    return this;
  }

  public QpValues rnrRetry(int value) {
    rnrRetry = value;
    return this;
  }

  public QpValues minRnrTimer(int code) {
    minRnrTimer = code;
    return this;
  }

  public QpValues maxRdAtomic(int value) {
    maxRdAtomic = value;
    return this;
  }

  public QpValues maxDestRdAtomic(int value) {
    maxDestRdAtomic = value;
    return this;
  }

  /** The PSN that is expected first. */
  public QpValues rqPsn(int value) {
    rqPsn = value;
    return this;
  }

  /** The path to the peer, and its number. */
  public QpValues peer(AhAttr toPeer, int qpNum) {
    path = toPeer;
    destQpNum = qpNum;
    return this;
  }

  /** What CUR_STATE claims. */
  public QpValues current(QpState state) {
    current = state;
    return this;
  }

  /** The Q_Key of UD queue pairs. */
  public int qkey() {
    return qkey;
  }

  /**
   * These attributes with legal values.
   *
   * @param mask of {@link QpAttrMask}; STATE takes {@code next}
   */
  public QpAttr attributes(int mask, QpState next) {
    QpAttr attr = new QpAttr();
    for (int bit = 1; bit <= QpAttrMask.DEST_QPN; bit <<= 1) {
      if ((mask & bit) != 0) {
        set(attr, bit, next);
      }
    }
    return attr;
  }

  private void set(QpAttr attr, int bit, QpState next) {
    switch (bit) {
      case QpAttrMask.STATE -> attr.qpState(next);
      case QpAttrMask.CUR_STATE -> attr.curQpState(current);
      case QpAttrMask.EN_SQD_ASYNC_NOTIFY -> attr.enSqdAsyncNotify(true);
      case QpAttrMask.ACCESS_FLAGS -> attr.qpAccessFlags(accessFlags);
      case QpAttrMask.PKEY_INDEX -> attr.pkeyIndex(0);
      case QpAttrMask.PORT -> attr.portNum(1);
      case QpAttrMask.QKEY -> attr.qkey(qkey);
      case QpAttrMask.AV -> attr.ahAttr(path);
      case QpAttrMask.PATH_MTU -> attr.pathMtu(mtu);
      case QpAttrMask.TIMEOUT -> attr.timeout(timeout);
      case QpAttrMask.RETRY_CNT -> attr.retryCnt(retryCnt);
      case QpAttrMask.RNR_RETRY -> attr.rnrRetry(rnrRetry);
      case QpAttrMask.RQ_PSN -> attr.rqPsn(rqPsn);
      case QpAttrMask.MAX_QP_RD_ATOMIC -> attr.maxRdAtomic(maxRdAtomic);
      case QpAttrMask.ALT_PATH -> attr.altAhAttr(path);
      case QpAttrMask.MIN_RNR_TIMER -> attr.minRnrTimer(minRnrTimer);
      case QpAttrMask.SQ_PSN -> attr.sqPsn(FIRST_PSN);
      case QpAttrMask.MAX_DEST_RD_ATOMIC -> attr.maxDestRdAtomic(maxDestRdAtomic);
      case QpAttrMask.PATH_MIG_STATE -> attr.pathMigState(MigState.MIGRATED);
      case QpAttrMask.CAP -> attr.cap(new QpCapabilities(1, 1, 1, 1, 0));
      case QpAttrMask.DEST_QPN -> attr.destQpNum(destQpNum);
      default -> throw new AssertionError("no attribute has bit " + bit);
    }
  }
}
