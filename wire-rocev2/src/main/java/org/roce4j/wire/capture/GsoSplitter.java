package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;

/**
 * Splits a train that was captured before the kernel segmented it, or after the kernel coalesced
 * it: one IP packet whose UDP payload is several RoCEv2 packets of equal size, except that the last
 * may be shorter. The frame does not contain the size; it is found by the ICRCs. The size is the
 * smallest multiple of 4 for which every packet has a correct ICRC under the IP header that it has
 * on the wire. That header has the packet's own lengths. An IPv4 identification counts up from the
 * frame's, as a segmenting kernel numbers packets, or equals the frame's, as some senders number
 * them.
 */
public final class GsoSplitter {
  private static final int SMALLEST_PACKET = Bth.SIZE + Icrc.SIZE;

  private GsoSplitter() {}

  /**
   * The IP packets of a train, or an empty list if the packet is not a train.
   *
   * @param ipPacket from its index 0 (the IP header, without options) to its capacity (the last
   *     ICRC); big endian
   */
  public static List<ByteBuffer> split(ByteBuffer ipPacket) {
    int headers = (ipPacket.get(0) >>> 4 == 4 ? Ipv4Header.SIZE : Ipv6Header.SIZE) + UdpHeader.SIZE;
    int payload = ipPacket.capacity() - headers;
    if (payload % 4 != 0 || payload < 2 * SMALLEST_PACKET || !mayBeginPacket(ipPacket, headers)) {
      return List.of();
    }
    Icrc icrc = new Icrc();
    int largest = Math.min(payload - SMALLEST_PACKET, OutboundPacket.MAX_SIZE);
    for (int size = SMALLEST_PACKET; size <= largest; size += 4) {
      if (mayBeginPacket(ipPacket, headers + size)) {
        List<ByteBuffer> segments = cut(ipPacket, headers, size, icrc);
        if (!segments.isEmpty()) {
          return segments;
        }
      }
    }
    return List.of();
  }

  private static boolean mayBeginPacket(ByteBuffer b, int at) {
    return Opcode.of(Bth.opcode(b, at)) != null && Bth.version(b, at) == Bth.VERSION;
  }

  private static List<ByteBuffer> cut(ByteBuffer whole, int headers, int size, Icrc icrc) {
    List<ByteBuffer> counted = cut(whole, headers, size, 1, icrc);
    return counted.isEmpty() && headers == Ipv4Header.SIZE + UdpHeader.SIZE
        ? cut(whole, headers, size, 0, icrc)
        : counted;
  }

  private static List<ByteBuffer> cut(
      ByteBuffer whole, int headers, int size, int identificationStep, Icrc icrc) {
    List<ByteBuffer> segments = new ArrayList<>();
    for (int at = headers; at < whole.capacity(); at += size) {
      int length = Math.min(size, whole.capacity() - at);
      if (length < SMALLEST_PACKET) {
        return List.of();
      }
      int identification = segments.size() * identificationStep;
      ByteBuffer segment = segment(whole, headers, at, length, identification);
      int expected = icrc.ofFrame(segment, 0, length);
      if (expected != Icrc.read(segment, segment.capacity() - Icrc.SIZE)) {
        return List.of();
      }
      segments.add(segment);
    }
    return segments;
  }

  private static ByteBuffer segment(
      ByteBuffer whole, int headers, int at, int length, int identification) {
    ByteBuffer segment = ByteBuffer.allocate(headers + length);
    int udpLength = UdpHeader.SIZE + length;
    if (whole.get(0) >>> 4 == 4) {
      Ipv4Header ip = Ipv4Header.parse(whole, 0);
      ip.withIdentification(ip.identification() + identification).sized(udpLength).emit(segment, 0);
    } else {
      Ipv6Header.parse(whole, 0).sized(udpLength).emit(segment, 0);
    }
    int udpAt = headers - UdpHeader.SIZE;
    UdpHeader.parse(whole, udpAt).sized(length).emit(segment, udpAt);
    segment.put(headers, whole, at, length);
    return segment;
  }
}
