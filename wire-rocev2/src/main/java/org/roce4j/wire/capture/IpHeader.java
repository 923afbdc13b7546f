package org.roce4j.wire.capture;

import java.nio.ByteBuffer;

/** The IP header of a packet: {@link Ipv4Header} or {@link Ipv6Header}. */
public sealed interface IpHeader permits Ipv4Header, Ipv6Header {
  /** The protocol number of UDP in either version. */
  int UDP = 17;

  /** Bytes of the header: 20 or 40. */
  int size();

  /** Writes the header unchanged to index {@code at} of a big-endian buffer. */
  void emit(ByteBuffer b, int at);

  /** This header with the length fields for {@code udpLength} and, for IPv4, the right checksum. */
  IpHeader sized(int udpLength);

  /** The source address as text. */
  String sourceText();

  /** The destination address as text. */
  String destinationText();
}
