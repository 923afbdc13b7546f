package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import org.roce4j.wire.GidAddress;

/**
 * An IPv6 header without extension headers, in front of UDP.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------+---------------+---------------------------------------+
 *  |   6   | traffic class |              flow label               |
 *  +-------+---------------+-------+---------------+---------------+
 *  |        payload length         |      17       |   hop limit   |
 *  +-------------------------------+---------------+---------------+
 *  |                       source (16 bytes)                       |
 *  +---------------------------------------------------------------+
 *  |                    destination (16 bytes)                     |
 *  +---------------------------------------------------------------+
 * </pre>
 */
public record Ipv6Header(
    int trafficClass,
    int flowLabel,
    int payloadLength,
    int hopLimit,
    long sourceHigh,
    long sourceLow,
    long destinationHigh,
    long destinationLow)
    implements IpHeader {
  /** Bytes of a header without extension headers. */
  public static final int SIZE = 40;

  /** A header with hop limit 64, whose length {@link #sized} sets. */
  public static Ipv6Header of(
      long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
    return new Ipv6Header(0, 0, 0, 64, sourceHigh, sourceLow, destinationHigh, destinationLow);
  }

  /** Reads a header; the caller has checked that its bytes are there. */
  static Ipv6Header parse(ByteBuffer b, int at) {
    int first = b.getInt(at);
    return new Ipv6Header(
        first >>> 20 & 0xFF,
        first & 0xF_FFFF,
        b.getShort(at + 4) & 0xFFFF,
        b.get(at + 7) & 0xFF,
        b.getLong(at + 8),
        b.getLong(at + 16),
        b.getLong(at + 24),
        b.getLong(at + 32));
  }

  @Override
  public int size() {
    return SIZE;
  }

  @Override
  public void emit(ByteBuffer b, int at) {
    put(
        b,
        at,
        trafficClass,
        flowLabel,
        payloadLength,
        hopLimit,
        sourceHigh,
        sourceLow,
        destinationHigh,
        destinationLow);
  }

  @Override
  public Ipv6Header sized(int udpLength) {
    return new Ipv6Header(
        trafficClass,
        flowLabel,
        udpLength & 0xFFFF,
        hopLimit,
        sourceHigh,
        sourceLow,
        destinationHigh,
        destinationLow);
  }

  @Override
  public String sourceText() {
    return GidAddress.addressText(sourceHigh, sourceLow);
  }

  @Override
  public String destinationText() {
    return GidAddress.addressText(destinationHigh, destinationLow);
  }

  /**
   * Writes a header. Allocates nothing, because ports that capture call it per packet.
   *
   * @param b big endian
   * @param payloadLength length of UDP header and payload, in bytes
   */
  public static void put(
      ByteBuffer b,
      int at,
      int trafficClass,
      int flowLabel,
      int payloadLength,
      int hopLimit,
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow) {
    b.putInt(at, 6 << 28 | (trafficClass & 0xFF) << 20 | flowLabel & 0xF_FFFF);
    b.putInt(at + 4, payloadLength << 16 | UDP << 8 | hopLimit & 0xFF);
    b.putLong(at + 8, sourceHigh);
    b.putLong(at + 16, sourceLow);
    b.putLong(at + 24, destinationHigh);
    b.putLong(at + 32, destinationLow);
  }
}
