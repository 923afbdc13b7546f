package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.wire.view.BothEnds.answer;
import static org.roce4j.wire.view.BothEnds.send;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.RocePacket;

/**
 * What the page's script and the readers of a log are given for a recording: all of it, as it is in
 * {@code golden/view}. Where a change is meant, the new text is in {@code target/view}.
 */
class SavedViewTest {
  /** Texts and layouts, which do not depend on the recording and have tests of their own. */
  private static final Set<String> CONSTANT = Set.of("headers", "messages", "rules", "bytes");

  @TempDir private Path directory;

  /** Linux's soft-RoCE: a connection, a READ that is refused, and a message of several packets. */
  @ParameterizedTest
  @ValueSource(strings = {"case_read_bad_rkey", "rc_send_multi", "cm_ucmatose"})
  void aRecordingOfSoftRoceIsShownWhole(String name) throws IOException, URISyntaxException {
    Path file = Path.of(SavedViewTest.class.getResource("/pcaps/" + name + ".pcap").toURI());
    assertShown(name, View.read(List.of(file), List.of("from Linux")));
  }

  /** Losses, repetitions, an RNR NAK, a READ, and packets that only one end has seen. */
  @Test
  void twoRecordingsOfALossyConnectionAreShownWhole() throws IOException {
    try (BothEnds ends = new BothEnds(directory).serverAhead(5_000_000)) {
      ends.passes(0, 100, send(5));
      ends.lost(10, send(6));
      ends.passes(20, 120, send(7));
      ends.passes(200, 300, answer(6, Aeth.NAK_SEQUENCE));
      ends.passes(400, 500, send(6));
      ends.passes(410, 510, send(7));
      ends.passes(600, 700, answer(7, Aeth.ACK));
      ends.passes(800, 900, send(8));
      ends.passes(1_000, 1_100, answer(8, 0x21));
      ends.passes(20_000, 20_100, send(8));
      ends.appears(20_150, send(8));
      ends.passes(20_200, 20_300, answer(8, Aeth.ACK));
      BaseHeader read = BaseHeader.of(Opcode.RC_RDMA_READ_REQUEST, BothEnds.SERVER_QP, true, 9);
      ends.passes(
          21_000,
          21_100,
          BothEnds.packet(true, read, List.of(new Extension.Rdma(0x1000, 0x77, 2)), 0));
      BaseHeader answer =
          BaseHeader.of(Opcode.RC_RDMA_READ_RESPONSE_ONLY, BothEnds.CLIENT_QP, false, 9);
      ends.passes(
          21_200,
          21_300,
          BothEnds.packet(false, answer, List.of(new Extension.Acknowledge(Aeth.ACK, 9)), 2));
      ends.passes(22_000, 22_100, answer(9, Aeth.NAK_REMOTE_ACCESS));
      assertShown("both-ends", ends.viewed());
    }
  }

  private static SeenPacket seen(long ns, RocePacket packet, String comment) {
    return new SeenPacket(ns, ns + 100, PacketFate.DELIVERED, packet.emit(), comment);
  }

  private static RocePacket asks(Opcode opcode, int psn, int payload, Extension... extensions) {
    BaseHeader bth = BaseHeader.of(opcode, BothEnds.SERVER_QP, true, psn & 0xFFFFFF);
    return BothEnds.packet(true, bth, List.of(extensions), payload);
  }

  private static RocePacket answers(Opcode opcode, int psn, int payload, Extension... extensions) {
    BaseHeader bth = BaseHeader.of(opcode, BothEnds.CLIENT_QP, false, psn & 0xFFFFFF);
    return BothEnds.packet(false, bth, List.of(extensions), payload);
  }

  /** PSNs wrap within a WRITE; a READ takes two; one is left out; a packet is cut; events. */
  @Test
  void packetsOfAVirtualNetworkAreShownWhole() throws IOException {
    int psn = 0xFFFFFE;
    Extension.Acknowledge ack = new Extension.Acknowledge(Aeth.ACK, 1);
    Extension.Rdma reth = new Extension.Rdma(0x1000, 0x77, 600);
    Bytes whole = send(psn + 9 & 0xFFFFFF).emit();
    List<SeenPacket> packets =
        List.of(
            seen(1_000, asks(Opcode.RC_RDMA_WRITE_FIRST, psn, 256, reth), ""),
            seen(1_010, asks(Opcode.RC_RDMA_WRITE_MIDDLE, psn + 1, 256), "marked CE"),
            seen(1_020, asks(Opcode.RC_RDMA_WRITE_LAST, psn + 2, 88), ""),
            seen(1_200, answers(Opcode.RC_ACKNOWLEDGE, psn + 2, 0, ack), ""),
            seen(1_400, asks(Opcode.RC_RDMA_READ_REQUEST, psn + 3, 0, reth), ""),
            seen(1_410, asks(Opcode.RC_SEND_ONLY, psn + 5, 9), ""),
            seen(1_600, answers(Opcode.RC_RDMA_READ_RESPONSE_FIRST, psn + 3, 256, ack), ""),
            seen(1_610, answers(Opcode.RC_RDMA_READ_RESPONSE_LAST, psn + 4, 256, ack), ""),
            seen(1_620, answers(Opcode.RC_ACKNOWLEDGE, psn + 5, 0, ack), ""),
            seen(1_800, asks(Opcode.RC_SEND_ONLY, psn + 8, 9), ""),
            new SeenPacket(
                1_900,
                SeenPacket.NEVER,
                PacketFate.LOST,
                Bytes.copy(whole.buffer(), 0, 36),
                "cut"));
    List<EndEvent> events =
        List.of(
            event(900, 0, "10.0.0.1", BothEnds.CLIENT_QP, EndEvent.Kind.POSTED),
            event(1_300, 4, "10.0.0.1", BothEnds.CLIENT_QP, EndEvent.Kind.COMPLETED),
            event(1_350, 4, "10.0.0.2", BothEnds.SERVER_QP, EndEvent.Kind.STATE),
            event(1_360, 4, "10.0.0.2", 0x99, EndEvent.Kind.FAILED),
            event(1_370, 4, "10.0.0.3", BothEnds.CLIENT_QP, EndEvent.Kind.STATE));
    assertShown("virtual", View.of("fabric", packets, events, List.of("a note")));
  }

  private static EndEvent event(long ns, int after, String address, int qp, EndEvent.Kind kind) {
    return new EndEvent(ns, after, address, qp, kind, "event", "an event at " + ns);
  }

  private void assertShown(String name, View view) throws IOException {
    StringBuilder shown = new StringBuilder();
    JsonNode page = new ObjectMapper().readTree(PageData.json(view));
    page.properties()
        .forEach(
            each ->
                shown
                    .append(each.getKey())
                    .append(' ')
                    .append(
                        CONSTANT.contains(each.getKey()) ? size(each.getValue()) : each.getValue())
                    .append('\n'));
    Path log = directory.resolve("events.json");
    view.writeLog(log);
    shown.append(Files.readString(log));
    Path written = Files.createDirectories(Path.of("target", "view")).resolve(name + ".txt");
    Files.writeString(written, shown);
    assertEquals(golden(name), shown.toString());
  }

  private static String size(JsonNode value) {
    return "of " + (value.isTextual() ? value.asText().length() : value.size());
  }

  private static String golden(String name) throws IOException {
    try (InputStream in =
        SavedViewTest.class.getResourceAsStream("/golden/view/" + name + ".txt")) {
      return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
