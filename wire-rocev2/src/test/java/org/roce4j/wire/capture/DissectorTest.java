package org.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Golden;

class DissectorTest {
  private static final String MACS = "020000000001020000000002";
  private static final Bytes IPV4 = Frames.golden("RC_SEND_ONLY/v4");
  private static final Bytes IPV6 = Frames.golden("RC_SEND_ONLY/v6");
  private static final List<Bytes> GOLDEN =
      Golden.packets()
          .map(v -> v.bytes("ip_packet"))
          .map(b -> Bytes.copy(b, 0, b.capacity()))
          .toList();

  private static Dissection one(CapturedFrame frame) {
    List<Dissection> found = Dissector.dissect(frame);
    assertEquals(1, found.size());
    return found.getFirst();
  }

  private static RocePacket packet(CapturedFrame frame) {
    return assertInstanceOf(Dissection.Roce.class, one(frame)).packet();
  }

  @ParameterizedTest
  @CsvSource({
    "1,   " + MACS + "0800, 4",
    "1,   " + MACS + "86dd, 6",
    "1,   " + MACS + "81000064" + "0800, 4",
    "1,   " + MACS + "88a80064" + "81000065" + "86dd, 6",
    "1,   " + MACS + "91000064" + "81000065" + "0800, 4",
    "0,   02000000, 4",
    "0,   00000002, 4",
    "0,   1e000000, 6",
    "108, 00000002, 4",
    "108, 00000018, 6",
    "113, 00000001000602000000000100000800, 4",
    "113, 000000010006020000000001000086dd, 6",
    "113, 000000010006020000000001000081000064" + "0800, 4",
    "276, 0800000000000001000100060200000000010000, 4",
    "276, 86dd000000000001000100060200000000010000, 6",
    "276, 8100000000000001000100060200000000010000" + "00640800, 4"
  })
  void findsThePacketBehindEveryLinkLayer(int linkType, String header, int version) {
    Bytes ip = version == 4 ? IPV4 : IPV6;
    RocePacket packet = packet(Frames.frame(linkType, header, ip));
    assertEquals(ip, packet.emit());
    assertTrue(packet.icrcRight());
  }

  @ParameterizedTest
  @CsvSource({"12, 4", "14, 4", "14, 6", "101, 4", "101, 6", "228, 4", "229, 6"})
  void findsThePacketWhenThereIsNoLinkLayer(int linkType, int version) {
    Bytes ip = version == 4 ? IPV4 : IPV6;
    assertEquals(ip, packet(Frames.frame(linkType, "", ip)).emit());
  }

  @ParameterizedTest
  @CsvSource({
    "1, " + MACS + "0806",
    "1, " + MACS + "8915",
    "1, " + MACS + "8100",
    "1, 0200",
    "113, 00",
    "276, 08",
    "147, 00"
  })
  void otherFramesAreNotRoce(int linkType, String header) {
    assertInstanceOf(Dissection.NotRoce.class, one(Frames.frame(linkType, header, Bytes.zeros(2))));
  }

  @Test
  void bytesBehindTheIpPacketAreLinkLayerPadding() {
    Bytes padded = Bytes.of(HexFormat.of().parseHex(IPV4 + "000000000000"));
    assertEquals(IPV4, packet(Frames.raw(padded)).emit());
    Bytes padded6 = Bytes.of(HexFormat.of().parseHex(IPV6 + "000000000000"));
    assertEquals(IPV6, packet(Frames.raw(padded6)).emit());
  }

  @Test
  void udpToAnotherPortIsNotRoce() {
    assertInstanceOf(Dissection.NotRoce.class, one(changed(IPV4, 22, 0x12, 0xB8)));
    assertInstanceOf(Dissection.NotRoce.class, one(changed(IPV6, 42, 0x12, 0xB8)));
    assertInstanceOf(Dissection.NotRoce.class, one(changed(IPV4, 9, 6)), "TCP");
    assertInstanceOf(Dissection.NotRoce.class, one(changed(IPV6, 6, 0)), "hop-by-hop options");
    assertInstanceOf(Dissection.NotRoce.class, one(changed(IPV4, 6, 0x00, 0x01)), "2nd fragment");
  }

