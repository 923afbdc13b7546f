package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import org.roce4j.wire.UdpSourcePort;

/**
 * A UDP header.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------------------------------+-------------------------------+
 *  |          source port          |       destination port        |
 *  +-------------------------------+-------------------------------+
 *  |            length             |           checksum            |
 *  +-------------------------------+-------------------------------+
 * </pre>
 *
 * @param length header and payload, in bytes
 * @param checksum the packet's value; RoCEv2 senders set it to 0
 */
public record UdpHeader(int sourcePort, int destinationPort, int length, int checksum) {
  /** Bytes of a UDP header. */
  public static final int SIZE = 8;

  /** A header to the RoCEv2 port, whose length {@link #sized} sets. */
  public static UdpHeader from(int sourcePort) {
    return new UdpHeader(sourcePort, UdpSourcePort.ROCE_V2, SIZE, 0);
  }

  static UdpHeader parse(ByteBuffer b, int at) {
    return new UdpHeader(
        b.getShort(at) & 0xFFFF,
        b.getShort(at + 2) & 0xFFFF,
        b.getShort(at + 4) & 0xFFFF,
        b.getShort(at + 6) & 0xFFFF);
  }

  void emit(ByteBuffer b, int at) {
    put(b, at, sourcePort, destinationPort, length);
    b.putShort(at + 6, (short) checksum);
  }

  /** This header for {@code payload} bytes of payload, with checksum 0. */
  UdpHeader sized(int payload) {
    return new UdpHeader(sourcePort, destinationPort, SIZE + payload & 0xFFFF, 0);
  }

  /**
   * Writes a header with checksum 0. Allocates nothing, because ports that capture call it per
   * packet.
   *
   * @param b big endian
   * @param length header and payload, in bytes
   */
  public static void put(ByteBuffer b, int at, int sourcePort, int destinationPort, int length) {
    b.putInt(at, sourcePort << 16 | destinationPort & 0xFFFF);
    b.putInt(at + 4, length << 16);
  }
}
