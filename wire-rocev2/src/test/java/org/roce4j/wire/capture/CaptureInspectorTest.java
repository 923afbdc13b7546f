package org.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.InspectedPacket;

class CaptureInspectorTest {
  private static final int ETHERNET_HEADER = 14;

  @TempDir Path directory;

  static List<Path> captures() {
    return Frames.captures();
  }

  @Test
  void thereAreCapturesOfLinuxSoftRoce() {
    assertEquals(23, captures().size());
  }

  @ParameterizedTest
  @MethodSource("captures")
  void everyPacketOfLinuxSoftRoceIsRight(Path file) throws IOException {
    List<String> lines = new ArrayList<>();
    CaptureInspector.Totals totals =
        CaptureInspector.inspect(file, found -> lines.add(found.toString()));
    int frames = Frames.all(file).size();
    assertTrue(frames > 0);
    assertEquals(
        new CaptureInspector.Totals(frames, frames, 0, 0, 0, 0, "", "", totals.startNs()), totals);
    assertTrue(totals.allRight());
    assertEquals(frames, lines.size());
    assertEquals(
        frames + " packets, " + frames + " icrc ok, 0 icrc bad, 0 malformed", totals.summary());
  }

  @ParameterizedTest
  @MethodSource("captures")
  void everyPacketOfLinuxSoftRoceIsEmittedByteForByte(Path file) throws IOException {
    for (CapturedFrame frame : Frames.all(file)) {
      Dissection found = Dissector.dissect(frame).getFirst();
      RocePacket packet = assertInstanceOf(Dissection.Roce.class, found).packet();
      Bytes emitted = packet.emit();
      assertEquals(Bytes.copy(frame.bytes().buffer(), ETHERNET_HEADER, emitted.length()), emitted);
    }
  }

  /** What the data path reads agrees with what people read, and the identification is solved. */
  @ParameterizedTest
  @MethodSource("captures")
  void theDataPathReadsTheSameOfEveryPacketOfLinuxSoftRoce(Path file) throws IOException {
    InboundPacket inbound = new InboundPacket();
    Icrc icrc = new Icrc();
    for (CapturedFrame frame : Frames.all(file)) {
      RocePacket packet =
          assertInstanceOf(Dissection.Roce.class, Dissector.dissect(frame).getFirst()).packet();
      ByteBuffer b = ByteBuffer.allocateDirect(frame.bytes().length());
      frame.bytes().copyTo(b, 0);
      int at = ETHERNET_HEADER + packet.ip().size() + UdpHeader.SIZE;
      int length = packet.udpPayloadLength();
      assertEquals(InboundPacket.Verdict.OK, inbound.decode(b, at, length));
      assertEquals(packet.bth().opcode(), inbound.opcode());
      assertEquals(packet.bth().psn(), inbound.psn());
      assertEquals(packet.bth().destQp(), inbound.destQp());
      assertEquals(packet.payload(), Bytes.copy(b, inbound.payloadAt(), inbound.payloadLength()));
      if (packet.ip() instanceof Ipv4Header ip) {
        int solved =
            icrc.solveIdentification(
                ip.source(), ip.destination(), packet.udp().sourcePort(), 4791, b, at, length);
        assertEquals(ip.identification(), solved);
      }
    }
  }

  /** Recorded by dumpcap on "lo": two UDP_SEGMENT sends, one over IPv4 and one over IPv6. */
  @Test
  void unsegmentedTrainsOfTheLoopbackDeviceAreSplit() throws Exception {
    Path file = Path.of(CaptureInspectorTest.class.getResource("/captures/lo-gso.pcapng").toURI());
    List<String> lines = new ArrayList<>();
    CaptureInspector.Totals totals =
        CaptureInspector.inspect(file, found -> lines.add(found.toString()));
    assertEquals(2, Frames.all(file).size());
    assertEquals(new CaptureInspector.Totals(12, 12, 0, 0, 0, 0, "", "", totals.startNs()), totals);
    assertEquals(
        "   1/5 0.000000000 127.0.0.77 > 127.0.0.78 RC SEND Last QP 0x000011 PSN 105 payload 99"
            + " ICRC ok",
        lines.get(5));
    assertTrue(lines.get(6).startsWith("   2/0 "));
  }

