package org.roce4j.port.linux;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.datagram.Inbound;
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

  /** Sets the sender of a datagram. Takes one access for IPv4: the first word has all of it. */
  static void read(MemorySegment s, long at, Inbound datagram) {
    long word = s.get(Abi.LONG, at);
    int port = Short.toUnsignedInt(Short.reverseBytes((short) (word >>> PORT * Byte.SIZE)));
    if ((short) word == Abi.AF_INET) {
      int address = Integer.reverseBytes((int) (word >>> IPV4_ADDRESS * Byte.SIZE));
      datagram.source(GidAddress.ipv4MappedHigh(), GidAddress.ipv4Mapped(address), port);
    } else {
      datagram.source(s.get(Abi.LONG_BE, at + IPV6_HIGH), s.get(Abi.LONG_BE, at + IPV6_LOW), port);
    }
  }
}
