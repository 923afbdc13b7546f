package org.roce4j.engine.responder;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Inbound;

/**
 * The 40 bytes in front of a received datagram (wire-format 8.2): an IPv6 header, or zeros and an
 * IPv4 header in the last 20 bytes. A socket does not deliver the header, so it is rebuilt from
 * what the socket reports: an unknown TTL becomes 64, an unknown TOS 0, the identification always
 * 0.
 */
final class NetworkHeader {
  static final int SIZE = 40;

  private static final int IPV4_AT = 20;
  private static final int UDP_HEADER = 8;
  private static final int UDP_PROTOCOL = 17;
  private static final int DEFAULT_HOP_LIMIT = 64;

  private final ByteBuffer bytes = ByteBuffer.allocate(SIZE);
  private final MemorySegment memory = MemorySegment.ofBuffer(bytes);

  MemorySegment memory() {
    return memory;
  }

  /**
   * @param udpPayload bytes from the BTH to the ICRC, both included
   */
  void write(Inbound inbound, int udpPayload) {
    int tos = inbound.trafficClass() == Inbound.UNKNOWN ? 0 : inbound.trafficClass();
    int ttl = inbound.hopLimit() == Inbound.UNKNOWN ? DEFAULT_HOP_LIMIT : inbound.hopLimit();
    int udpLength = udpPayload + UDP_HEADER;
    boolean ipv4 = inbound.sourceHigh() == 0 && (inbound.sourceLow() >>> 32) == 0xffff;
    if (ipv4) {
      bytes.putLong(0, 0).putLong(8, 0).putInt(16, 0);
      bytes.putInt(IPV4_AT, 0x45 << 24 | tos << 16 | (udpLength + 20));
      bytes.putInt(IPV4_AT + 4, 0x4000);
      bytes.putInt(IPV4_AT + 8, ttl << 24 | UDP_PROTOCOL << 16);
      bytes.putInt(IPV4_AT + 12, (int) inbound.sourceLow());
      bytes.putInt(IPV4_AT + 16, (int) inbound.localLow());
      bytes.putShort(IPV4_AT + 10, checksum());
    } else {
      bytes.putInt(0, 6 << 28 | tos << 20);
      bytes.putInt(4, udpLength << 16 | UDP_PROTOCOL << 8 | ttl);
      bytes.putLong(8, inbound.sourceHigh());
      bytes.putLong(16, inbound.sourceLow());
      bytes.putLong(24, inbound.localHigh());
      bytes.putLong(32, inbound.localLow());
    }
  }

  private short checksum() {
    int sum = 0;
    for (int i = IPV4_AT; i < SIZE; i += 2) {
      sum += bytes.getShort(i) & 0xffff;
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    sum = (sum & 0xffff) + (sum >>> 16);
    return (short) ~sum;
  }
}
