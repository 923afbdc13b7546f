package org.roce4j.wire.capture;

import java.nio.ByteBuffer;

/** The IP header of a packet: {@link Ipv4Header} or {@link Ipv6Header}. */
public sealed interface IpHeader permits Ipv4Header, Ipv6Header {
  /** The protocol number of UDP in either version. */
  int UDP = 17;

  /** Bytes of the header: 20 or 40. */
  int size();

  /** Writes the header, as it is, to index {@code at} of a big-endian buffer. */
  void emit(ByteBuffer b, int at);

  /** The same header with lengths (and, for IPv4, the checksum) right for {@code udpLength}. */
  IpHeader sized(int udpLength);

  /** The source address as people write it. */
  String sourceText();

  /** The destination address as people write it. */
  String destinationText();
}
