package org.roce4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Accessors of the 40 bytes that precede a received datagram ({@code struct ibv_grh}): the network
 * header as it came.
 *
 * <pre>
 *            0                                  8                 24                40
 *            +-------------+--------+----+------+-----------------+-----------------+
 *  IPv6      | ver tc flow | length | nh | hops |      source     |   destination   |
 *            +-------------+--------+----+------+--------------+--+-----------------+
 *  IPv4      |                  unspecified                    | IPv4 header, 20 B  |
 *            +-------------------------------------------------+--------------------+
 *            0                                                 20                  40
 * </pre>
 *
 * <p>{@link #version} decides between the two as rdma-core does. All accessors take the memory and
 * the offset of the area in it; nothing in the area makes them fail.
 */
public final class GlobalRouteHeader {
  /** Bytes of the area. */
  public static final int SIZE = 40;

  private static final int IPV4 = 20;
  private static final int IPV4_SIZE = 20;

  private static final int PAYLOAD_LENGTH = 4;
  private static final int NEXT_HEADER = 6;
  private static final int HOP_LIMIT = 7;
  private static final int SGID = 8;
  private static final int DGID = 24;

  private static final int IPV4_TOS = IPV4 + 1;
  private static final int IPV4_LENGTH = IPV4 + 2;
  private static final int IPV4_TTL = IPV4 + 8;
  private static final int IPV4_PROTOCOL = IPV4 + 9;
  private static final int IPV4_SOURCE = IPV4 + 12;
  private static final int IPV4_DESTINATION = IPV4 + 16;

  private static final ValueLayout.OfShort SHORT =
      JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private GlobalRouteHeader() {}

  /**
   * The IP version of the header: 4, 6, or 0 when the area holds neither.
   *
   * <p>Bytes 0 to 19 of an IPv4 area are unspecified and may look like IPv6 by chance, so a right
   * header checksum speaks for IPv4.
   */
  public static int version(MemorySegment memory, long area) {
    int ipv4 = octet(memory, area + IPV4);
    if (octet(memory, area) >>> 4 != 6) {
      return ipv4 >>> 4 == 4 ? 4 : 0;
    }
    boolean noOptions = (ipv4 & 0xf) == 5;
    return noOptions && checksumHolds(memory, area + IPV4) ? 4 : 6;
  }

  /** Whether the area holds an IPv4 header. */
  public static boolean isIpv4(MemorySegment memory, long area) {
    return version(memory, area) == 4;
  }

  /** The sender's GID; an IPv4 address as {@code ::ffff:a.b.c.d}. */
  public static Gid sgid(MemorySegment memory, long area) {
    return isIpv4(memory, area)
        ? Gid.ofIpv4(memory.get(INT, area + IPV4_SOURCE))
        : gid(memory, area + SGID);
  }

  /** The GID the datagram was sent to; an IPv4 address as {@code ::ffff:a.b.c.d}. */
  public static Gid dgid(MemorySegment memory, long area) {
    return isIpv4(memory, area)
        ? Gid.ofIpv4(memory.get(INT, area + IPV4_DESTINATION))
        : gid(memory, area + DGID);
  }

  /** TTL or hop limit as received, 0..255. */
  public static int hopLimit(MemorySegment memory, long area) {
    return octet(memory, area + (isIpv4(memory, area) ? IPV4_TTL : HOP_LIMIT));
  }

  /** TOS or traffic class as received, 0..255. */
  public static int trafficClass(MemorySegment memory, long area) {
    return isIpv4(memory, area)
        ? octet(memory, area + IPV4_TOS)
        : memory.get(INT, area) >>> 20 & 0xff;
  }

  /** The flow label, 20 bits; 0 for IPv4. */
  public static int flowLabel(MemorySegment memory, long area) {
    return isIpv4(memory, area) ? 0 : memory.get(INT, area) & 0xf_ffff;
  }

  /** Protocol or next header: 17 for RoCE v2, 27 for RoCE v1. */
  public static int nextHeader(MemorySegment memory, long area) {
    return octet(memory, area + (isIpv4(memory, area) ? IPV4_PROTOCOL : NEXT_HEADER));
  }

  /** Bytes that follow the IP header on the wire. */
  public static int payloadLength(MemorySegment memory, long area) {
    if (!isIpv4(memory, area)) {
      return Short.toUnsignedInt(memory.get(SHORT, area + PAYLOAD_LENGTH));
    }
    return Math.max(0, Short.toUnsignedInt(memory.get(SHORT, area + IPV4_LENGTH)) - IPV4_SIZE);
  }

  private static boolean checksumHolds(MemorySegment memory, long header) {
    int sum = 0;
    for (int i = 0; i < IPV4_SIZE; i += Short.BYTES) {
      sum += Short.toUnsignedInt(memory.get(SHORT, header + i));
    }
    sum = (sum & 0xffff) + (sum >>> 16);
    sum = (sum & 0xffff) + (sum >>> 16);
    return sum == 0xffff;
  }

  private static Gid gid(MemorySegment memory, long offset) {
    return new Gid(memory.get(LONG, offset), memory.get(LONG, offset + Long.BYTES));
  }

  private static int octet(MemorySegment memory, long offset) {
    return Byte.toUnsignedInt(memory.get(JAVA_BYTE, offset));
  }
}
