package org.roce4j.fabric;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.roce4j.port.capture.Envelope;
import org.roce4j.port.fault.Fate;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.UdpSourcePort;

/**
 * A datagram in flight, as {@link FabricObserver}s see it. The object is reused after its arrival.
 */
public final class FabricDatagram {
  /** Bytes before the BTH, which {@link #putHeaders} fills with IP and UDP headers. */
  static final int AT = 64;

  final ByteBuffer buffer;
  final MemorySegment memory;
  final int sizeClass;

  int length;
  long sourceHigh;
  long sourceLow;
  long destinationHigh;
  long destinationLow;
  int sourcePort;
  int identification;
  int trafficClass;
  int hopLimit;

  /** The link it is on; null before a link has it. */
  Carrier link;

  boolean damaged;
  final Fate fate = new Fate();

  /** The number of datagrams that have yet to overtake it. */
  long overtakenBy;

  long exchangedWhenSent;
  long arrivalNs;
  long sequence;

  FabricDatagram(MemorySegment memory, int sizeClass) {
    this.memory = memory;
    this.buffer = memory.asByteBuffer();
    this.sizeClass = sizeClass;
  }

  /** Becomes a copy of another datagram of the same size class. */
  void copyOf(FabricDatagram other) {
    addressedAs(other);
    buffer.put(AT, other.buffer, AT, other.length);
  }

  /** Copies everything except the bytes. */
  void addressedAs(FabricDatagram other) {
    length = other.length;
    sourceHigh = other.sourceHigh;
    sourceLow = other.sourceLow;
    destinationHigh = other.destinationHigh;
    destinationLow = other.destinationLow;
    sourcePort = other.sourcePort;
    identification = other.identification;
    trafficClass = other.trafficClass;
    hopLimit = other.hopLimit;
    link = other.link;
    damaged = other.damaged;
    fate.explainedBy(other.fate);
    exchangedWhenSent = other.exchangedWhenSent;
  }

  boolean ipv4() {
    return GidAddress.isIpv4Mapped(destinationHigh, destinationLow);
  }

  /** Length of the IP packet in bytes: UDP payload, UDP header and IP header without options. */
  int packetBytes() {
    return length + (ipv4() ? 28 : 48);
  }

  /**
   * The buffer that holds the UDP payload from index {@link #at} on; big-endian and direct. Do not
   * change or keep it.
   */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Index of the BTH in {@link #buffer}. */
  public int at() {
    return AT;
  }

  /** Length from the BTH to the end of the ICRC, in bytes. */
  public int length() {
    return length;
  }

  /** The sender's address. */
  public Gid source() {
    return new Gid(sourceHigh, sourceLow);
  }

  /** The address or group it was sent to. */
  public Gid destination() {
    return new Gid(destinationHigh, destinationLow);
  }

  /** The address that receives it; for a datagram to a group that of one member. */
  public Gid receiver() {
    return link.to();
  }

  /** The time of its arrival unless a fault changes it, on the clock of {@link Fabric#nowNs}. */
  public long arrivalNs() {
    return arrivalNs;
  }

  /** First half of {@link #source}, without an object. */
  public long sourceHigh() {
    return sourceHigh;
  }

  /** Second half of {@link #source}. */
  public long sourceLow() {
    return sourceLow;
  }

  /** First half of {@link #destination}, without an object. */
  public long destinationHigh() {
    return destinationHigh;
  }

  /** Second half of {@link #destination}. */
  public long destinationLow() {
    return destinationLow;
  }

  /** UDP source port. */
  public int sourcePort() {
    return sourcePort;
  }

  /** IPv4 identification: its index in its train. */
  public int identification() {
    return identification;
  }

  /** DSCP and ECN, 0..255; links may set ECN to 3 (congestion experienced). */
  public int trafficClass() {
    return trafficClass;
  }

  /** TTL or hop limit, 0..255; links do not count it down. */
  public int hopLimit() {
    return hopLimit;
  }

  /** A copy of the IP packet that carries it. */
  public Bytes packet() {
    return Bytes.copy(buffer, putHeaders(), packetBytes());
  }

  /**
   * Writes IP and UDP header before the BTH.
   *
   * @return the index of the IP header
   */
  int putHeaders() {
    return new Envelope(UdpSourcePort.ROCE_V2)
        .from(sourceHigh, sourceLow, sourcePort)
        .to(destinationHigh, destinationLow)
        .marked(trafficClass, hopLimit)
        .put(buffer, AT, length, identification);
  }
}
