package org.roce4j.verbs;

import java.util.StringJoiner;

/**
 * {@code struct ibv_qp_attr} with its mask: every setter also sets the bit of {@link QpAttrMask}
 * that names the attribute, so {@code qp.modify(attr)} needs no mask of its own. Fluent; not
 * thread-safe.
 */
public final class QpAttr {
  private int mask;
  private QpCapabilities cap;
  private boolean sqDraining;
  private QpState qpState;
  private QpState curQpState;
  private Mtu pathMtu;
  private MigState pathMigState;
  private int qkey;
  private int rqPsn;
  private int sqPsn;
  private int destQpNum;
  private int qpAccessFlags;
  private AhAttr ahAttr;
  private AhAttr altAhAttr;
  private int pkeyIndex;
  private boolean enSqdAsyncNotify;
  private int maxRdAtomic;
  private int maxDestRdAtomic;
  private int minRnrTimer;
  private int portNum;
  private int timeout;
  private int retryCnt;
  private int rnrRetry;

  /** The attributes set so far, of {@link QpAttrMask}. */
  public int mask() {
    return mask;
  }

  /**
   * Takes attributes from another set.
   *
   * @param which of {@link QpAttrMask}; other bits have no attribute of their own
   */
  public QpAttr take(QpAttr from, int which) {
    for (int left = which; left != 0; left &= left - 1) {
      takeOne(from, Integer.lowestOneBit(left));
    }
    return this;
  }

  private void takeOne(QpAttr from, int attribute) {
    switch (attribute) {
      case QpAttrMask.STATE -> qpState(from.qpState);
      case QpAttrMask.CUR_STATE -> curQpState(from.curQpState);
      case QpAttrMask.EN_SQD_ASYNC_NOTIFY -> enSqdAsyncNotify(from.enSqdAsyncNotify);
      case QpAttrMask.ACCESS_FLAGS -> qpAccessFlags(from.qpAccessFlags);
      case QpAttrMask.PKEY_INDEX -> pkeyIndex(from.pkeyIndex);
      case QpAttrMask.PORT -> portNum(from.portNum);
      case QpAttrMask.QKEY -> qkey(from.qkey);
      case QpAttrMask.AV -> ahAttr(from.ahAttr);
      case QpAttrMask.ALT_PATH -> altAhAttr(from.altAhAttr);
      case QpAttrMask.PATH_MTU -> pathMtu(from.pathMtu);
      case QpAttrMask.TIMEOUT -> timeout(from.timeout);
      case QpAttrMask.RETRY_CNT -> retryCnt(from.retryCnt);
      case QpAttrMask.RNR_RETRY -> rnrRetry(from.rnrRetry);
      case QpAttrMask.RQ_PSN -> rqPsn(from.rqPsn);
      case QpAttrMask.SQ_PSN -> sqPsn(from.sqPsn);
      case QpAttrMask.MAX_QP_RD_ATOMIC -> maxRdAtomic(from.maxRdAtomic);
      case QpAttrMask.MAX_DEST_RD_ATOMIC -> maxDestRdAtomic(from.maxDestRdAtomic);
      case QpAttrMask.MIN_RNR_TIMER -> minRnrTimer(from.minRnrTimer);
      case QpAttrMask.PATH_MIG_STATE -> pathMigState(from.pathMigState);
      case QpAttrMask.CAP -> cap(from.cap);
      case QpAttrMask.DEST_QPN -> destQpNum(from.destQpNum);
      default -> {}
    }
  }

  /** Whether the send queue is still draining; filled by a query in state SQD. */
  public boolean sqDraining() {
    return sqDraining;
  }

  public QpAttr sqDraining(boolean value) {
    sqDraining = value;
    return this;
  }

  public QpCapabilities cap() {
    return cap;
  }

  public QpAttr cap(QpCapabilities value) {
    cap = value;
    mask |= QpAttrMask.CAP;
    return this;
  }

  /** The state to move to. */
  public QpAttr qpState(QpState value) {
    qpState = value;
    mask |= QpAttrMask.STATE;
    return this;
  }

  public QpState qpState() {
    return qpState;
  }

  /** The state the caller believes the queue pair is in. */
  public QpAttr curQpState(QpState value) {
    curQpState = value;
    mask |= QpAttrMask.CUR_STATE;
    return this;
  }

  public QpState curQpState() {
    return curQpState;
  }

  public QpAttr pathMtu(Mtu value) {
    pathMtu = value;
    mask |= QpAttrMask.PATH_MTU;
    return this;
  }

  public Mtu pathMtu() {
    return pathMtu;
  }

  public QpAttr pathMigState(MigState value) {
    pathMigState = value;
    mask |= QpAttrMask.PATH_MIG_STATE;
    return this;
  }

  public MigState pathMigState() {
    return pathMigState;
  }

  public QpAttr qkey(int value) {
    qkey = value;
    mask |= QpAttrMask.QKEY;
    return this;
  }

  public int qkey() {
    return qkey;
  }

  /** First PSN expected, 24 bits. */
  public QpAttr rqPsn(int value) {
    rqPsn = value;
    mask |= QpAttrMask.RQ_PSN;
    return this;
  }

  public int rqPsn() {
    return rqPsn;
  }

  /** First PSN sent, 24 bits. */
  public QpAttr sqPsn(int value) {
    sqPsn = value;
    mask |= QpAttrMask.SQ_PSN;
    return this;
  }

