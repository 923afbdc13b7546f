package org.roce4j.wire.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.mad.Mad;

/** A packet's line says what is known of it and nothing else. */
class InspectedPacketTest {
  private static final String WHAT =
      "10.0.0.1 > 10.0.0.2 RC SEND Only QP 0x000012 PSN %s payload 0 ICRC ok";

  private static final FlowPosition UNPLACED = FlowPosition.of(Mark.NONE);

  private static InspectedPacket packet(
      long timeNs, FlowPosition position, String comment, String interfaceName) {
    return new InspectedPacket("7", timeNs, send(18), position, comment, interfaceName);
  }

  private static Dissection send(int queuePair) {
    return new Dissection.Roce(
        RocePacket.of(
            Ipv4Header.of(0x0A000001, 0x0A000002, 0),
            0xC000,
            BaseHeader.of(Opcode.RC_SEND_ONLY, queuePair, false, 5),
            List.of(),
            Bytes.NONE));
  }

  @Test
  void nothingIsAddedToAPlainPacket() {
    InspectedPacket plain = packet(1_000_000_002, UNPLACED, "", "");
    String line = "     7 1.000000002 " + WHAT.formatted("5");
    assertEquals(line, plain.toString());
    assertEquals(line, plain.text(InspectedPacket.PsnText.RELATIVE));
  }

  @Test
  void deviceMarkAndCommentStandInTheLine() {
    FlowPosition position = new FlowPosition(Mark.GAP, 3, 4, 0, FlowPosition.NO_QP);
    InspectedPacket packet = packet(0, position, "lost\nand more", "roce0");
    String line = "     7 0.000000000 roce0 " + WHAT + " [gap of 3] -- lost; and more";
    assertEquals(line.formatted("5"), packet.text(InspectedPacket.PsnText.ABSOLUTE));
    assertEquals(line.formatted("+4"), packet.text(InspectedPacket.PsnText.RELATIVE));
  }

  @Test
  void aCommentNeedsNoDeviceAndADeviceNoComment() {
    String line = " 0.000000000 " + WHAT.formatted("5");
    assertEquals("     7" + line + " -- lost", packet(0, UNPLACED, "lost", "").toString());
    assertEquals(
        "     7 0.000000000 roce0 " + WHAT.formatted("5"),
        packet(0, UNPLACED, "", "roce0").toString());
  }

  /** Frames of several interfaces are not always in the order of time. */
  @ParameterizedTest
  @CsvSource({"-500, -0.000000500", "-1500000000, -1.500000000", "1500000000, 1.500000000"})
  void aPacketBeforeTheFirstHasANegativeTime(long timeNs, String text) {
    assertEquals(text, packet(timeNs, UNPLACED, "", "").time());
  }

  @ParameterizedTest
  @CsvSource({
    "NONE, ''",
    "RETRANSMISSION, [retransmission]",
    "LATE, [late]",
    "DUPLICATE, [duplicate]",
    "NAK, [nak]",
    "RNR, [rnr]",
    "CNP, [cnp]"
  })
  void everyMarkHasItsWord(Mark mark, String text) {
    assertEquals(text, FlowPosition.of(mark).toString());
  }

  @ParameterizedTest
  @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void everyMarkStandsInTheLine(Mark mark) {
    FlowPosition position = FlowPosition.of(mark);
    String line = packet(0, position, "", "").toString();
    assertEquals("     7 0.000000000 " + WHAT.formatted("5") + " " + position, line);
  }

  @Test
  void whatIsNoRoceHasNoEndsThatAreKnown() {
    Dissection other = new Dissection.NotRoce("ARP");
    assertEquals("", new InspectedPacket("1", 0, other, UNPLACED, "", "").endpoints());
  }

  /** Programs may send the bytes of a message to each other, over queue pairs of their own. */
  @Test
  void onlyADatagramToQueuePairOneIsAMessage() throws IOException, URISyntaxException {
    InspectedPacket message = message();
    assertTrue(message.toString().endsWith(" " + message.mad().message()), message::toString);
    RocePacket real = ((Dissection.Roce) message.dissection()).packet();
    assertNull(with(real, BaseHeader.of(Opcode.UD_SEND_ONLY, 2, false, 5), true).mad());
    assertNull(with(real, BaseHeader.of(Opcode.RC_SEND_ONLY, 1, false, 5), false).mad());
    BaseHeader connected = BaseHeader.of(Opcode.UC_SEND_ONLY, Mad.QPN, false, 5);
    assertNull(with(real, connected, false).mad());
    assertNotNull(with(real, BaseHeader.of(Opcode.UD_SEND_ONLY, 1, false, 5), true).mad());
  }

  private static InspectedPacket message() throws IOException, URISyntaxException {
    Path file = Path.of(InspectedPacketTest.class.getResource("/pcaps/cm_ucmatose.pcap").toURI());
    List<InspectedPacket> packets = new ArrayList<>();
    CaptureInspector.inspect(file, packets::add);
    return packets.stream().filter(packet -> packet.mad() != null).findFirst().orElseThrow();
  }

  private static InspectedPacket with(RocePacket real, BaseHeader bth, boolean datagram) {
    RocePacket packet =
        RocePacket.of(
            real.ip(), 0xC000, bth, datagram ? real.extensions() : List.of(), real.payload());
    return new InspectedPacket("1", 0, new Dissection.Roce(packet), UNPLACED, "", "");
  }

  @Test
  void aFileThatIsDamagedOrNotReadIsNotRight() {
    assertTrue(new CaptureInspector.Totals(1, 1, 0, 0, 0, 0, "", "", 0).allRight());
    assertFalse(new CaptureInspector.Totals(1, 1, 0, 0, 0, 0, "", "cut", 0).allRight());
    assertFalse(new CaptureInspector.Totals(1, 1, 0, 0, 0, 0, "a frame", "", 0).allRight());
    assertFalse(new CaptureInspector.Totals(2, 1, 1, 0, 0, 0, "", "", 0).allRight());
  }
}