  /** The number of words in an IPv4 header: fewer than five are none, whatever would be a port. */
  @Test
  void anIpv4HeaderHasFiveWordsOrMore() {
    for (int words = 0; words < 16; words++) {
      byte[] bytes = Arrays.copyOf(IPV4.toArray(), 80);
      bytes[0] = (byte) (0x40 | words);
      int port = words * 4 + 2;
      bytes[port] = 0x12;
      bytes[port + 1] = (byte) 0xB7;
      Dissection found = one(Frames.raw(Bytes.of(bytes)));
      Class<?> kind =
          words < 5
              ? Dissection.NotRoce.class
              : words == 5 ? Dissection.Roce.class : Dissection.Malformed.class;
      assertInstanceOf(kind, found, words + " words");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "6,  2000,     IPv4 fragment",
    "2,  ffff,     IP length 65535 is beyond the frame",
    "2,  0016,     too short for a UDP header",
    "24, 0010,     'UDP length 16, but IP carries 32'",
    "28, ff,       unknown opcode 0xff",
    "28, 14,       too short (24 bytes)",
    "29, 01,       transport version 1"
  })
  void saysWhatIsMalformed(int at, String bytes, String reason) {
    byte[] changed = HexFormat.of().parseHex(bytes);
    int[] values = new int[changed.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = changed[i] & 0xFF;
    }
    Dissection.Malformed malformed =
        assertInstanceOf(Dissection.Malformed.class, one(changed(IPV4, at, values)));
    assertEquals(reason, malformed.reason());
    assertEquals("10.1.2.3 > 10.1.2.4", malformed.endpoints());
  }

  /** As IPv4 options are: no RoCEv2 packet has them, and what was sent so is not passed over. */
  @ParameterizedTest
  @CsvSource({
    "00, 1100010400000000,                 IPv6 extension headers",
    "3c, 1101010c000000000000000000000000, IPv6 extension headers",
    "00, 2b000104000000001100000000000000, IPv6 extension headers",
    "2c, 1100000100000009,                 IPv6 fragment",
    "2c, 11ff000100000009,                 IPv6 fragment",
    "00, 2c000104000000001100000000000009, IPv6 fragment",
    "2c, 3c000001000000091100010400000000, IPv6 fragment"
  })
  void ipv6ExtensionHeadersAreMalformed(String first, String headers, String reason) {
    Dissection.Malformed malformed =
        assertInstanceOf(Dissection.Malformed.class, one(extended(first, headers)));
    assertEquals(reason, malformed.reason());
  }

  @ParameterizedTest
  @CsvSource({
    "2c, 1100000900000009, later fragment",
    "00, 0600010400000000, TCP",
    "00, 11ff010400000000, longer than the packet"
  })
  void whatIsNoUdpBehindExtensionHeadersIsNotRoce(String first, String headers, String what) {
    assertInstanceOf(Dissection.NotRoce.class, one(extended(first, headers)), what);
  }

  private static CapturedFrame extended(String first, String headers) {
    String hex = IPV6.toString();
    String whole =
        hex.substring(0, 12) + first + hex.substring(14, 80) + headers + hex.substring(80);
    return Frames.raw(Bytes.of(HexFormat.of().parseHex(whole)));
  }

  @Test
  void ipv4OptionsAreMalformed() {
    String hex = IPV4.toString();
    Bytes options =
        Bytes.of(
            HexFormat.of().parseHex("46" + hex.substring(2, 40) + "01010101" + hex.substring(40)));
    assertEquals(
        "IPv4 options",
        assertInstanceOf(Dissection.Malformed.class, one(Frames.raw(options))).reason());
  }

