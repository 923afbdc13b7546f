package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.ExtensionHeader;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.OutboundPacket;

/**
 * A whole RoCEv2 packet from the IP header to the ICRC, bit for bit: {@link #emit} returns the
 * bytes that {@link Dissector} read it from.
 *
 * <p>To build one, give the fields that matter and let {@link #finished} set pad, lengths,
 * checksums and ICRC.
 *
 * @param extensions in the order of the opcode's row
 * @param pad as many bytes as the pad count of the BTH says; zero when sent by the book
 * @param icrc the number as carried, right or wrong
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
   * The packet as it is given, also with lengths, pad or ICRC that no device would send; but
   * extension headers that are not the opcode's, or a pad unlike the pad count, are an {@link
   * IllegalArgumentException}.
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

  /** A finished packet: pad, lengths, checksums and ICRC are set. */
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

  /** Reads a packet whose IP and UDP headers and whose length have been checked. */
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

  /** Bytes of UDP payload: BTH to ICRC. */
  public int udpPayloadLength() {
    return bth.opcode().headerLength() + payload.length() + pad.length() + Icrc.SIZE;
  }

  /** The bytes of the packet from the IP header to the ICRC. */
  public Bytes emit() {
    ByteBuffer b = emitted();
    return Bytes.copy(b, 0, b.capacity());
  }

  /** The ICRC that these bytes should carry. */
  public int expectedIcrc() {
    return new Icrc().ofFrame(emitted(), 0, udpPayloadLength());
  }

  /** Whether the packet carries the {@link #expectedIcrc}. */
  public boolean icrcRight() {
    return icrc == expectedIcrc();
  }

  /**
   * The same packet with zero pad of the right length, right IP and UDP lengths, UDP checksum 0 and
   * the right IP checksum and ICRC.
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

  /** The same packet with another ICRC, right or wrong. */
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
            : String.format("ICRC bad (0x%08x, should be 0x%08x)", icrc, expectedIcrc());
    return textWithoutIcrc() + " " + verdict;
  }

  /** The same without a verdict on the ICRC, for one whose IP header is not wholly known. */
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
