package org.roce4j.conformance.dialogue;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.PKey;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.IpHeader;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.capture.UdpHeader;

/**
 * A packet to send or to expect, from BTH to pad. Templates set the usual fields, and these methods
 * change single fields. Each returns a new draft.
 */
public final class PacketDraft implements Cloneable {
  private static final int BY_THE_BOOK = -1;
  private static final int CONGESTION_EXPERIENCED = 3;
  private static final Gid NOWHERE = Gid.ofIpv4(0);

  private final Opcode opcode;
  private final int psn;
  private List<Extension> extensions;
  private int destQp;
  private int pkey = PKey.DEFAULT;
  private boolean ackReq;
  private boolean solicited;
  private boolean migReq;
  private boolean becn;
  private int reserved6;
  private int reserved7;
  private Bytes payload = Bytes.NONE;
  private int padCount = BY_THE_BOOK;
  private Gid source;
  private Gid destination;
  private int trafficClass;
  private int hopLimit = 64;

  PacketDraft(Opcode opcode, int destQp, int psn, Extension... extensions) {
    this.opcode = opcode;
    this.psn = psn;
    this.destQp = destQp;
    this.extensions = List.of(extensions);
  }

  // ---- fields

  /** Carries bytes {@code [first, end)} of the message. */
  public PacketDraft bytes(int first, int end) {
    return payload(MessagePattern.bytes(first, end));
  }

  /** Carries these bytes after the headers. */
  public PacketDraft payload(Bytes bytes) {
    return with(draft -> draft.payload = bytes);
  }

  /**
   * Has {@code count} pad bytes and this pad count in the BTH, even if the payload needs another
   * number.
   */
  public PacketDraft pad(int count) {
    return with(draft -> draft.padCount = count);
  }

  /** Names another shared receive queue. */
  public PacketDraft srq(int number) {
    return with(
        draft ->
            draft.extensions =
                extensions.stream()
                    .map(it -> it instanceof Extension.Xrc ? new Extension.Xrc(0, number) : it)
                    .toList());
  }

  // ---- its BTH

  /** Asks for an acknowledgement. */
  public PacketDraft ackReq() {
    return with(draft -> draft.ackReq = true);
  }

  /** Has the solicited event bit. */
  public PacketDraft solicited() {
    return with(draft -> draft.solicited = true);
  }

  /** Has MigReq, BECN and every reserved bit of the BTH set. */
  public PacketDraft migReqAndReservedBits() {
    return with(
        draft -> {
          draft.migReq = true;
          draft.becn = true;
          draft.reserved6 = 0x3f;
          draft.reserved7 = 0x7f;
        });
  }

  /** Has the BECN bit, which reports congestion to the sender. */
  public PacketDraft becn() {
    return with(draft -> draft.becn = true);
  }

  /** With another P_Key than the default partition's. */
  public PacketDraft pkey(int value) {
    return with(draft -> draft.pkey = value);
  }

  /** Goes to another queue pair than the script's peer. */
  public PacketDraft toQp(int qpNum) {
    return with(draft -> draft.destQp = qpNum);
  }

  // ---- its way

  /** Is marked by the network: congestion experienced (ECN 11). */
  public PacketDraft congested() {
    return trafficClass(CONGESTION_EXPERIENCED);
  }

  /** Has this TOS or traffic class. */
  public PacketDraft trafficClass(int value) {
    return with(draft -> draft.trafficClass = value);
  }

  /** Comes from another address of the wire than its first. */
  public PacketDraft from(Gid address) {
    return with(draft -> draft.source = address);
  }

  /** Goes to another address than the other end's first. */
  public PacketDraft to(Gid address) {
    return with(draft -> draft.destination = address);
  }

  /** Has this TTL or hop limit. */
  public PacketDraft hopLimit(int value) {
    return with(draft -> draft.hopLimit = value);
  }

  private PacketDraft with(Consumer<PacketDraft> change) {
    try {
      PacketDraft draft = (PacketDraft) clone();
      change.accept(draft);
      return draft;
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }

  // ---- the packet

  /** The complete packet with the right ICRC. Addresses of the draft take precedence over these. */
  public RocePacket packet(Gid usualSource, Gid usualDestination) {
    Gid from = source == null ? usualSource : source;
    Gid to = destination == null ? usualDestination : destination;
    IpHeader ip =
        from.isIpv4Mapped()
            ? new Ipv4Header(
                trafficClass, 0, 0, Ipv4Header.DONT_FRAGMENT, hopLimit, 0, from.ipv4(), to.ipv4())
            : new Ipv6Header(
                trafficClass, 0, 0, hopLimit, from.high(), from.low(), to.high(), to.low());
    int pad = padCount == BY_THE_BOOK ? OutboundPacket.pad(payload.length()) : padCount;
    RocePacket packet =
        new RocePacket(
            ip,
            UdpHeader.from(UdpSourcePort.MIN),
            header(pad),
            extensions,
            payload,
            Bytes.zeros(pad),
            0);
    return packet.withIcrc(packet.expectedIcrc());
  }

  private BaseHeader header(int pad) {
    return new BaseHeader(
        opcode, solicited, migReq, pad, pkey, false, becn, reserved6, destQp, ackReq, reserved7,
        psn);
  }

  /** Whether a packet equals this draft from BTH to pad and has its addresses. */
  boolean is(RocePacket heard) {
    RocePacket meant = packet(NOWHERE, NOWHERE);
    return goesTo(heard.ip())
        && heard.bth().equals(meant.bth())
        && heard.extensions().equals(extensions)
        && heard.payload().equals(payload)
        && heard.pad().equals(meant.pad());
  }

  /**
   * Whether a packet equals this draft in the fields that the specification determines. MigReq and
   * credits are the sender's choice, and it may ask for additional acknowledgements.
   */
  boolean means(RocePacket heard) {
    BaseHeader bth = heard.bth();
    BaseHeader meant = header(heard.bth().padCount());
    BaseHeader plain =
        new BaseHeader(
            bth.opcode(),
            bth.solicited(),
            migReq,
            bth.padCount(),
            bth.pkey(),
            bth.fecn(),
            bth.becn(),
            bth.reserved6(),
            bth.destQp(),
            ackReq && bth.ackReq(),
            bth.reserved7(),
            bth.psn());
    return goesTo(heard.ip())
        && plain.equals(meant)
        && heard.extensions().stream()
            .map(PacketDraft::withoutCredits)
            .toList()
            .equals(extensions.stream().map(PacketDraft::withoutCredits).toList())
        && heard.payload().equals(payload);
  }

  private boolean goesTo(IpHeader ip) {
    return destination == null
        || switch (ip) {
          case Ipv4Header v4 -> Gid.ofIpv4(v4.destination()).equals(destination);
          case Ipv6Header v6 ->
              new Gid(v6.destinationHigh(), v6.destinationLow()).equals(destination);
        };
  }

  private static Extension withoutCredits(Extension extension) {
    return extension instanceof Extension.Acknowledge(int syndrome, int msn) && Aeth.isAck(syndrome)
        ? new Extension.Acknowledge(Aeth.ACK, msn)
        : extension;
  }

  /** In the words of a dissector. */
  @Override
  public String toString() {
    Stream<String> words =
        Stream.concat(
            Stream.of(header(0).toString()), extensions.stream().map(Extension::toString));
    return String.join(" ", words.toList())
        + (opcode.carriesPayload() || payload.length() > 0 ? " payload " + payload.length() : "");
  }
}