  @Test
  void saysWhatEachPacketIsAndCountsHonestly() throws IOException {
    RocePacket good = RocePacketTest.send(Bytes.of((byte) 1));
    Bytes goodBytes = good.emit();
    Path file = directory.resolve("mixed.pcapng");
    try (CaptureWriter writer =
        CaptureWriter.create(file, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      write(writer, 1_000, goodBytes, goodBytes.length());
      write(writer, 2_500, good.withIcrc(0).emit(), goodBytes.length());
      write(writer, 1_000_003_000L, DissectorTest.changed(goodBytes, 28, 0xFF).bytes(), 48);
      write(writer, 4_000, DissectorTest.changed(goodBytes, 9, 6).bytes(), goodBytes.length());
    }
    List<String> lines = new ArrayList<>();
    CaptureInspector.Totals totals =
        CaptureInspector.inspect(file, found -> lines.add(found.toString()));
    String start = "10.0.0.1 > 10.0.0.2 RC SEND Only QP 0x000012 PSN 5 AckReq payload 1 ";
    assertEquals("     1 0.000000000 " + start + "ICRC ok", lines.get(0));
    assertTrue(lines.get(1).startsWith("     2 0.000001500 " + start + "ICRC bad (0x00000000, "));
    assertEquals(
        "     3 1.000002000 10.0.0.1 > 10.0.0.2 malformed: unknown opcode 0xff", lines.get(2));
    assertEquals(
        "1 other frames skipped, 0 truncated packets without ICRC to check", totals.remarks());
    assertEquals("3 packets, 1 icrc ok, 1 icrc bad, 1 malformed", totals.summary());
    assertEquals(3, lines.size());
    assertFalse(totals.allRight());
  }

  @Test
  void eachKindIsCountedForItself() {
    RocePacket good = RocePacketTest.send(Bytes.of((byte) 1));
    Bytes bytes = good.emit();
    CapturedFrame ok = Frames.raw(bytes);
    CapturedFrame cut =
        new CapturedFrame(0, LinkType.RAW, bytes.length(), Bytes.copy(bytes.buffer(), 0, 44), "");
    List<CapturedFrame> frames = new ArrayList<>(List.of(ok));
    frames.addAll(Collections.nCopies(2, Frames.raw(good.withIcrc(0).emit())));
    frames.addAll(Collections.nCopies(3, DissectorTest.changed(bytes, 28, 0xFF)));
    frames.addAll(Collections.nCopies(4, cut));
    frames.addAll(Collections.nCopies(5, DissectorTest.changed(bytes, 9, 6)));
    CaptureInspector.Totals totals = CaptureInspector.inspect(frames, _ -> {});
    assertEquals(new CaptureInspector.Totals(10, 1, 2, 3, 4, 5, "", "", 0), totals);
    assertEquals("10 packets, 1 icrc ok, 2 icrc bad, 3 malformed", totals.summary());
  }

  @Test
  void commentAndInterfaceOfAFrameAreThoseOfItsPacket() {
    Bytes bytes = RocePacketTest.send(Bytes.NONE).emit();
    List<InspectedPacket> found = new ArrayList<>();
    CaptureInspector.inspect(
        List.of(new CapturedFrame(0, LinkType.RAW, bytes.length(), bytes, "why", "roce0")),
        found::add);
    assertEquals("why", found.getFirst().comment());
    assertEquals("roce0", found.getFirst().interfaceName());
  }

  @Test
  void truncatedPacketsAreNeitherOkNorBad() throws IOException {
    Path file = directory.resolve("cut.pcap");
    Bytes packet = Frames.golden("RC_SEND_FIRST/v6");
    try (CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, 96)) {
      write(writer, 0, packet, packet.length());
      write(writer, 0, Frames.golden("RC_ACKNOWLEDGE/v6"), 68);
    }
    List<String> lines = new ArrayList<>();
    CaptureInspector.Totals totals =
        CaptureInspector.inspect(file, found -> lines.add(found.toString()));
    assertEquals(new CaptureInspector.Totals(2, 1, 0, 0, 1, 0, "", "", totals.startNs()), totals);
    assertTrue(lines.get(0).endsWith("ICRC not captured (224 bytes missing)"), lines.get(0));
    assertTrue(
        lines.get(0).startsWith("     1 0.000000000 fd00::1:2 > fd00::1:3 RC"), lines.get(0));
    assertEquals(
        "0 other frames skipped, 1 truncated packets without ICRC to check", totals.remarks());
    assertEquals("2 packets, 1 icrc ok, 0 icrc bad, 0 malformed", totals.summary());
    assertFalse(totals.allRight());
  }

  @Test
  void framesOfALinkTypeThatIsNotReadAreNamedAndNotRight() {
    Bytes packet = RocePacketTest.send(Bytes.of((byte) 1)).emit();
    List<CapturedFrame> frames =
        IntStream.of(105, 147, 999, 105, LinkType.RAW)
            .mapToObj(type -> new CapturedFrame(0, type, packet.length(), packet, ""))
            .toList();
    CaptureInspector.Totals totals = CaptureInspector.inspect(frames, found -> {});
    assertEquals(
        "4 other frames skipped, 0 truncated packets without ICRC to check; 2 frames of link type"
            + " 105 (IEEE 802.11), 1 frame of link type 147 (user 0), 1 frame of link type 999"
            + " are not read, only Ethernet, raw IP, loopback and Linux cooked captures",
        totals.remarks());
    assertEquals(1, totals.icrcOk());
    assertFalse(totals.allRight());
  }

  private static void write(CaptureWriter writer, long timeNs, Bytes bytes, int length)
      throws IOException {
    assertEquals(length, bytes.length());
    writer.write(timeNs, bytes.buffer(), 0, length);
  }
}
