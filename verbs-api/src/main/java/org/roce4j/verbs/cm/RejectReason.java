package org.roce4j.verbs.cm;

/**
 * Why a connection was rejected: the status of {@link CmEventType#REJECTED} (InfiniBand volume 1,
 * 12.6.7.2; {@code enum ib_cm_rej_reason}).
 */
public enum RejectReason {
  /** No queue pair available. */
  NO_QP(1),
  /** No end-to-end context available. */
  NO_EEC(2),
  /** No resources available. */
  NO_RESOURCES(3),
  /** The requester has given up waiting. */
  TIMEOUT(4),
  /** Unsupported request. */
  UNSUPPORTED(5),
  /** Invalid communication id. */
  INVALID_COMM_ID(6),
  /** Invalid communication instance. */
  INVALID_COMM_INSTANCE(7),
  /** Nobody listens at the service id. */
  INVALID_SERVICE_ID(8),
  /** Invalid transport service type. */
  INVALID_TRANSPORT_TYPE(9),
  /** The queue pair is still in a connection that the peer remembers. */
  STALE_CONN(10),
  /** The reliable datagram channel does not exist. */
  RDC_NOT_EXIST(11),
  /** Invalid GID. */
  INVALID_GID(12),
  /** Invalid LID. */
  INVALID_LID(13),
  /** Invalid service level. */
  INVALID_SL(14),
  /** Invalid traffic class. */
  INVALID_TRAFFIC_CLASS(15),
  /** Invalid hop limit. */
  INVALID_HOP_LIMIT(16),
  /** Invalid packet rate. */
  INVALID_PACKET_RATE(17),
  /** Invalid alternate GID. */
  INVALID_ALT_GID(18),
  /** Invalid alternate LID. */
  INVALID_ALT_LID(19),
  /** Invalid alternate service level. */
  INVALID_ALT_SL(20),
  /** Invalid alternate traffic class. */
  INVALID_ALT_TRAFFIC_CLASS(21),
  /** Invalid alternate hop limit. */
  INVALID_ALT_HOP_LIMIT(22),
  /** Invalid alternate packet rate. */
  INVALID_ALT_PACKET_RATE(23),
  /** The connection manager is at another port. */
  PORT_CM_REDIRECT(24),
  /** The service is at another port. */
  PORT_REDIRECT(25),
  /** Invalid path MTU. */
  INVALID_MTU(26),
  /** Too few responder resources. */
  INSUFFICIENT_RESP_RESOURCES(27),
  /** The program rejected, or nobody listens at the address. */
  CONSUMER_DEFINED(28),
  /** Invalid RNR retry count. */
  INVALID_RNR_RETRY(29),
  /** The communication id is in use. */
  DUPLICATE_LOCAL_COMM_ID(30),
  /** Invalid class version. */
  INVALID_CLASS_VERSION(31),
  /** Invalid flow label. */
  INVALID_FLOW_LABEL(32),
  /** Invalid alternate flow label. */
  INVALID_ALT_FLOW_LABEL(33),
  /** A vendor's option is not supported. */
  VENDOR_OPTION_NOT_SUPPORTED(35);

  private final int value;

  RejectReason(int value) {
    this.value = value;
  }

  /** The number on the wire. */
  public int value() {
    return value;
  }

  /** The constant with this number, {@code null} when there is none. */
  public static RejectReason of(int value) {
    for (RejectReason each : values()) {
      if (each.value == value) {
        return each;
      }
    }
    return null;
  }
}
