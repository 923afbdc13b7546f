package org.roce4j.verbs;

/**
 * What an asynchronous event reports ({@code enum ibv_event_type}, constants {@code IBV_EVENT_*}).
 */
public enum EventType {
  /** A completion queue overflowed. */
  CQ_ERR(0, "CQ error", Target.COMPLETION_QUEUE),
  /** A queue pair failed and is in the error state. */
  QP_FATAL(1, "local work queue catastrophic error", Target.QUEUE_PAIR),
  /** The peer sent an opcode out of sequence, or a message longer than its receive. */
  QP_REQ_ERR(2, "invalid request local work queue error", Target.QUEUE_PAIR),
  /**
   * A request of the peer violated local protection, had a wrong length or an unaligned address, or
   * exceeded the agreed number of outstanding READs and atomics.
   */
  QP_ACCESS_ERR(3, "local access violation work queue error", Target.QUEUE_PAIR),
  /** The first packet was processed while the queue pair (RC, UC) was ready to receive. */
  COMM_EST(4, "communication established", Target.QUEUE_PAIR),
  /** All started send requests are finished. */
  SQ_DRAINED(5, "send queue drained", Target.QUEUE_PAIR),
  /** The alternate path is in use. */
  PATH_MIG(6, "path migrated", Target.QUEUE_PAIR),
  /** The alternate path could not be used. */
  PATH_MIG_ERR(7, "path migration request error", Target.QUEUE_PAIR),
  /** The device failed. */
  DEVICE_FATAL(8, "local catastrophic error", Target.DEVICE),
  /** A port went up. */
  PORT_ACTIVE(9, "port active", Target.PORT),
  /** A port went down. */
  PORT_ERR(10, "port error", Target.PORT),
  /** The local identifier changed. */
  LID_CHANGE(11, "LID change", Target.PORT),
  /** The partition key table changed. */
  PKEY_CHANGE(12, "P_Key change", Target.PORT),
  /** The subnet manager changed. */
  SM_CHANGE(13, "SM change", Target.PORT),
  /** A shared receive queue failed. */
  SRQ_ERR(14, "SRQ catastrophic error", Target.SHARED_RECEIVE_QUEUE),
  /** Fewer requests than the armed limit remain. */
  SRQ_LIMIT_REACHED(15, "SRQ limit reached", Target.SHARED_RECEIVE_QUEUE),
  /** A queue pair in error will take nothing more from its SRQ. */
  QP_LAST_WQE_REACHED(16, "last WQE reached", Target.QUEUE_PAIR),
  /** Subscriptions must be renewed. */
  CLIENT_REREGISTER(17, "client reregistration", Target.PORT),
  /** The GID table changed. */
  GID_CHANGE(18, "GID table change", Target.PORT),
  /** A work queue failed. */
  WQ_FATAL(19, "WQ fatal", Target.WORK_QUEUE),
  /** The speed of a port changed. */
  DEVICE_SPEED_CHANGE(20, "Device link speed change", Target.PORT);

  private static final EventType[] BY_VALUE = values();

  private final int value;
  private final String description;
  private final Target target;

  EventType(int value, String description, Target target) {
    this.value = value;
    this.description = description;
    this.target = target;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static EventType of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }

  /** Returns the text of {@code ibv_event_type_str} for this constant. */
  public String description() {
    return description;
  }

  /**
   * Returns the text of {@code ibv_event_type_str} for any number: {@code "unknown"} where there is
   * none.
   */
  public static String describe(int value) {
    EventType known = of(value);
    return known == null ? "unknown" : known.description;
  }

  /** Returns the kind of object that such an event concerns. */
  public Target target() {
    return target;
  }

  /** Which member of the union {@code ibv_async_event.element} is meant. */
  public enum Target {
    /** {@code element.cq}. */
    COMPLETION_QUEUE,
    /** {@code element.qp}. */
    QUEUE_PAIR,
    /** {@code element.srq}. */
    SHARED_RECEIVE_QUEUE,
    /** {@code element.wq}. */
    WORK_QUEUE,
    /** {@code element.port_num}. */
    PORT,
    /** No element: the whole device. */
    DEVICE
  }
}
