package org.roce4j.wire.mad;

import java.util.Locale;

/**
 * Service ids of rdma_cm: a port space and a port, {@code space << 16 | port}. The spaces are those
 * of {@code enum rdma_port_space}.
 */
public final class ServiceId {
  static final int IPOIB = 0x0002;

  /** Port space of reliable connections ({@code RDMA_PS_TCP}). */
  public static final int TCP = 0x0106;

  /** Port space of datagrams ({@code RDMA_PS_UDP}). */
  public static final int UDP = 0x0111;

  static final int IB = 0x013F;

  private static final int PORT_BITS = 16;

  private ServiceId() {}

  /** The service id of a port, 0..65535, in a port space. */
  public static long of(int portSpace, int port) {
    return (long) portSpace << PORT_BITS | port & 0xFFFF;
  }

  /** The port space; meaningless for a service id of another kind. */
  public static long portSpace(long serviceId) {
    return serviceId >>> PORT_BITS;
  }

  static int port(long serviceId) {
    return (int) serviceId & 0xFFFF;
  }

  /** {@code TCP:7471}, or the number in hexadecimal. */
  public static String text(long serviceId) {
    String space =
        switch ((int) Math.min(portSpace(serviceId), Integer.MAX_VALUE)) {
          case IPOIB -> "IPOIB";
          case TCP -> "TCP";
          case UDP -> "UDP";
          case IB -> "IB";
          default -> null;
        };
    return space == null
        ? String.format(Locale.ROOT, "0x%016x", serviceId)
        : space + ":" + port(serviceId);
  }
}
