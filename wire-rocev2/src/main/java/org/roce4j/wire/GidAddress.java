package org.roce4j.wire;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Locale;

/**
 * GIDs and IP addresses. A GID is an IPv6 address or, as {@code ::ffff:a.b.c.d}, an IPv4 address;
 * the second goes over IPv4, any other over IPv6. It is handled as two big-endian halves {@code
 * (high, low)}, high being bytes 0..7.
 *
 * <p>A zone ({@code %eth0}) is no part of a GID and is dropped.
 */
public final class GidAddress {
  /** Bytes of a GID. */
  public static final int SIZE = 16;

  private static final long MAPPED = 0xFFFFL << 32;
  private static final long MULTICAST_MAC_IPV4 = 0x0100_5E00_0000L;
  private static final long MULTICAST_MAC_IPV6 = 0x3333_0000_0000L;

  private GidAddress() {}

  /** The high half of every IPv4-mapped GID: 0. */
  public static long ipv4MappedHigh() {
    return 0;
  }

  /** The low half of the GID of an IPv4 address; its high half is 0. */
  public static long ipv4Mapped(int address) {
    return MAPPED | Integer.toUnsignedLong(address);
  }

  /** Whether the GID is {@code ::ffff:a.b.c.d} and its packets go over IPv4. */
  public static boolean isIpv4Mapped(long high, long low) {
    return high == 0 && low >>> 32 == 0xFFFF;
  }

  /** The IPv4 address in an IPv4-mapped GID. */
  public static int ipv4(long low) {
    return (int) low;
  }

  /** Whether a packet to this GID goes to a group: ff00::/8, or 224.0.0.0/4 when IPv4-mapped. */
  public static boolean isMulticast(long high, long low) {
    return isIpv4Mapped(high, low) ? ((int) low & 0xF000_0000) == 0xE000_0000 : high >>> 56 == 0xFF;
  }

  /** Whether the GID may be one host's address: no group, not broadcast, not unspecified. */
  public static boolean isHost(long high, long low) {
    boolean unspecified = high == 0 && (low == 0 || low == MAPPED);
    boolean broadcast = high == 0 && low == ipv4Mapped(-1);
    return !unspecified && !broadcast && !isMulticast(high, low);
  }

  /** The MAC address (48 bits) that frames to this group GID are sent to. */
  public static long multicastMac(long high, long low) {
    return isIpv4Mapped(high, low)
        ? MULTICAST_MAC_IPV4 | low & 0x7F_FFFF
        : MULTICAST_MAC_IPV6 | low & 0xFFFF_FFFFL;
  }

  /** Bytes 0..7 of the address's GID; 0 for an IPv4 address. */
  public static long highOf(InetAddress address) {
    return address instanceof Inet4Address
        ? ipv4MappedHigh()
        : ByteBuffer.wrap(address.getAddress()).getLong(0);
  }

  /** Bytes 8..15 of the address's GID; for an IPv4 address {@link #ipv4Mapped}. */
  public static long lowOf(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    return address instanceof Inet4Address ? ipv4Mapped(bytes.getInt(0)) : bytes.getLong(8);
  }

  /** The address of a GID: an {@link Inet4Address} when it is IPv4-mapped. */
  public static InetAddress toInetAddress(long high, long low) {
    byte[] bytes =
        isIpv4Mapped(high, low)
            ? ByteBuffer.allocate(4).putInt(ipv4(low)).array()
            : ByteBuffer.allocate(SIZE).putLong(high).putLong(low).array();
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new AssertionError("4 and 16 are the lengths of addresses", e);
    }
  }

  /** The GID as eight groups of four hexadecimal digits, as {@code ibv_devinfo -v} prints it. */
  public static String text(long high, long low) {
    StringBuilder text = new StringBuilder(39);
    for (int group = 0; group < 8; group++) {
      long half = group < 4 ? high : low;
      int value = (int) (half >>> 48 - (group & 3) * 16) & 0xFFFF;
      text.append(group == 0 ? "" : ":").append(String.format(Locale.ROOT, "%04x", value));
    }
    return text.toString();
  }

  /** The address as people write it: {@code 10.0.0.1}, or IPv6 with the longest zeros as "::". */
  public static String addressText(long high, long low) {
    if (isIpv4Mapped(high, low)) {
      int a = ipv4(low);
      return (a >>> 24) + "." + (a >> 16 & 0xFF) + "." + (a >> 8 & 0xFF) + "." + (a & 0xFF);
    }
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      groups[i] = (int) ((i < 4 ? high : low) >>> 48 - (i & 3) * 16) & 0xFFFF;
    }
    int bestAt = -1;
    int best = 1;
    for (int i = 0; i < 8; i++) {
      int run = 0;
      while (i + run < 8 && groups[i + run] == 0) {
        run++;
      }
      if (run > best) {
        best = run;
        bestAt = i;
      }
    }
    StringBuilder text = new StringBuilder(39);
    for (int i = 0; i < 8; i++) {
      if (i == bestAt) {
        text.append("::");
        i += best - 1;
      } else {
        text.append(i == 0 || i == bestAt + best && bestAt >= 0 ? "" : ":");
        text.append(Integer.toHexString(groups[i]));
      }
    }
    return text.toString();
  }

  /** The low half of an EUI-64 default GID (its high half is fe80::/64) for a 48-bit MAC. */
  public static long eui64(long mac) {
    long organisation = mac >>> 24 & 0xFF_FFFF ^ 0x02_0000;
    return organisation << 40 | 0xFFFEL << 24 | mac & 0xFF_FFFF;
  }
}