  @Test
  void aFrameCutByTheSnapLengthShowsTheHeadersThatWereKept() {
    Bytes write = Frames.golden("RC_RDMA_WRITE_ONLY/len4096/v4".replace("RDMA_", ""));
    for (int kept = 28; kept < write.length(); kept += kept < 80 ? 1 : 16) {
      Bytes part = Bytes.copy(write.buffer(), 0, kept);
      CapturedFrame frame = new CapturedFrame(0, LinkType.RAW, write.length(), part, "");
      Dissection.Truncated cut = assertInstanceOf(Dissection.Truncated.class, one(frame));
      assertEquals(write.length() - kept, cut.missing());
      assertEquals("10.1.2.3 > 10.1.2.4", cut.endpoints());
      assertEquals(kept >= 40, cut.headers().startsWith("RC RDMA WRITE Only"));
      assertEquals(kept >= 56, cut.headers().contains("DMA length 4096"));
    }
  }

  /** The destination port is in the first four bytes of a UDP header. */
  @ParameterizedTest
  @CsvSource({"4, 20", "6, 40"})
  void aFrameCutBehindThePortIsOfRoceAndOneCutBeforeItIsNot(int version, int udpAt) {
    Bytes ip = version == 4 ? IPV4 : IPV6;
    for (int kept = udpAt; kept < udpAt + 8; kept++) {
      Bytes part = Bytes.copy(ip.buffer(), 0, kept);
      Dissection cut = one(new CapturedFrame(0, LinkType.RAW, ip.length(), part, ""));
      if (kept < udpAt + 4) {
        assertEquals("not UDP port 4791", assertInstanceOf(Dissection.NotRoce.class, cut).what());
      } else {
        assertEquals(
            "BTH not captured", assertInstanceOf(Dissection.Truncated.class, cut).headers());
      }
    }
  }

  @Test
  void aUdpDatagramWithoutPayloadIsTooShort() {
    byte[] bytes = changed(IPV4, 3, 28).bytes().toArray();
    bytes[25] = 8;
    Dissection.Malformed found =
        assertInstanceOf(Dissection.Malformed.class, one(Frames.raw(Bytes.of(bytes))));
    assertEquals("too short (0 bytes)", found.reason());
  }

  @ParameterizedTest
  @CsvSource({
    "0x60, NAK PSN sequence error",
    "0x61, NAK invalid request",
    "0x62, NAK remote access error",
    "0x63, NAK remote operational error",
    "0x64, NAK invalid RD request",
    "0x65, reserved syndrome 0x65"
  })
  void everyNakHasItsReason(String syndrome, String reason) {
    String told = new Extension.Acknowledge(Integer.decode(syndrome), 1).toString();
    assertEquals(reason + " MSN 1", told);
  }

  @Test
  void anRnrNakTellsMillisecondsAndTheirHundredths() {
    assertEquals("RNR NAK wait 0.01 ms MSN 1", new Extension.Acknowledge(0x21, 1).toString());
    assertEquals("RNR NAK wait 1.28 ms MSN 1", new Extension.Acknowledge(0x2e, 1).toString());
    assertEquals("RNR NAK wait 655.36 ms MSN 1", new Extension.Acknowledge(0x20, 1).toString());
  }

  /** The address that begins it looks like the first bytes of an IP header. */
  @Test
  void aFrameOfAnotherEtherTypeIsNoIpPacket() {
    CapturedFrame arp =
        Frames.frame(LinkType.ETHERNET, "4500004000400000000000000806", Bytes.zeros(40));
    Dissection found = Dissector.dissect(arp).getFirst();
    assertEquals("not IP", assertInstanceOf(Dissection.NotRoce.class, found).what());
  }

  @Test
  void whatIsNoIpPacketIsNone() {
    for (int size = 0; size < 2; size++) {
      Dissection found = Dissector.dissectIp(ByteBuffer.allocate(size)).getFirst();
      assertEquals("not IP", assertInstanceOf(Dissection.NotRoce.class, found).what());
    }
  }

