package org.roce4j.verbs.cm;

import org.roce4j.verbs.QpType;

/**
 * The port space of an id, which decides its service ({@code enum rdma_port_space}, {@code
 * RDMA_PS_*}).
 */
public enum PortSpace {
  /** Multicast groups shared with IP over InfiniBand; datagrams. */
  IPOIB(0x0002, QpType.UD),
  /** Reliable connections. */
  TCP(0x0106, QpType.RC),
  /** Datagrams. */
  UDP(0x0111, QpType.UD),
  /** Any service of InfiniBand. */
  IB(0x013F, QpType.RC);

  private final int value;
  private final QpType qpType;

  PortSpace(int value, QpType qpType) {
    this.value = value;
    this.qpType = qpType;
  }

  /** The number that librdmacm uses; bits 16 to 31 of a service id. */
  public int value() {
    return value;
  }

  /** The type of queue pair that an id of this space has unless another is given. */
  public QpType qpType() {
    return qpType;
  }

  /** The 64-bit service id of a port: {@code (value << 16) | port}. */
  public long serviceId(int port) {
    return (long) value << 16 | port;
  }

  /** The constant with this number, {@code null} when there is none. */
  public static PortSpace of(int value) {
    for (PortSpace each : values()) {
      if (each.value == value) {
        return each;
      }
    }
    return null;
  }
}
