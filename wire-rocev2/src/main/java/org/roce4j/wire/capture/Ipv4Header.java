package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import org.roce4j.wire.GidAddress;

/**
 * An IPv4 header without options, in front of UDP.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------+-------+---------------+-------------------------------+
 *  |   4   |   5   |      TOS      |         total length          |
 *  +-------+-------+---------------+-----+-------------------------+
 *  |        identification         |flags|     fragment offset     |
 *  +---------------+---------------+-----+-------------------------+
 *  |      TTL      |      17       |        header checksum        |
 *  +---------------+---------------+-------------------------------+
 *  |                            source                             |
 *  +---------------------------------------------------------------+
 *  |                          destination                          |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * @param flagsAndOffset the 16 bits of flags and fragment offset
 * @param checksum the packet's value, right or wrong
 */
public record Ipv4Header(
    int tos,
    int totalLength,
    int identification,
    int flagsAndOffset,
    int ttl,
    int checksum,
    int source,
    int destination)
    implements IpHeader {
  /** Bytes of a header without options. */
  public static final int SIZE = 20;

  /** The flag DF in {@code flagsAndOffset}; RoCEv2 packets have it. */
  public static final int DONT_FRAGMENT = 0x4000;

  /** More-fragments flag and fragment offset: anything here means a fragment. */
  static final int FRAGMENT = 0x3FFF;

  private static final int VERSION_AND_LENGTH = 0x45;
  private static final int CHECKSUM_AT = 10;

  /** A header with don't-fragment and TTL 64, whose lengths {@link #sized} sets. */
  public static Ipv4Header of(int source, int destination, int identification) {
    return new Ipv4Header(0, SIZE, identification, DONT_FRAGMENT, 64, 0, source, destination);
  }

  /** Reads a header; the caller has checked that its bytes are there and that it has no options. */
  static Ipv4Header parse(ByteBuffer b, int at) {
    return new Ipv4Header(
        b.get(at + 1) & 0xFF,
        b.getShort(at + 2) & 0xFFFF,
        b.getShort(at + 4) & 0xFFFF,
        b.getShort(at + 6) & 0xFFFF,
        b.get(at + 8) & 0xFF,
        b.getShort(at + CHECKSUM_AT) & 0xFFFF,
        b.getInt(at + 12),
        b.getInt(at + 16));
  }

  @Override
  public int size() {
    return SIZE;
  }

  @Override
  public void emit(ByteBuffer b, int at) {
    put(b, at, tos, totalLength, identification, flagsAndOffset, ttl, source, destination);
    b.putShort(at + CHECKSUM_AT, (short) checksum);
  }

  @Override
  public Ipv4Header sized(int udpLength) {
    ByteBuffer b = ByteBuffer.allocate(SIZE);
    int total = SIZE + udpLength;
    put(b, 0, tos, total, identification, flagsAndOffset, ttl, source, destination);
    return parse(b, 0);
  }

  /** This header with another identification; {@link #sized} then renews the checksum. */
  public Ipv4Header withIdentification(int id) {
    return new Ipv4Header(
        tos, totalLength, id & 0xFFFF, flagsAndOffset, ttl, checksum, source, destination);
  }

  @Override
  public String sourceText() {
    return GidAddress.addressText(GidAddress.ipv4MappedHigh(), GidAddress.ipv4Mapped(source));
  }

  @Override
  public String destinationText() {
    return GidAddress.addressText(GidAddress.ipv4MappedHigh(), GidAddress.ipv4Mapped(destination));
  }

  /**
   * Writes a header with the right checksum. Allocates nothing, because ports that capture call it
   * per packet.
   *
   * @param b big endian
   */
  public static void put(
      ByteBuffer b,
      int at,
      int tos,
      int totalLength,
      int identification,
      int flagsAndOffset,
      int ttl,
      int source,
      int destination) {
    b.putInt(at, VERSION_AND_LENGTH << 24 | (tos & 0xFF) << 16 | totalLength & 0xFFFF);
    b.putInt(at + 4, identification << 16 | flagsAndOffset & 0xFFFF);
    b.putInt(at + 8, ttl << 24 | UDP << 16);
    b.putInt(at + 12, source);
    b.putInt(at + 16, destination);
    b.putShort(at + CHECKSUM_AT, (short) checksum(b, at));
  }

  /** The checksum of a header whose checksum field is 0. */
  private static int checksum(ByteBuffer b, int at) {
    int sum = 0;
    for (int i = 0; i < SIZE; i += 2) {
      sum += b.getShort(at + i) & 0xFFFF;
    }
    sum = (sum & 0xFFFF) + (sum >>> 16);
    return ~(sum + (sum >>> 16)) & 0xFFFF;
  }
}
