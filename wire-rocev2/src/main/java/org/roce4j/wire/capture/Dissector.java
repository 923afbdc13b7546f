package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.wire.Bth;
import org.roce4j.wire.ExtensionHeader;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.UdpSourcePort;

/**
 * Turns the bytes of a captured frame into {@link Dissection}s: usually one; one per packet for a
 * train that was captured unsegmented (see {@link GsoSplitter}). No input makes it throw.
 */
public final class Dissector {
  private Dissector() {}

  /** The dissections of a frame; never empty. */
  public static List<Dissection> dissect(CapturedFrame frame) {
    ByteBuffer b = frame.bytes().buffer();
    int ipAt = LinkType.ipAt(frame.linkType(), b);
    if (ipAt < 0) {
      return List.of(new Dissection.NotRoce("not IP"));
    }
    int missing = Math.max(0, frame.originalLength() - b.capacity());
    return dissectIp(b.slice(ipAt, b.capacity() - ipAt), missing);
  }

  /** The dissections of a whole IP packet; never empty. */
  public static List<Dissection> dissectIp(ByteBuffer ipPacket) {
    return dissectIp(ipPacket.slice(), 0);
  }

  private static List<Dissection> dissectIp(ByteBuffer b, int missing) {
    int version = b.capacity() > 0 ? b.get(0) >>> 4 & 0xF : 0;
    return switch (version) {
      case 4 -> dissectIpv4(b, missing);
      case 6 -> dissectIpv6(b, missing);
      default -> List.of(new Dissection.NotRoce("not IP"));
    };
  }

  private static List<Dissection> dissectIpv4(ByteBuffer b, int missing) {
    int headerSize = (b.get(0) & 0xF) * 4;
    if (b.capacity() < Ipv4Header.SIZE
        || headerSize < Ipv4Header.SIZE
        || b.get(9) != IpHeader.UDP) {
      return List.of(new Dissection.NotRoce("not UDP"));
    }
    Ipv4Header ip = Ipv4Header.parse(b, 0);
    boolean laterFragment = (ip.flagsAndOffset() & 0x1FFF) != 0;
    if (laterFragment || !toRocePort(b, headerSize)) {
      return List.of(new Dissection.NotRoce("not UDP port 4791"));
    }
    if (headerSize != Ipv4Header.SIZE) {
      return malformed(ip, "IPv4 options");
    }
    if ((ip.flagsAndOffset() & Ipv4Header.FRAGMENT) != 0) {
      return malformed(ip, "IPv4 fragment");
    }
    int total = ip.totalLength() != 0 ? ip.totalLength() : b.capacity() + missing;
    return dissectUdp(ip, total, b, missing);
  }

  private static List<Dissection> dissectIpv6(ByteBuffer b, int missing) {
    if (b.capacity() < Ipv6Header.SIZE) {
      return List.of(new Dissection.NotRoce("not UDP"));
    }
    Ipv6Extensions extensions = Ipv6Extensions.of(b);
    if (extensions.protocol() != IpHeader.UDP) {
      return List.of(new Dissection.NotRoce("not UDP"));
    }
    if (!toRocePort(b, extensions.end())) {
      return List.of(new Dissection.NotRoce("not UDP port 4791"));
    }
    Ipv6Header ip = Ipv6Header.parse(b, 0);
    if (extensions.end() != Ipv6Header.SIZE) {
      return malformed(ip, extensions.fragment() ? "IPv6 fragment" : "IPv6 extension headers");
    }
    int total =
        ip.payloadLength() != 0 ? Ipv6Header.SIZE + ip.payloadLength() : b.capacity() + missing;
    return dissectUdp(ip, total, b, missing);
  }

  private static boolean toRocePort(ByteBuffer b, int udpAt) {
    return b.capacity() >= udpAt + 4 && (b.getShort(udpAt + 2) & 0xFFFF) == UdpSourcePort.ROCE_V2;
  }

