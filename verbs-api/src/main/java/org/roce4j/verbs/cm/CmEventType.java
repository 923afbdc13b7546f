package org.roce4j.verbs.cm;

/** The types of events ({@code enum rdma_cm_event_type}, constants {@code RDMA_CM_EVENT_*}). */
public enum CmEventType {
  /** The destination's address is resolved and the id bound to a device. */
  ADDR_RESOLVED,
  /** The destination's address cannot be resolved. */
  ADDR_ERROR,
  /** The path to the destination is known: {@link CmId#connect} may follow. */
  ROUTE_RESOLVED,
  /** The route cannot be resolved. */
  ROUTE_ERROR,
  /** A peer wants to connect, or asks for the address of a datagram service. */
  CONNECT_REQUEST,
  /** The peer has accepted, and the id has no queue pair: the program continues the handshake. */
  CONNECT_RESPONSE,
  /** Connecting failed on this side. */
  CONNECT_ERROR,
  /** The peer did not answer, or has no such datagram service. */
  UNREACHABLE,
  /** The peer has rejected. */
  REJECTED,
  /** The connection is established, or the datagram service's address is known. */
  ESTABLISHED,
  /** The connection has ended. */
  DISCONNECTED,
  /** The device is being removed: destroy the id. */
  DEVICE_REMOVAL,
  /** A multicast group was joined. */
  MULTICAST_JOIN,
  /** A multicast group cannot be joined, or was lost. */
  MULTICAST_ERROR,
  /** The network address of the id has moved to another device. */
  ADDR_CHANGE,
  /** The queue pair may be reused: no packet of the connection is in flight any more. */
  TIMEWAIT_EXIT;

  private static final CmEventType[] BY_VALUE = values();

  /** The number that librdmacm uses. */
  public int value() {
    return ordinal();
  }

  /** The constant with this number, {@code null} when there is none. */
  public static CmEventType of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }

  /** The words of {@code rdma_event_str}: {@code RDMA_CM_EVENT_ESTABLISHED}. */
  public String text() {
    return "RDMA_CM_EVENT_" + name();
  }
}
