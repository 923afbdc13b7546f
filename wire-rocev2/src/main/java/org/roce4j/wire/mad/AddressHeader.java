package org.roce4j.wire.mad;

import java.nio.ByteBuffer;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.GidAddress;

/**
 * The addresses in a request of rdma_cm, before the user's private data in {@link Req} and {@link
 * SidrReq} ({@code struct cma_hdr}; InfiniBand annex A11). The destination port is in the service
 * id.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------+-------+-------+-------------------------------+
 *  |    version    |  IPv  |   0   |          source port          |
 *  +---------------+-------+-------+-------------------------------+
 *  |         source address, 16 bytes (IPv4: the last four)        |
 *  +---------------------------------------------------------------+
 *  |      destination address, 16 bytes (IPv4: the last four)      |
 *  +---------------------------------------------------------------+
 * </pre>
 *
 * @param ipVersion 4 or 6
 * @param sourceHigh the address as a GID ({@link GidAddress}), like the others
 */
public record AddressHeader(
    int ipVersion,
    int sourcePort,
    long sourceHigh,
    long sourceLow,
    long destinationHigh,
    long destinationLow) {

  /** Bytes of the header, which the user's private data loses (a REQ's 92 bytes leave 56). */
  public static final int SIZE = 36;

  /** Where the source address lies in the header. */
  public static final int SOURCE = 4;

  /** Where the destination address lies in the header. */
  public static final int DESTINATION = 20;

  /** Where an IPv4 address lies in the 16 bytes of an address. */
  public static final int IPV4_AT = 12;

  /**
   * Reads the header.
   *
   * @return null if it is none: another version, or neither IPv4 nor IPv6
   */
  public static AddressHeader parse(Bytes privateData) {
    if (privateData.length() < SIZE) {
      return null;
    }
    ByteBuffer b = privateData.buffer();
    int ipVersion = b.get(1) >>> 4 & 0xF;
    if (b.get(0) != 0 || ipVersion != 4 && ipVersion != 6) {
      return null;
    }
    return new AddressHeader(
        ipVersion,
        b.getShort(2) & 0xFFFF,
        high(b, SOURCE, ipVersion),
        low(b, SOURCE, ipVersion),
        high(b, DESTINATION, ipVersion),
        low(b, DESTINATION, ipVersion));
  }

  /** Private data of a request: this header, then the user's data. */
  public Bytes before(Bytes userData) {
    ByteBuffer b = ByteBuffer.allocate(SIZE + userData.length());
    b.put(1, (byte) (ipVersion << 4)).putShort(2, (short) sourcePort);
    put(b, SOURCE, sourceHigh, sourceLow);
    put(b, DESTINATION, destinationHigh, destinationLow);
    userData.copyTo(b, SIZE);
    return Bytes.of(b.array());
  }

  /** The user's data: private data without the header. */
  public static Bytes userData(Bytes privateData) {
    return Bytes.copy(privateData.buffer(), SIZE, privateData.length() - SIZE);
  }

  private static long high(ByteBuffer b, int at, int ipVersion) {
    return ipVersion == 4 ? GidAddress.ipv4MappedHigh() : b.getLong(at);
  }

  private static long low(ByteBuffer b, int at, int ipVersion) {
    return ipVersion == 4 ? GidAddress.ipv4Mapped(b.getInt(at + IPV4_AT)) : b.getLong(at + 8);
  }

  private void put(ByteBuffer b, int at, long high, long low) {
    if (ipVersion == 4) {
      b.putInt(at + IPV4_AT, GidAddress.ipv4(low));
    } else {
      b.putLong(at, high).putLong(at + 8, low);
    }
  }

  /** {@code 10.1.2.3:50005 > 10.1.2.4}. */
  @Override
  public String toString() {
    return GidAddress.addressText(sourceHigh, sourceLow)
        + ":"
        + sourcePort
        + " > "
        + GidAddress.addressText(destinationHigh, destinationLow);
  }
}
