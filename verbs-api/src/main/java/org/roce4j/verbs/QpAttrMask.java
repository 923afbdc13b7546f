package org.roce4j.verbs;

/**
 * Which attributes a modify or query of a queue pair concerns ({@code enum ibv_qp_attr_mask},
 * constants {@code IBV_QP_*}).
 */
public final class QpAttrMask {
  /** The state to go to. */
  public static final int STATE = 1 << 0;

  /** The state assumed at present. */
  public static final int CUR_STATE = 1 << 1;

  /** Whether an event tells that the send queue is drained. */
  public static final int EN_SQD_ASYNC_NOTIFY = 1 << 2;

  /** What the peer may do: {@link AccessFlags}. */
  public static final int ACCESS_FLAGS = 1 << 3;

  /** Index in the partition key table. */
  public static final int PKEY_INDEX = 1 << 4;

  /** Number of the primary port. */
  public static final int PORT = 1 << 5;

  /** Queue key (UD). */
  public static final int QKEY = 1 << 6;

  /** Address vector of the path. */
  public static final int AV = 1 << 7;

  /** Payload of a full packet: {@link QpAttr#pathMtu}. */
  public static final int PATH_MTU = 1 << 8;

  /** Acknowledge timeout exponent. */
  public static final int TIMEOUT = 1 << 9;

  /** Transport retries. */
  public static final int RETRY_CNT = 1 << 10;

  /** How often a request is sent again after RNR NAKs: {@link QpAttr#rnrRetry}. */
  public static final int RNR_RETRY = 1 << 11;

  /** First packet sequence number expected. */
  public static final int RQ_PSN = 1 << 12;

  /** Outstanding READs and atomics as requester. */
  public static final int MAX_QP_RD_ATOMIC = 1 << 13;

  /** Address vector of the path to migrate to; RoCE has none. */
  public static final int ALT_PATH = 1 << 14;

  /** Code of the wait that RNR NAKs ask for. */
  public static final int MIN_RNR_TIMER = 1 << 15;

  /** First packet sequence number sent. */
  public static final int SQ_PSN = 1 << 16;

  /** Outstanding READs and atomics as responder. */
  public static final int MAX_DEST_RD_ATOMIC = 1 << 17;

  /** How far automatic path migration is: {@link QpAttr#pathMigState}. */
  public static final int PATH_MIG_STATE = 1 << 18;

  /** Sizes of the queues. */
  public static final int CAP = 1 << 19;

  /** Queue pair number of the peer. */
  public static final int DEST_QPN = 1 << 20;

  /** Rate limit in kbit/s. */
  public static final int RATE_LIMIT = 1 << 25;

  private static final FlagNames NAMES = new FlagNames();

  /** The setters of {@link QpAttr}. */
  private static final FlagNames SETTERS = new FlagNames(", ");

  static {
    name(STATE, "STATE", "qpState");
    name(CUR_STATE, "CUR_STATE", "curQpState");
    name(EN_SQD_ASYNC_NOTIFY, "EN_SQD_ASYNC_NOTIFY", "enSqdAsyncNotify");
    name(ACCESS_FLAGS, "ACCESS_FLAGS", "qpAccessFlags");
    name(PKEY_INDEX, "PKEY_INDEX", "pkeyIndex");
    name(PORT, "PORT", "portNum");
    name(QKEY, "QKEY", "qkey");
    name(AV, "AV", "ahAttr");
    name(PATH_MTU, "PATH_MTU", "pathMtu");
    name(TIMEOUT, "TIMEOUT", "timeout");
    name(RETRY_CNT, "RETRY_CNT", "retryCnt");
    name(RNR_RETRY, "RNR_RETRY", "rnrRetry");
    name(RQ_PSN, "RQ_PSN", "rqPsn");
    name(MAX_QP_RD_ATOMIC, "MAX_QP_RD_ATOMIC", "maxRdAtomic");
    name(ALT_PATH, "ALT_PATH", "altAhAttr");
    name(MIN_RNR_TIMER, "MIN_RNR_TIMER", "minRnrTimer");
    name(SQ_PSN, "SQ_PSN", "sqPsn");
    name(MAX_DEST_RD_ATOMIC, "MAX_DEST_RD_ATOMIC", "maxDestRdAtomic");
    name(PATH_MIG_STATE, "PATH_MIG_STATE", "pathMigState");
    name(CAP, "CAP", "cap");
    name(DEST_QPN, "DEST_QPN", "destQpNum");
    name(RATE_LIMIT, "RATE_LIMIT", "rateLimit");
  }

  private QpAttrMask() {}

  private static void name(int bit, String name, String setter) {
    NAMES.name(bit, name);
    SETTERS.name(bit, setter);
  }

  /** Renders the names of the set bits joined by {@code |}; {@code 0} when none is set. */
  public static String toString(int flags) {
    return NAMES.render(flags & 0xFFFF_FFFFL);
  }

  /**
   * Renders the setters of {@link QpAttr} that give these attributes, joined by a comma; {@code 0}
   * when no bit is set.
   */
  public static String setters(int flags) {
    return SETTERS.render(flags & 0xFFFF_FFFFL);
  }
}
