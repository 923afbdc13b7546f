package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.wire.view.BothEnds.answer;
import static org.roce4j.wire.view.BothEnds.send;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.RocePacket;

/** The connections of a capture, whose packets name only the queue pair that they go to. */
class ConnectionsTest {
  private BothEnds ends;

  @BeforeEach
  void open(@TempDir Path directory) throws IOException {
    ends = new BothEnds(directory);
  }

  private List<String> connections() throws IOException {
    return ends.ofClient().connections().stream().map(CapturedConnection::toString).toList();
  }

  private static RocePacket datagram(int sender) {
    BaseHeader bth = BaseHeader.of(Opcode.UD_SEND_ONLY, BothEnds.SERVER_QP, false, 9);
    return BothEnds.packet(true, bth, List.of(new Extension.Datagram(1, 0, sender)), 8);
  }

  @Test
  void datagramsOfTwoSendersToOneQueuePairAreTwoConnections() throws IOException {
    for (int sender : new int[] {0x11, 0x12, 0x11}) {
      ends.lost(0, datagram(sender));
    }
    assertEquals(
        List.of(
            "UD 10.0.0.1 QP 0x000011 - 10.0.0.2 QP 0x000022",
            "UD 10.0.0.1 QP 0x000012 - 10.0.0.2 QP 0x000022"),
        connections());
  }

  /** The first packet that is not answered comes before the first of those that are. */
  @Test
  void connectionsAreInTheOrderOfTheirFirstPackets() throws IOException {
    BaseHeader unanswered = BaseHeader.of(Opcode.UC_SEND_ONLY, 0x33, false, 1);
    ends.lost(0, BothEnds.packet(true, unanswered, List.of(), 8));
    ends.passes(100, 200, send(5));
    ends.passes(300, 400, answer(5, Aeth.ACK));
    assertEquals(
        List.of(
            "UC 10.0.0.1 QP ? - 10.0.0.2 QP 0x000033",
            "RC 10.0.0.1 QP 0x000011 - 10.0.0.2 QP 0x000022"),
        connections());
  }

  /** A notification may come before any packet that says what the connection is. */
  @Test
  void aNotificationDoesNotSayWhichServiceItSlows() throws IOException {
    BaseHeader bth = BaseHeader.of(Opcode.CNP, BothEnds.CLIENT_QP, false, 0);
    ends.passes(0, 100, BothEnds.packet(false, bth, List.of(new Extension.CnpReserved(0, 0)), 0));
    ends.passes(200, 300, send(5));
    ends.passes(400, 500, answer(5, Aeth.ACK));
    assertEquals(List.of("RC 10.0.0.2 QP 0x000022 - 10.0.0.1 QP 0x000011"), connections());
  }
}
