package org.roce4j.port.capture;

import java.nio.ByteBuffer;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.UdpHeader;

/** The IP and UDP headers of a datagram. Reused; allocates nothing. */
public final class Envelope {
  /** Room for the longest headers. */
  public static final int SIZE = Ipv6Header.SIZE + UdpHeader.SIZE;

  private final int udpPort;
  private long sourceHigh;
  private long sourceLow;
  private int sourcePort;
  private long destinationHigh;
  private long destinationLow;
  private int trafficClass;
  private int hopLimit;

  /**
   * @param udpPort UDP port of every destination
   */
  public Envelope(int udpPort) {
    this.udpPort = udpPort;
  }

  /** Sets the source: a GID in two halves and the UDP port. */
  public Envelope from(long high, long low, int port) {
    sourceHigh = high;
    sourceLow = low;
    sourcePort = port;
    return this;
  }

  /** Sets the destination, a GID in two halves, which determines the IP version. */
  public Envelope to(long high, long low) {
    destinationHigh = high;
    destinationLow = low;
    return this;
  }

  /** Sets TOS or traffic class, and TTL or hop limit. */
  public Envelope marked(int ofClass, int hops) {
    trafficClass = ofClass;
    hopLimit = hops;
    return this;
  }

  private boolean ipv4() {
    return GidAddress.isIpv4Mapped(destinationHigh, destinationLow);
  }

  /**
   * The IPv4 identification for which the ICRC of a datagram is right, because a socket does not
   * show it; 0 if there is none.
   *
   * @param length bytes from the BTH to the end of the ICRC
   */
  int identification(Icrc icrc, ByteBuffer datagram, int at, int length) {
    if (!ipv4()) {
      return 0;
    }
    int source = GidAddress.ipv4(sourceLow);
    int destination = GidAddress.ipv4(destinationLow);
    int found =
        icrc.solveIdentification(source, destination, sourcePort, udpPort, datagram, at, length);
    return Math.max(found, 0);
  }

  /**
   * Writes the headers in front of a datagram.
   *
   * @param at index of the BTH in {@code frame}, at least {@link #SIZE}
   * @param length bytes from the BTH to the end of the ICRC
   * @param identification identification of an IPv4 header
   * @return the index of the IP header
   */
  public int put(ByteBuffer frame, int at, int length, int identification) {
    int udp = at - UdpHeader.SIZE;
    int udpLength = UdpHeader.SIZE + length;
    UdpHeader.put(frame, udp, sourcePort, udpPort, udpLength);
    if (ipv4()) {
      int ip = udp - Ipv4Header.SIZE;
      Ipv4Header.put(
          frame,
          ip,
          trafficClass,
          Ipv4Header.SIZE + udpLength,
          identification,
          Ipv4Header.DONT_FRAGMENT,
          hopLimit,
          GidAddress.ipv4(sourceLow),
          GidAddress.ipv4(destinationLow));
      return ip;
    }
    int ip = udp - Ipv6Header.SIZE;
    long high = destinationHigh;
    long low = destinationLow;
    Ipv6Header.put(
        frame, ip, trafficClass, 0, udpLength, hopLimit, sourceHigh, sourceLow, high, low);
    return ip;
  }
}
