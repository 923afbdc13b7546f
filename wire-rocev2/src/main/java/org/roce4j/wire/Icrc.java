package org.roce4j.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;

/**
 * The invariant CRC that ends every packet: CRC-32 (polynomial 0x04C11DB7, the function of {@link
 * CRC32}) over eight bytes of ones, the IP header, the UDP header and everything from the BTH to
 * the pad, with the fields that a network may change set to ones: traffic class, flow label, TTL or
 * hop limit, the IPv4 and UDP checksums, and the BTH byte of FECN and BECN. On the wire it is the
 * only little endian field.
 *
 * <p>It covers the IPv4 identification, which a UDP socket does not show: {@link
 * #solveIdentification} finds it.
 *
 * <p>An instance is reused and allocates nothing per packet. Not thread-safe, and for the duration
 * of a call it moves the position and limit of the buffer it is given (they are restored; a mark is
 * lost). {@code length} is always the UDP payload including the 4 bytes of the ICRC, as far as it
 * lies in the buffer; a packet shorter than a BTH yields a meaningless number, not an exception.
 */
public final class Icrc {
  /** Bytes of an ICRC. */
  public static final int SIZE = 4;

  private static final int LRH_STAND_IN = 8;
  private static final int IPV4_SIZE = 20;
  private static final int IPV6_SIZE = 40;
  private static final int UDP_SIZE = 8;
  private static final int UDP_PROTOCOL = 17;
  private static final int DONT_FRAGMENT = 0x4000;
  private static final int IPV4_IDENTIFICATION = 4;

  private final CRC32 crc = new CRC32();
  private final byte[] masked = new byte[LRH_STAND_IN + IPV6_SIZE + UDP_SIZE + Bth.SIZE];
  private final ByteBuffer head = ByteBuffer.wrap(masked);

  /** What recent headers add to the CRC of a packet without congestion marks in its BTH. */
  private final HeaderTerms terms = new HeaderTerms();

  private int inverseLength = -1;
  private int inverse;

  /** With buffers of its own; one for each thread that seals or judges packets. */
  public Icrc() {
    head.putLong(0, -1L);
  }

  /**
   * ICRC of a packet over IPv4 without options, with don't-fragment set.
   *
   * @param source source address as a number (10.0.0.1 is 0x0A000001)
   * @param identification IP identification, 0..65535
   */
  public int ofIpv4(
      int source,
      int destination,
      int sourcePort,
      int destinationPort,
      int identification,
      ByteBuffer packet,
      int at,
      int length) {
    int ports = ports(sourcePort, destinationPort);
    boolean plainBth = length > Bth.SIZE + SIZE && packet.get(at + Bth.CONGESTION) == 0;
    HeaderTerms.State state =
        plainBth
            ? terms.find(pair(source, destination), pair(ports, length))
            : HeaderTerms.State.NEW;
    if (state == HeaderTerms.State.KNOWN) {
      return terms.term(identification, followingIdentification(length))
          ^ plain(packet, at, length - SIZE);
    }
    int ip = LRH_STAND_IN;
    int udpLength = UDP_SIZE + length;
    int first = 0x45FF << 16 | IPV4_SIZE + udpLength & 0xFFFF;
    int second = identification << 16 | DONT_FRAGMENT;
    int third = 0xFF << 24 | UDP_PROTOCOL << 16 | 0xFFFF;
    head.putLong(ip, pair(first, second));
    head.putLong(ip + 8, pair(third, source));
    head.putLong(ip + 16, pair(destination, ports));
    head.putInt(ip + IPV4_SIZE + 4, udpLength << 16 | 0xFFFF);
    int whole = finish(ip + IPV4_SIZE + UDP_SIZE, packet, at, length);
    if (state == HeaderTerms.State.SEEN) {
      terms.learn(identification, whole ^ plain(packet, at, length - SIZE));
    }
    return whole;
  }

  /** ICRC of a packet over IPv6 without extension headers; addresses as two big-endian halves. */
  public int ofIpv6(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort,
      ByteBuffer packet,
      int at,
      int length) {
    int ip = LRH_STAND_IN;
    int udpLength = UDP_SIZE + length;
    head.putInt(ip, 0x6FFF_FFFF);
    head.putInt(ip + 4, udpLength << 16 | UDP_PROTOCOL << 8 | 0xFF);
    head.putLong(ip + 8, sourceHigh);
    head.putLong(ip + 16, sourceLow);
    head.putLong(ip + 24, destinationHigh);
    head.putLong(ip + 32, destinationLow);
    int ports = ports(sourcePort, destinationPort);
    head.putLong(ip + IPV6_SIZE, pair(ports, udpLength << 16 | 0xFFFF));
    return finish(ip + IPV6_SIZE + UDP_SIZE, packet, at, length);
  }

