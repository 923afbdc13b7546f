package org.roce4j.port.linux;

import java.lang.foreign.MemorySegment;
import org.roce4j.wire.GidAddress;

/** {@code struct sockaddr_in} and {@code sockaddr_in6} in native memory. */
final class SocketAddress {
  /** The size of the larger structure in bytes. */
  static final int SIZE = 28;

  private static final int IPV4_SIZE = 16;
  private static final int PORT = 2;
  private static final int IPV4_ADDRESS = 4;
  private static final int FLOW = 4;
  private static final int IPV6_HIGH = 8;
  private static final int IPV6_LOW = 16;
  private static final int SCOPE = 24;

  private SocketAddress() {}

  /**
   * Writes the address of a GID.
   *
   * @param scope interface index, used only for link-local addresses and groups
   * @return its length
   */
  static int put(MemorySegment s, long at, long high, long low, int port, int scope) {
    if (GidAddress.isIpv4Mapped(high, low)) {
      s.set(Abi.SHORT, at, (short) Abi.AF_INET);
      s.set(Abi.SHORT_BE, at + PORT, (short) port);
      s.set(Abi.INT_BE, at + IPV4_ADDRESS, GidAddress.ipv4(low));
      s.set(Abi.LONG, at + IPV4_ADDRESS + 4, 0L);
      return IPV4_SIZE;
    }
    s.set(Abi.SHORT, at, (short) Abi.AF_INET6);
    s.set(Abi.SHORT_BE, at + PORT, (short) port);
    s.set(Abi.INT, at + FLOW, 0);
    s.set(Abi.LONG_BE, at + IPV6_HIGH, high);
    s.set(Abi.LONG_BE, at + IPV6_LOW, low);
    s.set(Abi.INT, at + SCOPE, needsScope(high) ? scope : 0);
    return SIZE;
  }

  /** Whether an address is valid on one link only: fe80::/10, ff01::, ff02::. */
  static boolean needsScope(long high) {
    return high >>> 54 == 0xFE80 >>> 6 || high >>> 56 == 0xFF && (high >>> 48 & 0xF) <= 2;
  }

  static boolean isIpv4(MemorySegment s, long at) {
    return s.get(Abi.SHORT, at) == Abi.AF_INET;
  }

  static int port(MemorySegment s, long at) {
    return s.get(Abi.SHORT_BE, at + PORT) & 0xFFFF;
  }

  static long gidHigh(MemorySegment s, long at) {
    return isIpv4(s, at) ? GidAddress.ipv4MappedHigh() : s.get(Abi.LONG_BE, at + IPV6_HIGH);
  }

  static long gidLow(MemorySegment s, long at) {
    return isIpv4(s, at)
        ? GidAddress.ipv4Mapped(s.get(Abi.INT_BE, at + IPV4_ADDRESS))
        : s.get(Abi.LONG_BE, at + IPV6_LOW);
  }
}
