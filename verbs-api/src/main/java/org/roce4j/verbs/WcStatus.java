package org.roce4j.verbs;

/**
 * How a work request ended ({@code enum ibv_wc_status}, constants {@code IBV_WC_*}).
 *
 * <p>A request that fails moves the queue pair to ERR; a send request of UC or UD moves it to SQE.
 * In a failed completion only the request identifier, the status, the queue pair number and the
 * vendor error are meaningful.
 */
public enum WcStatus {
  /** The operation completed. */
  SUCCESS(0, "success"),
  /** A message is longer than the posted buffer or than the path allows. */
  LOC_LEN_ERR(1, "local length error"),
  /** The request is inconsistent with the queue pair. */
  LOC_QP_OP_ERR(2, "local QP operation error"),
  /** Reliable datagram only, never reported here. */
  LOC_EEC_OP_ERR(3, "local EE context operation error"),
  /** A local buffer is not covered by its key, or lacks the right. */
  LOC_PROT_ERR(4, "local protection error"),
  /** The queue pair was in, or went to, the error state before this request ran. */
  WR_FLUSH_ERR(5, "Work Request Flushed Error"),
  /** A memory window could not be bound or invalidated. */
  MW_BIND_ERR(6, "memory management operation error"),
  /** The responder answered with an opcode that fits nothing outstanding. */
  BAD_RESP_ERR(7, "bad response error"),
  /** An incoming RDMA WRITE with immediate data failed its protection check. */
  LOC_ACCESS_ERR(8, "local access error"),
  /** The responder refused the request as invalid. */
  REM_INV_REQ_ERR(9, "remote invalid request error"),
  /** The responder refused access to its memory. */
  REM_ACCESS_ERR(10, "remote access error"),
  /** The responder could not complete the operation. */
  REM_OP_ERR(11, "remote operation error"),
  /** The peer did not answer within all retries. */
  RETRY_EXC_ERR(12, "transport retry counter exceeded"),
  /** The peer had no receive posted within all RNR retries. */
  RNR_RETRY_EXC_ERR(13, "RNR retry counter exceeded"),
  /** Reliable datagram only, never reported here. */
  LOC_RDD_VIOL_ERR(14, "local RDD violation error"),
  /** Reliable datagram only, never reported here. */
  REM_INV_RD_REQ_ERR(15, "remote invalid RD request"),
  /** The operation was aborted. */
  REM_ABORT_ERR(16, "aborted error"),
  /** Reliable datagram only, never reported here. */
  INV_EECN_ERR(17, "invalid EE context number"),
  /** Reliable datagram only, never reported here. */
  INV_EEC_STATE_ERR(18, "invalid EE context state"),
  /** The device failed. */
  FATAL_ERR(19, "fatal error"),
  /** A response came too late. */
  RESP_TIMEOUT_ERR(20, "response timeout error"),
  /** Any other failure. */
  GENERAL_ERR(21, "general error"),
  /** Tag matching failed. */
  TM_ERR(22, "TM error"),
  /** Tag matching needs the software to finish a rendezvous. */
  TM_RNDV_INCOMPLETE(23, "TM software rendezvous");

  private static final WcStatus[] BY_VALUE = values();

  private final int value;
  private final String description;

  WcStatus(int value, String description) {
    this.value = value;
    this.description = description;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static WcStatus of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }

  /** Returns the text of {@code ibv_wc_status_str} for this constant. */
  public String description() {
    return description;
  }

  /**
   * Returns the text of {@code ibv_wc_status_str} for any number: {@code "unknown"} where there is
   * none.
   */
  public static String describe(int value) {
    WcStatus known = of(value);
    return known == null ? "unknown" : known.description;
  }
}
