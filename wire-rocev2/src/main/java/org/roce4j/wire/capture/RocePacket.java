package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.ExtensionHeader;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.OutboundPacket;

/**
 * A whole RoCEv2 packet from the IP header to the ICRC, bit for bit: {@link #emit} returns the
 * bytes that {@link Dissector} read it from.
 *
 * <p>To build a packet, give the fields that matter and call {@link #finished}, which sets pad,
 * lengths, checksums and ICRC.
 *
 * @param extensions the extended headers of the opcode, in their order on the wire
 * @param pad the pad bytes, as many as the pad count of the BTH; senders set them to 0
 * @param icrc the packet's value, right or wrong
 */
public record RocePacket(
    IpHeader ip,
    UdpHeader udp,
    BaseHeader bth,
    List<Extension> extensions,
    Bytes payload,
    Bytes pad,
    int icrc) {

  /**
   * Lengths, pad bytes and ICRC may be wrong.
   *
   * @throws IllegalArgumentException if the extended headers are not those of the opcode, or the
   *     length of the pad is not the pad count
   */
  public RocePacket {
    extensions = List.copyOf(extensions);
    List<ExtensionHeader> present = extensions.stream().map(Extension::header).toList();
    if (!present.equals(bth.opcode().headers())) {
      throw new IllegalArgumentException(
          bth.opcode() + " has headers " + bth.opcode().headers() + ", not " + present);
    }
    if (pad.length() != bth.padCount()) {
      throw new IllegalArgumentException(
          "pad count " + bth.padCount() + " but " + pad.length() + " pad bytes");
    }
  }

  /** A packet whose pad, lengths, checksums and ICRC are set. */
  public static RocePacket of(
      IpHeader ip, int sourcePort, BaseHeader bth, List<Extension> extensions, Bytes payload) {
    return new RocePacket(
            ip,
            UdpHeader.from(sourcePort),
            bth,
            extensions,
            payload,
            Bytes.zeros(bth.padCount()),
            0)
        .finished();
  }

  /** Reads a packet; the caller has checked its length and its IP and UDP headers. */
  static RocePacket parse(IpHeader ip, UdpHeader udp, ByteBuffer b, int bthAt, int length) {
    BaseHeader bth = BaseHeader.parse(b, bthAt);
    List<Extension> extensions = new ArrayList<>();
    int at = bthAt + Bth.SIZE;
    for (ExtensionHeader header : bth.opcode().headers()) {
      extensions.add(Extension.parse(header, b, at));
      at += header.size();
    }
    int icrcAt = bthAt + length - Icrc.SIZE;
    int padAt = icrcAt - bth.padCount();
    return new RocePacket(
        ip,
        udp,
        bth,
        extensions,
        Bytes.copy(b, at, padAt - at),
        Bytes.copy(b, padAt, bth.padCount()),
        Icrc.read(b, icrcAt));
  }

  /** The length of the UDP payload, from BTH to ICRC, in bytes. */
  public int udpPayloadLength() {
    return bth.opcode().headerLength() + payload.length() + pad.length() + Icrc.SIZE;
  }

  /** The bytes of the packet from the IP header to the ICRC. */
  public Bytes emit() {
    ByteBuffer b = emitted();
    return Bytes.copy(b, 0, b.capacity());
  }

  /** The right ICRC for the other fields. */
  public int expectedIcrc() {
    return new Icrc().ofFrame(emitted(), 0, udpPayloadLength());
  }

  /** Whether the packet carries the {@link #expectedIcrc}. */
  public boolean icrcRight() {
    return icrc == expectedIcrc();
  }

  /**
   * This packet with the right number of zero pad bytes, right IP and UDP lengths, UDP checksum 0,
   * and the right IP checksum and ICRC.
   */
  public RocePacket finished() {
    int padding = OutboundPacket.pad(payload.length());
    int udpPayload = OutboundPacket.size(bth.opcode(), payload.length());
    RocePacket unsealed =
        new RocePacket(
            ip.sized(UdpHeader.SIZE + udpPayload),
            udp.sized(udpPayload),
            bth.withPadCount(padding),
            extensions,
            payload,
            Bytes.zeros(padding),
            0);
    return unsealed.withIcrc(unsealed.expectedIcrc());
  }

  /** This packet with another ICRC, right or wrong. */
  public RocePacket withIcrc(int value) {
    return new RocePacket(ip, udp, bth, extensions, payload, pad, value);
  }

  /** {@code 10.1.2.3 > 10.1.2.4}. */
  public String endpoints() {
    return ip.sourceText() + " > " + ip.destinationText();
  }

  /**
   * Reads like a dissector: {@code RC SEND Only Immediate QP 0x000012 PSN 11259375 AckReq immediate
   * 0xcafebabe payload 8 ICRC ok}.
   */
  @Override
  public String toString() {
    String verdict =
        icrcRight()
            ? "ICRC ok"
            : String.format(
                Locale.ROOT, "ICRC bad (0x%08x, should be 0x%08x)", icrc, expectedIcrc());
    return textWithoutIcrc() + " " + verdict;
  }

  /**
   * The same text without a verdict on the ICRC, for a packet whose IP header is not fully known.
   */
  public String textWithoutIcrc() {
    return headersText(bth, extensions) + payloadText();
  }

  static String headersText(BaseHeader bth, List<Extension> extensions) {
    StringBuilder text = new StringBuilder(bth.toString());
    for (Extension extension : extensions) {
      String one = extension.toString();
      text.append(one.isEmpty() ? "" : " ").append(one);
    }
    return text.toString();
  }

  private String payloadText() {
    return bth.opcode().carriesPayload() || payload.length() > 0
        ? " payload " + payload.length()
        : "";
  }

  private ByteBuffer emitted() {
    int bthAt = ip.size() + UdpHeader.SIZE;
    ByteBuffer b = ByteBuffer.allocate(bthAt + udpPayloadLength());
    ip.emit(b, 0);
    udp.emit(b, ip.size());
    bth.emit(b, bthAt);
    int at = bthAt + Bth.SIZE;
    for (Extension extension : extensions) {
      extension.emit(b, at);
      at += extension.header().size();
    }
    payload.copyTo(b, at);
    at += payload.length();
    pad.copyTo(b, at);
    Icrc.write(b, at + pad.length(), icrc);
    return b;
  }
}
