package org.roce4j.wire.mad;

import java.util.Locale;

/** Why a connection is rejected; codes of {@code enum ib_cm_rej_reason}. */
public enum RejCode {
  /** 1: no queue pair is left. */
  NO_QP(1),
  /** 2: no end-to-end context is left (RD). */
  NO_EEC(2),
  /** 3: another resource is exhausted, such as a listener's backlog. */
  NO_RESOURCES(3),
  /** 4: the peer did not answer within all retries. */
  TIMEOUT(4),
  /** 5: a request of a kind that this manager does not serve. */
  UNSUPPORTED(5),
  /** 6: no connection has this communication id. */
  INVALID_COMM_ID(6),
  /** 7: communication ids and queue pair of the message do not belong to one connection. */
  INVALID_COMM_INSTANCE(7),
  /** 8: nobody listens; rdma_cm programs see it as {@code ECONNREFUSED}. */
  INVALID_SERVICE_ID(8),
  /** 9: the service is of another transport, for instance UC. */
  INVALID_TRANSPORT_TYPE(9),
  /** 10: this queue pair is already connected with the sender; one end has forgotten it. */
  STALE_CONNECTION(10),
  /** 11: there is no reliable datagram channel (RD). */
  RDC_NOT_EXIST(11),
  /** 12: the primary path's destination GID is not the receiver's. */
  INVALID_GID(12),
  /** 13: the primary path's LID is not the receiver's; RoCE has no LIDs. */
  INVALID_LID(13),
  /** 14: the receiver cannot use the primary path's service level. */
  INVALID_SL(14),
  /** 15: the receiver cannot use the primary path's traffic class. */
  INVALID_TRAFFIC_CLASS(15),
  /** 16: the receiver cannot use the primary path's hop limit. */
  INVALID_HOP_LIMIT(16),
  /** 17: the receiver cannot use the primary path's rate. */
  INVALID_PACKET_RATE(17),
  /** 18: as 12, of the alternate path. */
  INVALID_ALT_GID(18),
  /** 19: as 13, of the alternate path. */
  INVALID_ALT_LID(19),
  /** 20: as 14, of the alternate path. */
  INVALID_ALT_SL(20),
  /** 21: as 15, of the alternate path. */
  INVALID_ALT_TRAFFIC_CLASS(21),
  /** 22: as 16, of the alternate path. */
  INVALID_ALT_HOP_LIMIT(22),
  /** 23: as 17, of the alternate path. */
  INVALID_ALT_PACKET_RATE(23),
  /** 24: the manager is at another port; the additional information is its class port info. */
  PORT_CM_REDIRECT(24),
  /** 25: connect to another port; the additional information is its GID. */
  PORT_REDIRECT(25),
  /** 26: the path MTU exceeds the receiver's, which is the additional information. */
  INVALID_MTU(26),
  /** 27: more READs and atomics at a time than the receiver accepts. */
  INSUFFICIENT_RESP_RESOURCES(27),
  /** 28: the program refused ({@code rdma_reject}); private data may say why. */
  CONSUMER_DEFINED(28),
  /** 29: the RNR retry count is refused. */
  INVALID_RNR_RETRY(29),
  /** 30: the sender uses this communication id for another connection. */
  DUPLICATE_LOCAL_COMM_ID(30),
  /** 31: another version of communication management. */
  INVALID_CLASS_VERSION(31),
  /** 32: the receiver cannot use the primary path's flow label. */
  INVALID_FLOW_LABEL(32),
  /** 33: as 32, of the alternate path. */
  INVALID_ALT_FLOW_LABEL(33),
  /**
   * 35: enhanced connection establishment asks for an option that the receiver does not support.
   */
  VENDOR_OPTION_NOT_SUPPORTED(35);

  private final int code;

  RejCode(int code) {
    this.code = code;
  }

  /** The number in the message. */
  public int code() {
    return code;
  }

  /** The reason with this code, or null. */
  public static RejCode of(int code) {
    for (RejCode reason : values()) {
      if (reason.code == code) {
        return reason;
      }
    }
    return null;
  }

  /** {@code 28 (consumer defined)}; the number alone for a code without a name. */
  public static String text(int code) {
    RejCode reason = of(code);
    return reason == null
        ? Integer.toString(code)
        : code + " (" + reason.name().toLowerCase(Locale.ROOT).replace('_', ' ') + ")";
  }
}
