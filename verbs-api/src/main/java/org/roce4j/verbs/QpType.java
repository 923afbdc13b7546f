package org.roce4j.verbs;

/** Transport service of a queue pair ({@code enum ibv_qp_type}, constants {@code IBV_QPT_*}). */
public enum QpType {
  /** Reliable connection. */
  RC(2),
  /** Unreliable connection. */
  UC(3),
  /** Unreliable datagram. */
  UD(4),
  /** Raw Ethernet frames. */
  RAW_PACKET(8),
  /** Initiating side of an extended reliable connection. */
  XRC_SEND(9),
  /** Target side of an extended reliable connection. */
  XRC_RECV(10),
  /** Private to a driver. */
  DRIVER(255);

  private static final QpType[] BY_VALUE = NumberTable.of(values(), QpType::value);

  private final int value;

  QpType(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static QpType of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
