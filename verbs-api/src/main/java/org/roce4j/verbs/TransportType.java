package org.roce4j.verbs;

/** Transport of a device ({@code enum ibv_transport_type}, constants {@code IBV_TRANSPORT_*}). */
public enum TransportType {
  /** Not known. */
  UNKNOWN(-1),
  /** InfiniBand transport; RoCE too. */
  IB(0),
  /** RDMA over TCP, RFC 5040. */
  IWARP(1),
  /** Cisco's user-space network cards, over Ethernet frames. */
  USNIC(2),
  /** usNIC over UDP. */
  USNIC_UDP(3),
  /** None of the others. */
  UNSPECIFIED(4);

  private static final TransportType[] BY_VALUE = NumberTable.of(values(), TransportType::value);

  private final int value;

  TransportType(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@link #UNKNOWN} when there is none. */
  public static TransportType of(int value) {
    if (value < 0 || value >= BY_VALUE.length || BY_VALUE[value] == null) {
      return UNKNOWN;
    }
    return BY_VALUE[value];
  }
}
