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
  /** No connection has this communication id. */
  INVALID_COMM_ID(6),
  /** Communication ids and queue pair of the message do not belong to one connection. */
  INVALID_COMM_INSTANCE(7),
  /** Nobody listens at the service id. */
  INVALID_SERVICE_ID(8),
  /** The service is of another transport, for instance UC. */
  INVALID_TRANSPORT_TYPE(9),
  /** The queue pair is still in a connection that the peer remembers. */
  STALE_CONN(10),
  /** The reliable datagram channel does not exist. */
  RDC_NOT_EXIST(11),
  /** The path's destination GID is not the receiver's. */
  INVALID_GID(12),
  /** The path's LID is not the receiver's; RoCE has no LIDs. */
  INVALID_LID(13),
  /** The receiver cannot use the path's service level. */
  INVALID_SL(14),
  /** The receiver cannot use the path's traffic class. */
  INVALID_TRAFFIC_CLASS(15),
  /** The receiver cannot use the path's hop limit. */
  INVALID_HOP_LIMIT(16),
  /** The receiver cannot use the path's rate. */
  INVALID_PACKET_RATE(17),
  /** As {@link #INVALID_GID}, of the alternate path, which RoCE does not have. */
  INVALID_ALT_GID(18),
  /** As {@link #INVALID_LID}, of the alternate path. */
  INVALID_ALT_LID(19),
  /** As {@link #INVALID_SL}, of the alternate path. */
  INVALID_ALT_SL(20),
  /** As {@link #INVALID_TRAFFIC_CLASS}, of the alternate path. */
  INVALID_ALT_TRAFFIC_CLASS(21),
  /** As {@link #INVALID_HOP_LIMIT}, of the alternate path. */
  INVALID_ALT_HOP_LIMIT(22),
  /** As {@link #INVALID_PACKET_RATE}, of the alternate path. */
  INVALID_ALT_PACKET_RATE(23),
  /** The connection manager is at another port. */
  PORT_CM_REDIRECT(24),
  /** The service is at another port. */
  PORT_REDIRECT(25),
  /** The path MTU exceeds the receiver's. */
  INVALID_MTU(26),
  /** Too few responder resources. */
  INSUFFICIENT_RESP_RESOURCES(27),
  /** The program rejected, or there is no listener at the address. */
  CONSUMER_DEFINED(28),
  /** The receiver does not accept the RNR retry count. */
  INVALID_RNR_RETRY(29),
  /** The communication id is in use. */
  DUPLICATE_LOCAL_COMM_ID(30),
  /** The receiver speaks another version of communication management. */
  INVALID_CLASS_VERSION(31),
  /** The receiver cannot use the path's flow label. */
  INVALID_FLOW_LABEL(32),
  /** As {@link #INVALID_FLOW_LABEL}, of the alternate path. */
  INVALID_ALT_FLOW_LABEL(33),
  /** Enhanced connection establishment asks for an option that the receiver does not support. */
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
