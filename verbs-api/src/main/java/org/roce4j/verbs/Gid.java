package org.roce4j.verbs;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * A 128-bit global identifier ({@code union ibv_gid}). On RoCE v2 it is an IP address: IPv6 as it
 * stands, IPv4 as {@code ::ffff:a.b.c.d}.
 *
 * @param high the first eight bytes in network order (subnet prefix)
 * @param low the last eight bytes in network order (interface identifier)
 */
public record Gid(long high, long low) {
  /** The empty entry of a GID table. */
  public static final Gid ZERO = new Gid(0, 0);

  private static final long IPV4_MAPPED = 0x0000_ffffL << 32;

  /** The GID of an IP address; a zone of an IPv6 address is not part of a GID. */
  public static Gid of(InetAddress address) {
    byte[] bytes = RequiredArgument.check(address, "address").getAddress();
    if (bytes.length == 4) {
      return ofIpv4(ByteBuffer.wrap(bytes).getInt());
    }
    return ofBytes(bytes);
  }

  /** The IPv4-mapped GID of an address given as a number, {@code 127.0.0.1} being 0x7f000001. */
  public static Gid ofIpv4(int address) {
    return new Gid(0, IPV4_MAPPED | Integer.toUnsignedLong(address));
  }

  /** The GID of sixteen bytes in network order. */
  public static Gid ofBytes(byte[] bytes) {
    if (RequiredArgument.check(bytes, "bytes").length != 16) {
      throw new VerbsException(Errno.EINVAL, "a GID has 16 bytes, not " + bytes.length);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new Gid(buffer.getLong(), buffer.getLong());
  }

  /** The GID of 32 hexadecimal digits, as the pingpong examples of rdma-core exchange it. */
  public static Gid ofHex(String digits) {
    RequiredArgument.check(digits, "digits");
    try {
      return ofBytes(HexFormat.of().parseHex(digits));
    } catch (IllegalArgumentException e) {
      throw new VerbsException(
          Errno.EINVAL, "'" + digits + "' is not a GID of 32 hexadecimal digits", e);
    }
  }

  /**
   * The GID of an IP address literal such as {@code 127.0.0.1} or {@code fd77::1}. An IPv4 address
   * has four numbers; a shorter one is a slip of the pen, although {@code InetAddress} takes it.
   *
   * @throws VerbsException EINVAL
   */
  public static Gid parse(String text) {
    RequiredArgument.check(text, "text");
    try {
      if (text.indexOf(':') < 0 && text.chars().filter(c -> c == '.').count() != 3) {
        throw new IllegalArgumentException("not four numbers");
      }
      return of(InetAddress.ofLiteral(text));
    } catch (IllegalArgumentException e) {
      throw new VerbsException(
          Errno.EINVAL, "'" + text + "' is not an IPv4 or IPv6 address literal", e);
    }
  }

  /** Whether this is an IPv4 address, so that packets travel over IPv4. */
  public boolean isIpv4Mapped() {
    return high == 0 && (low >>> 32) == 0xffff;
  }

  /** The IPv4 address as a number; meaningful when {@link #isIpv4Mapped()}. */
  public int ipv4() {
    return (int) low;
  }

  /** Whether this names a multicast group: {@code ff00::/8} or a mapped {@code 224.0.0.0/4}. */
  public boolean isMulticast() {
    return (high >>> 56) == 0xff || (isIpv4Mapped() && (ipv4() >>> 28) == 0xe);
  }

  /** Whether it is the GID of an empty entry of the table, {@link #ZERO}. */
  public boolean isZero() {
    return high == 0 && low == 0;
  }

  /** Sixteen bytes in network order. */
  public byte[] toBytes() {
    return ByteBuffer.allocate(16).putLong(high).putLong(low).array();
  }

  /** 32 hexadecimal digits in network order. */
  public String toHex() {
    return HexFormat.of().formatHex(toBytes());
  }

  /** The IP address this GID stands for. */
  public InetAddress toInetAddress() {
    try {
      if (isIpv4Mapped()) {
        return Inet4Address.getByAddress(ByteBuffer.allocate(4).putInt(ipv4()).array());
      }
      return Inet6Address.getByAddress(null, toBytes(), -1);
    } catch (UnknownHostException e) {
      throw new AssertionError("four or sixteen bytes are always an address", e);
    }
  }

  /** The IP address as people write it: {@code 10.0.0.1}, or IPv6 without a zone. */
  public String addressText() {
    return toInetAddress().getHostAddress();
  }

  /** Eight groups of four digits, as {@code ibv_devinfo -v} prints a GID. */
  public String toGroups() {
    String hex = toHex();
    StringBuilder text = new StringBuilder(39);
    for (int i = 0; i < 32; i += 4) {
      if (i > 0) {
        text.append(':');
      }
      text.append(hex, i, i + 4);
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return isIpv4Mapped() ? "::ffff:" + addressText() : addressText();
  }
}
