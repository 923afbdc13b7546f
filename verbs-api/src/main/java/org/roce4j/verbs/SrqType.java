package org.roce4j.verbs;

/** Type of a shared receive queue ({@code enum ibv_srq_type}, constants {@code IBV_SRQT_*}). */
public enum SrqType {
  /** Serves RC, UC and UD queue pairs. */
  BASIC(0),
  /** Serves extended reliable connections. */
  XRC(1),
  /** Matches tags. */
  TM(2);

  private static final SrqType[] BY_VALUE = values();

  private final int value;

  SrqType(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static SrqType of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