  @Test
  void anIpv6PacketCutWithinItsExtensionHeadersIsNotRoce() {
    for (int size = 40; size < 56; size++) {
      Bytes cut = Bytes.copy(changed(IPV6, 6, 0).bytes().buffer(), 0, size);
      assertInstanceOf(Dissection.NotRoce.class, one(Frames.raw(cut)), size + " bytes");
    }
  }

  @Test
  void aLengthThatNoPadExplainsIsMalformed() {
    byte[] bytes = changed(IPV4, 3, IPV4.length() - 1).bytes().toArray();
    bytes[25] = (byte) (IPV4.length() - 21);
    Dissection.Malformed found =
        assertInstanceOf(Dissection.Malformed.class, one(Frames.raw(Bytes.of(bytes))));
    assertEquals("length " + (IPV4.length() - 29) + " is not a multiple of 4", found.reason());
  }

  @Test
  void aFrameThatWasCutBehindAnUnknownOpcodeIsMalformed() {
    Bytes part = Bytes.copy(changed(IPV4, 28, 0xFF).bytes().buffer(), 0, 44);
    CapturedFrame frame = new CapturedFrame(0, LinkType.RAW, IPV4.length(), part, "");
    Dissection.Malformed found = assertInstanceOf(Dissection.Malformed.class, one(frame));
    assertEquals("unknown opcode 0xff", found.reason());
  }

  @Test
  void aFrameWhosePaddingAloneWasCutIsWhole() {
    CapturedFrame frame = new CapturedFrame(0, LinkType.RAW, IPV4.length() + 4, IPV4, "");
    assertTrue(packet(frame).icrcRight());
  }

  @Test
  void aWrongIcrcIsAPacketNevertheless() {
    RocePacket damaged = packet(changed(IPV4, IPV4.length() - 1, 0));
    assertFalse(damaged.icrcRight());
  }

  static CapturedFrame changed(Bytes packet, int at, int... values) {
    byte[] bytes = packet.toArray();
    for (int i = 0; i < values.length; i++) {
      bytes[at + i] = (byte) values[i];
    }
    return Frames.raw(Bytes.of(bytes));
  }

  @Provide
  Arbitrary<Bytes> golden() {
    return Arbitraries.of(GOLDEN);
  }

  @Provide
  Arbitrary<Integer> linkTypes() {
    return Arbitraries.of(0, 1, 12, 14, 101, 108, 113, 228, 229, 276, 7);
  }

  @Property(tries = 3000)
  void mutatedPacketsNeverThrowAndAreEmittedByteForByteIfTheyParse(
      @ForAll("golden") Bytes golden,
      @ForAll @Size(max = 5) List<Integer> places,
      @ForAll byte value,
      @ForAll @IntRange(max = 4300) int cut,
      @ForAll @IntRange(max = 10) int lost) {
    byte[] bytes = golden.toArray();
    for (int place : places) {
      bytes[Math.floorMod(place, Math.min(bytes.length, 100))] = value;
    }
    Bytes kept = Bytes.copy(ByteBuffer.wrap(bytes), 0, Math.min(bytes.length, cut));
    CapturedFrame frame = new CapturedFrame(0, LinkType.RAW, kept.length() + lost, kept, "");
    for (Dissection found : Dissector.dissect(frame)) {
      assertFalse(found.toString().isEmpty());
      if (found instanceof Dissection.Roce roce) {
        Bytes emitted = roce.packet().emit();
        assertEquals(Bytes.copy(kept.buffer(), 0, emitted.length()), emitted);
      }
    }
  }

  @Property(tries = 2000)
  void randomFramesNeverThrow(
      @ForAll("linkTypes") int linkType,
      @ForAll @Size(max = 120) byte[] bytes,
      @ForAll int originalLength) {
    CapturedFrame frame = new CapturedFrame(0, linkType, originalLength, Bytes.of(bytes), "");
    assertFalse(Dissector.dissect(frame).isEmpty());
  }
}
