package org.roce4j.wire.view;

import java.util.Arrays;
import java.util.List;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.FlowPosition;
import org.roce4j.wire.inspect.InspectedPacket;

/**
 * A packet of one file without its payload, so that a hundred thousand of them fit into memory.
 *
 * @param number as {@code inspect} prints it
 * @param timeNs nanoseconds since 1970, by the clock of the file
 * @param headers with neither payload nor pad; null for a packet that was malformed or cut
 * @param what the text of a packet whose headers are null; else empty
 * @param icrc {@code ok}, {@code bad} or {@code unknown}
 * @param payload bytes of payload
 * @param message the text of a connection manager's message; else empty
 * @param mad the bytes of the datagram that carries this message; else none
 */
record DrawnPacket(
    String number,
    long timeNs,
    RocePacket headers,
    String what,
    String source,
    String destination,
    String icrc,
    int payload,
    String message,
    Bytes mad,
    FlowPosition position,
    String comment) {

  static DrawnPacket of(InspectedPacket packet) {
    String[] ends = packet.endpoints().split(" > ");
    RocePacket whole =
        packet.dissection() instanceof Dissection.Roce(RocePacket roce) ? roce : null;
    return new DrawnPacket(
        packet.number(),
        packet.timeNs(),
        whole == null ? null : headers(whole),
        whole == null ? packet.dissection().toString() : "",
        ends[0],
        ends[ends.length - 1],
        packet.icrc(),
        whole == null ? 0 : whole.payload().length(),
        packet.mad() == null ? "" : packet.mad().message().toString(),
        packet.mad() == null ? Bytes.NONE : whole.payload(),
        packet.position(),
        packet.comment());
  }

  private static RocePacket headers(RocePacket whole) {
    return new RocePacket(
        whole.ip(),
        whole.udp(),
        whole.bth(),
        whole.extensions(),
        Bytes.NONE,
        whole.pad(),
        whole.icrc());
  }

  DrawnPacket at(long ns) {
    return new DrawnPacket(
        number,
        ns,
        headers,
        what,
        source,
        destination,
        icrc,
        payload,
        message,
        mad,
        position,
        comment);
  }

  DrawnPacket at(FlowPosition other) {
    return new DrawnPacket(
        number,
        timeNs,
        headers,
        what,
        source,
        destination,
        icrc,
        payload,
        message,
        mad,
        other,
        comment);
  }

  /** Whether its comment says that the network lost it. */
  boolean saysLost() {
    return Arrays.stream(comment.split("; ")).anyMatch(part -> part.startsWith("lost"));
  }

  /** The number of its frame in the file. All packets of a train have the same. */
  long order() {
    return Long.parseLong(number.replaceFirst("/.*", ""));
  }

  /**
   * Identifies a packet in the captures of both ends. It consists of fields that the ICRC covers,
   * so it stays equal when a router marks congestion or decrements the hop limit.
   */
  Object identity() {
    if (headers == null) {
      return List.of(source, destination, what);
    }
    BaseHeader bth = headers.bth();
    return List.of(
        source,
        destination,
        headers.udp().sourcePort(),
        bth.opcode(),
        bth.destQp(),
        bth.psn(),
        headers.icrc(),
        payload);
  }
}