  /**
   * ICRC of a captured packet from the IP and UDP headers as they are, whatever their flags,
   * identification and lengths say. The IP header has no options or extension headers (20 or 40
   * bytes, by its version) and is followed by UDP header and BTH.
   *
   * @param frame holds the IP header at {@code ipAt} and all that follows it
   * @param length UDP payload bytes including the ICRC
   */
  public int ofFrame(ByteBuffer frame, int ipAt, int length) {
    boolean ipv6 = (frame.get(ipAt) & 0xF0) == 0x60;
    int ipSize = ipv6 ? IPV6_SIZE : IPV4_SIZE;
    int ip = LRH_STAND_IN;
    frame.get(ipAt, masked, ip, ipSize + UDP_SIZE);
    if (ipv6) {
      head.putInt(ip, head.getInt(ip) | 0x0FFF_FFFF);
      head.put(ip + 7, (byte) -1);
    } else {
      head.put(ip + 1, (byte) -1);
      head.put(ip + 8, (byte) -1);
      head.putShort(ip + 10, (short) -1);
    }
    head.putShort(ip + ipSize + 6, (short) -1);
    return finish(ip + ipSize + UDP_SIZE, frame, ipAt + ipSize + UDP_SIZE, length);
  }

  /**
   * The identification for which {@link #ofIpv4} equals the ICRC that the packet carries, or -1
   * when there is none. A damaged packet has one with a chance of 2^-16 only; trust the result to
   * learn a peer's habit rather than to judge every packet.
   *
   * <p>The CRC is linear: the difference to the ICRC for identification 0, shifted back over all
   * bytes that follow the field, is the field. Costs one CRC and one or two dozen products modulo
   * the polynomial (one, when the length is that of the call before).
   */
  public int solveIdentification(
      int source,
      int destination,
      int sourcePort,
      int destinationPort,
      ByteBuffer packet,
      int at,
      int length) {
    if (length < Bth.SIZE + SIZE) {
      return -1;
    }
    int computed = ofIpv4(source, destination, sourcePort, destinationPort, 0, packet, at, length);
    int difference = computed ^ read(packet, at + length - SIZE);
    int following = followingIdentification(length);
    if (following != inverseLength) {
      inverse = CrcPolynomial.inverseOfBytes(following);
      inverseLength = following;
    }
    int field = CrcPolynomial.multiply(difference, inverse);
    return field >>> 16 == 0 ? IdentificationTerms.swapped(field) : -1;
  }

  /** The bytes from the identification to the ICRC. */
  private static int followingIdentification(int length) {
    return IPV4_SIZE - IPV4_IDENTIFICATION + UDP_SIZE + length - SIZE;
  }

  /** The ICRC whose four bytes begin at {@code at}. */
  public static int read(ByteBuffer b, int at) {
    return Integer.reverseBytes(BigEndian.get32(b, at));
  }

  /** Writes the four bytes of an ICRC, the lowest first. */
  public static void write(ByteBuffer b, int at, int icrc) {
    BigEndian.put32(b, at, Integer.reverseBytes(icrc));
  }

  private static int ports(int source, int destination) {
    return source << 16 | destination & 0xFFFF;
  }

  private static long pair(int high, int low) {
    return (long) high << 32 | Integer.toUnsignedLong(low);
  }

  private int finish(int bth, ByteBuffer packet, int at, int length) {
    int covered = Math.max(0, length - SIZE);
    int headed = Math.min(Bth.SIZE, covered);
    packet.get(at, masked, bth, headed);
    masked[bth + Bth.CONGESTION] = (byte) -1;
    crc.reset();
    crc.update(masked, 0, bth + headed);
    if (covered > headed) {
      update(packet, at + headed, at + covered);
    }
    return (int) crc.getValue();
  }

  /** The CRC-32 of bytes of a packet as they are. */
  private int plain(ByteBuffer packet, int at, int length) {
    crc.reset();
    update(packet, at, at + length);
    return (int) crc.getValue();
  }

  private void update(ByteBuffer packet, int from, int to) {
    int position = packet.position();
    int limit = packet.limit();
    packet.limit(to).position(from);
    crc.update(packet);
    packet.limit(limit).position(position);
  }
}