  private static List<Dissection> dissectUdp(IpHeader ip, int total, ByteBuffer b, int missing) {
    if (total > b.capacity()) {
      return total <= b.capacity() + (long) missing
          ? List.of(truncated(ip, b, total - b.capacity()))
          : malformed(ip, "IP length " + total + " is beyond the frame");
    }
    int bthAt = ip.size() + UdpHeader.SIZE;
    if (total < bthAt) {
      return malformed(ip, "too short for a UDP header");
    }
    UdpHeader udp = UdpHeader.parse(b, ip.size());
    int length = total - bthAt;
    Dissection whole = dissectBth(ip, udp, b, bthAt, length);
    if (whole instanceof Dissection.Roce roce && roce.packet().icrcRight()) {
      return List.of(whole);
    }
    List<ByteBuffer> segments = GsoSplitter.split(b.slice(0, total));
    if (segments.isEmpty()) {
      return List.of(whole);
    }
    List<Dissection> all = new ArrayList<>();
    for (ByteBuffer segment : segments) {
      all.add(dissectSegment(segment));
    }
    return all;
  }

  private static Dissection dissectSegment(ByteBuffer b) {
    IpHeader ip = b.get(0) >>> 4 == 4 ? Ipv4Header.parse(b, 0) : Ipv6Header.parse(b, 0);
    int bthAt = ip.size() + UdpHeader.SIZE;
    return dissectBth(ip, UdpHeader.parse(b, ip.size()), b, bthAt, b.capacity() - bthAt);
  }

  private static Dissection dissectBth(
      IpHeader ip, UdpHeader udp, ByteBuffer b, int bthAt, int length) {
    if (udp.length() != UdpHeader.SIZE + length) {
      return malformedOne(
          ip, "UDP length " + udp.length() + ", but IP carries " + (UdpHeader.SIZE + length));
    }
    InboundPacket checked = new InboundPacket();
    return switch (checked.decode(b, bthAt, length)) {
      case TOO_SHORT -> malformedOne(ip, "too short (" + length + " bytes)");
      case UNKNOWN_OPCODE ->
          malformedOne(
              ip, String.format(Locale.ROOT, "unknown opcode 0x%02x", Bth.opcode(b, bthAt)));
      case BAD_VERSION -> malformedOne(ip, "transport version " + Bth.version(b, bthAt));
      case OK ->
          checked.padLegal()
              ? new Dissection.Roce(RocePacket.parse(ip, udp, b, bthAt, length))
              : malformedOne(ip, "length " + length + " is not a multiple of 4");
    };
  }

  /** Dissects the headers that are captured whole. */
  private static Dissection truncated(IpHeader ip, ByteBuffer b, int missing) {
    int bthAt = ip.size() + UdpHeader.SIZE;
    if (b.capacity() < bthAt + Bth.SIZE) {
      return new Dissection.Truncated(endpoints(ip), "BTH not captured", missing);
    }
    Opcode op = Opcode.of(Bth.opcode(b, bthAt));
    if (op == null) {
      return malformedOne(
          ip, String.format(Locale.ROOT, "unknown opcode 0x%02x", Bth.opcode(b, bthAt)));
    }
    List<Extension> kept = new ArrayList<>();
    int at = bthAt + Bth.SIZE;
    for (ExtensionHeader header : op.headers()) {
      if (at + header.size() > b.capacity()) {
        break;
      }
      kept.add(Extension.parse(header, b, at));
      at += header.size();
    }
    String headers = RocePacket.headersText(BaseHeader.parse(b, bthAt), kept);
    return new Dissection.Truncated(endpoints(ip), headers, missing);
  }

  private static List<Dissection> malformed(IpHeader ip, String reason) {
    return List.of(malformedOne(ip, reason));
  }

  private static Dissection malformedOne(IpHeader ip, String reason) {
    return new Dissection.Malformed(endpoints(ip), reason);
  }

  private static String endpoints(IpHeader ip) {
    return ip.sourceText() + " > " + ip.destinationText();
  }
}
