package org.roce4j.port.capture;

import java.nio.ByteBuffer;
import org.roce4j.wire.Bth;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.UdpHeader;

/** The IP and UDP headers of a datagram, which a socket does not show. Filled for each anew. */
final class Envelope {
  /** Room for the longest headers. */
  static final int SIZE = Ipv6Header.SIZE + UdpHeader.SIZE;

  private final Icrc icrc = new Icrc();
  private final int udpPort;
  private long sourceHigh;
  private long sourceLow;
  private int sourcePort;
  private long destinationHigh;
  private long destinationLow;
  private int trafficClass;
  private int hopLimit;

  /**
   * @param udpPort the destination of every datagram
   */
  Envelope(int udpPort) {
    this.udpPort = udpPort;
  }

  Envelope from(long high, long low, int port) {
    sourceHigh = high;
    sourceLow = low;
    sourcePort = port;
    return this;
  }

  Envelope to(long high, long low) {
    destinationHigh = high;
    destinationLow = low;
    return this;
  }

  Envelope marked(int ofClass, int hops) {
    trafficClass = ofClass;
    hopLimit = hops;
    return this;
  }

  /**
   * Writes the headers of a datagram into the bytes of {@code frame} that end at {@link #SIZE}.
   *
   * @param datagram holds {@code length} bytes from {@code at} on, from {@link Bth} to ICRC
   * @return where they begin
   */
  int put(ByteBuffer frame, ByteBuffer datagram, int at, int length) {
    int udpLength = UdpHeader.SIZE + length;
    UdpHeader.put(frame, Ipv6Header.SIZE, sourcePort, udpPort, udpLength);
    if (GidAddress.isIpv4Mapped(destinationHigh, destinationLow)) {
      int ip = Ipv6Header.SIZE - Ipv4Header.SIZE;
      int source = GidAddress.ipv4(sourceLow);
      int destination = GidAddress.ipv4(destinationLow);
      int found =
          icrc.solveIdentification(source, destination, sourcePort, udpPort, datagram, at, length);
      int total = Ipv4Header.SIZE + udpLength;
      int id = Math.max(found, 0);
      int flags = Ipv4Header.DONT_FRAGMENT;
      Ipv4Header.put(frame, ip, trafficClass, total, id, flags, hopLimit, source, destination);
      return ip;
    }
    long high = destinationHigh;
    long low = destinationLow;
    Ipv6Header.put(
        frame, 0, trafficClass, 0, udpLength, hopLimit, sourceHigh, sourceLow, high, low);
    return 0;
  }
}
