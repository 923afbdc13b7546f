package org.roce4j.verbs;

import java.util.StringJoiner;

/**
 * {@code struct ibv_qp_attr} with its mask: every setter also sets the bit of {@link QpAttrMask}
 * that names the attribute, so {@code qp.modify(attr)} needs no mask argument. Fluent; not
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
  private int altPkeyIndex;
  private int altPortNum;
  private int altTimeout;
  private int rateLimit;

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
      case QpAttrMask.ALT_PATH ->
          altAhAttr(from.altAhAttr)
              .altPkeyIndex(from.altPkeyIndex)
              .altPortNum(from.altPortNum)
              .altTimeout(from.altTimeout);
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
      case QpAttrMask.RATE_LIMIT -> rateLimit(from.rateLimit);
      default -> {}
    }
  }

  /** Whether the send queue is still draining; filled by a query in state SQD. */
  public boolean sqDraining() {
    return sqDraining;
  }

  /** For backends, which fill a query; {@code modify} does not read it. */
  public QpAttr sqDraining(boolean value) {
    sqDraining = value;
    return this;
  }

  /** The sizes granted, as a query returns them; null if they were not queried. */
  public QpCapabilities cap() {
    return cap;
  }

  /** New sizes of the queues; devices without {@code IBV_DEVICE_RESIZE_MAX_WR} refuse them. */
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

  /** The state to move to; after a query the present one. */
  public QpState qpState() {
    return qpState;
  }

  /** The state the caller believes the queue pair is in. */
  public QpAttr curQpState(QpState value) {
    curQpState = value;
    mask |= QpAttrMask.CUR_STATE;
    return this;
  }

  /** The state assumed; after a query the present one. */
  public QpState curQpState() {
    return curQpState;
  }

  /**
   * Payload of a full packet, RC and UC alike at both ends; not larger than the active MTU of the
   * port.
   */
  public QpAttr pathMtu(Mtu value) {
    pathMtu = value;
    mask |= QpAttrMask.PATH_MTU;
    return this;
  }

  /** Payload of a full packet. */
  public Mtu pathMtu() {
    return pathMtu;
  }

  /** State of automatic path migration, which RoCE does not have: {@link MigState#MIGRATED}. */
  public QpAttr pathMigState(MigState value) {
    pathMigState = value;
    mask |= QpAttrMask.PATH_MIG_STATE;
    return this;
  }

  /** State of automatic path migration; on RoCE {@link MigState#MIGRATED}. */
  public MigState pathMigState() {
    return pathMigState;
  }

  /**
   * UD: the key that a datagram must carry to be received. EPERM from 0x80000000 on: those are
   * privileged.
   */
  public QpAttr qkey(int value) {
    qkey = value;
    mask |= QpAttrMask.QKEY;
    return this;
  }

  /** UD: the key that a datagram must carry to be received. */
  public int qkey() {
    return qkey;
  }

  /** First PSN expected, 24 bits. */
  public QpAttr rqPsn(int value) {
    rqPsn = value;
    mask |= QpAttrMask.RQ_PSN;
    return this;
  }

  /** The PSN to begin with, 24 bits; after a query in RTR or later the next that is expected. */
  public int rqPsn() {
    return rqPsn;
  }

  /** First PSN sent, 24 bits. */
  public QpAttr sqPsn(int value) {
    sqPsn = value;
    mask |= QpAttrMask.SQ_PSN;
    return this;
  }

  /** The PSN to begin with, 24 bits; after a query in RTS or later the next that is sent. */
  public int sqPsn() {
    return sqPsn;
  }

  /** Number of the peer's queue pair, 24 bits. */
  public QpAttr destQpNum(int value) {
    destQpNum = value;
    mask |= QpAttrMask.DEST_QPN;
    return this;
  }

  /** Number of the peer's queue pair. */
  public int destQpNum() {
    return destQpNum;
  }

  /** Remote rights of the queue pair, of {@link AccessFlags}. */
  public QpAttr qpAccessFlags(int value) {
    qpAccessFlags = value;
    mask |= QpAttrMask.ACCESS_FLAGS;
    return this;
  }

  /** Remote rights of the queue pair; what a key grants beyond them is refused. */
  public int qpAccessFlags() {
    return qpAccessFlags;
  }

  /** Address vector of the path to the peer, with a global route: RoCE has no other. */
  public QpAttr ahAttr(AhAttr value) {
    ahAttr = value;
    mask |= QpAttrMask.AV;
    return this;
  }

  /** Address vector of the path to the peer; null before RTR. */
  public AhAttr ahAttr() {
    return ahAttr;
  }

  /** Address vector of the alternate path. EINVAL on RoCE, which migrates no paths. */
  public QpAttr altAhAttr(AhAttr value) {
    altAhAttr = value;
    mask |= QpAttrMask.ALT_PATH;
    return this;
  }

  /** Address vector of the alternate path; on RoCE an empty one. */
  public AhAttr altAhAttr() {
    return altAhAttr;
  }

  /** Index of the P_Key of the alternate path; goes with {@link #altAhAttr(AhAttr)}. */
  public QpAttr altPkeyIndex(int value) {
    altPkeyIndex = value;
    mask |= QpAttrMask.ALT_PATH;
    return this;
  }

  /** Index of the P_Key of the alternate path; 0 on RoCE. */
  public int altPkeyIndex() {
    return altPkeyIndex;
  }

  /** The port of the alternate path; goes with {@link #altAhAttr(AhAttr)}. */
  public QpAttr altPortNum(int value) {
    altPortNum = value;
    mask |= QpAttrMask.ALT_PATH;
    return this;
  }

  /** The port of the alternate path; 0 on RoCE. */
  public int altPortNum() {
    return altPortNum;
  }

  /**
   * ACK timeout of the alternate path, as {@link #timeout(int)}; goes with {@link
   * #altAhAttr(AhAttr)}.
   */
  public QpAttr altTimeout(int value) {
    altTimeout = value;
    mask |= QpAttrMask.ALT_PATH;
    return this;
  }

  /** ACK timeout of the alternate path; 0 on RoCE. */
  public int altTimeout() {
    return altTimeout;
  }

  /**
   * Rate of packets in kbit/s, of raw Ethernet queue pairs; those of RoCE refuse it (EOPNOTSUPP on
   * emulated devices) and take {@link QueuePair#modifyRateLimit}.
   */
  public QpAttr rateLimit(int value) {
    rateLimit = value;
    mask |= QpAttrMask.RATE_LIMIT;
    return this;
  }

  /** Rate of packets in kbit/s; 0: none. Soft-RoCE and most drivers do not tell it. */
  public int rateLimit() {
    return rateLimit;
  }

  /** Index of the queue pair's partition in the port's table of P_Keys; 0 on soft-RoCE. */
  public QpAttr pkeyIndex(int value) {
    pkeyIndex = value;
    mask |= QpAttrMask.PKEY_INDEX;
    return this;
  }

  /** Index of the queue pair's partition in the port's table. */
  public int pkeyIndex() {
    return pkeyIndex;
  }

  /**
   * For the transition to SQD: whether {@link EventType#SQ_DRAINED} is raised when the started
   * requests are finished.
   */
  public QpAttr enSqdAsyncNotify(boolean value) {
    enSqdAsyncNotify = value;
    mask |= QpAttrMask.EN_SQD_ASYNC_NOTIFY;
    return this;
  }

  /** Whether {@link EventType#SQ_DRAINED} was requested. */
  public boolean enSqdAsyncNotify() {
    return enSqdAsyncNotify;
  }

  /** READs and atomics outstanding as requester. */
  public QpAttr maxRdAtomic(int value) {
    maxRdAtomic = value;
    mask |= QpAttrMask.MAX_QP_RD_ATOMIC;
    return this;
  }

  /** READs and atomics outstanding as requester, 0 .. {@code max_qp_init_rd_atom} of the device. */
  public int maxRdAtomic() {
    return maxRdAtomic;
  }

  /** READs and atomics accepted as responder. */
  public QpAttr maxDestRdAtomic(int value) {
    maxDestRdAtomic = value;
    mask |= QpAttrMask.MAX_DEST_RD_ATOMIC;
    return this;
  }

  /** READs and atomics accepted as responder, 0 .. {@code max_qp_rd_atom} of the device. */
  public int maxDestRdAtomic() {
    return maxDestRdAtomic;
  }

  /** RNR timer code, 0..31. */
  public QpAttr minRnrTimer(int value) {
    minRnrTimer = value;
    mask |= QpAttrMask.MIN_RNR_TIMER;
    return this;
  }

  /** RNR timer code, 0..31; what its RNR NAKs ask a peer to wait at least. */
  public int minRnrTimer() {
    return minRnrTimer;
  }

  /** Number of the port, from 1. */
  public QpAttr portNum(int value) {
    portNum = value;
    mask |= QpAttrMask.PORT;
    return this;
  }

  /** Number of the port, from 1; 0 before INIT. */
  public int portNum() {
    return portNum;
  }

  /** Local ACK timeout code, 0..31: 4.096 us * 2^code; 0: no timeout. */
  public QpAttr timeout(int value) {
    timeout = value;
    mask |= QpAttrMask.TIMEOUT;
    return this;
  }

  /** Local ACK timeout code, 0..31; 0: no timeout. */
  public int timeout() {
    return timeout;
  }

  /** Retries after ACK timeouts, 0..7; 7 means seven. */
  public QpAttr retryCnt(int value) {
    retryCnt = value;
    mask |= QpAttrMask.RETRY_CNT;
    return this;
  }

  /** How often a request is sent again without an answer before it fails with RETRY_EXC_ERR. */
  public int retryCnt() {
    return retryCnt;
  }

  /** Retries after RNR NAKs, 0..7; 7 means forever. */
  public QpAttr rnrRetry(int value) {
    rnrRetry = value;
    mask |= QpAttrMask.RNR_RETRY;
    return this;
  }

  /**
   * How often a request is sent again after RNR NAKs before it fails with RNR_RETRY_EXC_ERR; 7:
   * forever.
   */
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
      case QpAttrMask.RATE_LIMIT -> Integer.toUnsignedString(rateLimit);
      default -> hex(destQpNum);
    };
  }

  private static String hex(int number) {
    return "0x" + Integer.toHexString(number);
  }
}
