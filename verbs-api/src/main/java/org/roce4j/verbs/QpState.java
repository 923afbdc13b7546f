package org.roce4j.verbs;

/** State of a queue pair ({@code enum ibv_qp_state}, constants {@code IBV_QPS_*}). */
public enum QpState {
  /** Newly made; nothing may be posted. */
  RESET(0),
  /** Receives may be posted, nothing is processed. */
  INIT(1),
  /** Ready to receive. */
  RTR(2),
  /** Ready to send. */
  RTS(3),
  /** Send queue drained or draining: started requests finish, no new one starts. */
  SQD(4),
  /** Send queue in error, UC and UD only: the receive queue still works. */
  SQE(5),
  /** Error: all requests are flushed. */
  ERR(6),
  /** The state could not be determined. */
  UNKNOWN(7);

  private static final QpState[] BY_VALUE = values();

  private final int value;

  QpState(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@link #UNKNOWN} when there is none. */
  public static QpState of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : UNKNOWN;
  }
}