  public int sqPsn() {
    return sqPsn;
  }

  public QpAttr destQpNum(int value) {
    destQpNum = value;
    mask |= QpAttrMask.DEST_QPN;
    return this;
  }

  public int destQpNum() {
    return destQpNum;
  }

  /** Remote rights of the queue pair, of {@link AccessFlags}. */
  public QpAttr qpAccessFlags(int value) {
    qpAccessFlags = value;
    mask |= QpAttrMask.ACCESS_FLAGS;
    return this;
  }

  public int qpAccessFlags() {
    return qpAccessFlags;
  }

  public QpAttr ahAttr(AhAttr value) {
    ahAttr = value;
    mask |= QpAttrMask.AV;
    return this;
  }

  public AhAttr ahAttr() {
    return ahAttr;
  }

  public QpAttr altAhAttr(AhAttr value) {
    altAhAttr = value;
    mask |= QpAttrMask.ALT_PATH;
    return this;
  }

  public AhAttr altAhAttr() {
    return altAhAttr;
  }

  public QpAttr pkeyIndex(int value) {
    pkeyIndex = value;
    mask |= QpAttrMask.PKEY_INDEX;
    return this;
  }

  public int pkeyIndex() {
    return pkeyIndex;
  }

  public QpAttr enSqdAsyncNotify(boolean value) {
    enSqdAsyncNotify = value;
    mask |= QpAttrMask.EN_SQD_ASYNC_NOTIFY;
    return this;
  }

  public boolean enSqdAsyncNotify() {
    return enSqdAsyncNotify;
  }

  /** READs and atomics outstanding as requester. */
  public QpAttr maxRdAtomic(int value) {
    maxRdAtomic = value;
    mask |= QpAttrMask.MAX_QP_RD_ATOMIC;
    return this;
  }

  public int maxRdAtomic() {
    return maxRdAtomic;
  }

  /** READs and atomics accepted as responder. */
  public QpAttr maxDestRdAtomic(int value) {
    maxDestRdAtomic = value;
    mask |= QpAttrMask.MAX_DEST_RD_ATOMIC;
    return this;
  }

  public int maxDestRdAtomic() {
    return maxDestRdAtomic;
  }

  /** RNR timer code, 0..31. */
  public QpAttr minRnrTimer(int value) {
    minRnrTimer = value;
    mask |= QpAttrMask.MIN_RNR_TIMER;
    return this;
  }

  public int minRnrTimer() {
    return minRnrTimer;
  }

  public QpAttr portNum(int value) {
    portNum = value;
    mask |= QpAttrMask.PORT;
    return this;
  }

  public int portNum() {
    return portNum;
  }

  /** Local ACK timeout code, 0..31: 4.096 us * 2^code; 0: for ever. */
  public QpAttr timeout(int value) {
    timeout = value;
    mask |= QpAttrMask.TIMEOUT;
    return this;
  }

  public int timeout() {
    return timeout;
  }

  /** 0..7; seven is seven. */
  public QpAttr retryCnt(int value) {
    retryCnt = value;
    mask |= QpAttrMask.RETRY_CNT;
    return this;
  }

  public int retryCnt() {
    return retryCnt;
  }

  /** 0..7; seven is endless. */
  public QpAttr rnrRetry(int value) {
    rnrRetry = value;
    mask |= QpAttrMask.RNR_RETRY;
    return this;
  }

  public int rnrRetry() {
    return rnrRetry;
  }

  /** The attributes that were set, by setter: {@code qpState=RTS, timeout=14, sqPsn=0}. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ");
    for (int left = mask; left != 0; left &= left - 1) {
      int bit = Integer.lowestOneBit(left);
      text.add(QpAttrMask.setters(bit) + "=" + value(bit));
    }
    return text.toString();
  }

  private Object value(int attribute) {
    return switch (attribute) {
      case QpAttrMask.STATE -> qpState;
      case QpAttrMask.CUR_STATE -> curQpState;
      case QpAttrMask.EN_SQD_ASYNC_NOTIFY -> enSqdAsyncNotify;
      case QpAttrMask.ACCESS_FLAGS -> AccessFlags.toString(qpAccessFlags);
      case QpAttrMask.PKEY_INDEX -> pkeyIndex;
      case QpAttrMask.PORT -> portNum;
      case QpAttrMask.QKEY -> hex(qkey);
      case QpAttrMask.AV -> ahAttr;
      case QpAttrMask.ALT_PATH -> altAhAttr;
      case QpAttrMask.PATH_MTU -> pathMtu;
      case QpAttrMask.TIMEOUT -> timeout;
      case QpAttrMask.RETRY_CNT -> retryCnt;
      case QpAttrMask.RNR_RETRY -> rnrRetry;
      case QpAttrMask.RQ_PSN -> hex(rqPsn);
      case QpAttrMask.SQ_PSN -> hex(sqPsn);
      case QpAttrMask.MAX_QP_RD_ATOMIC -> maxRdAtomic;
      case QpAttrMask.MAX_DEST_RD_ATOMIC -> maxDestRdAtomic;
      case QpAttrMask.MIN_RNR_TIMER -> minRnrTimer;
      case QpAttrMask.PATH_MIG_STATE -> pathMigState;
      case QpAttrMask.CAP -> cap;
      default -> hex(destQpNum);
    };
  }

  private static String hex(int number) {
    return "0x" + Integer.toHexString(number);
  }
}
