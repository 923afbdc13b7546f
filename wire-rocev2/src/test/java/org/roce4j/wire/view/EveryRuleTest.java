package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.wire.view.BothEnds.answer;
import static org.roce4j.wire.view.BothEnds.send;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.PKey;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.capture.RocePacket;

/** Every rule that a view applies, and everything that it says of each of some packets. */
class EveryRuleTest {
  private static final int OPCODE_AT = 28;
  private static final String END = "keeps PAD, keeps ICRC";
  private static final String ONLY = "calls for ACK_REQUESTED, keeps ONLY, " + END;

  @TempDir private Path directory;

  /** A packet, or what came instead of one, and the judgements that it gets. */
  private record Row(PacketFate fate, Bytes packet, String judgements) {}

  private static Row row(RocePacket packet, String judgements) {
    return new Row(PacketFate.DELIVERED, packet.emit(), judgements);
  }

  private static Row lost(RocePacket packet, String judgements) {
    return new Row(PacketFate.LOST, packet.emit(), judgements);
  }

  private static RocePacket request(Opcode opcode, int psn, int payload, Extension... extensions) {
    BaseHeader bth = BaseHeader.of(opcode, BothEnds.SERVER_QP, false, psn);
    return BothEnds.packet(true, bth, List.of(extensions), payload);
  }

  private static RocePacket marked(RocePacket packet) {
    Ipv4Header ip = (Ipv4Header) packet.ip();
    return RocePacket.of(
        new Ipv4Header(0xbb, 0, 0, ip.flagsAndOffset(), ip.ttl(), 0, ip.source(), ip.destination()),
        packet.udp().sourcePort(),
        packet.bth(),
        packet.extensions(),
        packet.payload());
  }

  /** One pad byte that is not zero. */
  private static RocePacket padded(RocePacket packet) {
    RocePacket odd =
        new RocePacket(
            packet.ip(),
            packet.udp(),
            packet.bth(),
            packet.extensions(),
            packet.payload(),
            Bytes.of((byte) 1),
            0);
    return odd.withIcrc(odd.expectedIcrc());
  }

  /** A packet whose header sets every field that a sender leaves zero. */
  private static RocePacket odd(int psn) {
    BaseHeader bth =
        new BaseHeader(
            Opcode.RC_RDMA_WRITE_MIDDLE,
            true,
            false,
            0,
            PKey.DEFAULT,
            false,
            false,
            1,
            BothEnds.SERVER_QP,
            false,
            0,
            psn);
    return BothEnds.packet(true, bth, List.of(), 100);
  }

  private static List<Row> rows() {
    return Stream.of(messages(), repetitions(), answers(), others()).flatMap(List::stream).toList();
  }

  private static List<Row> messages() {
    String full = "keeps MESSAGE_ORDER, keeps NEXT_PSN, keeps FULL_PACKET, " + END;
    return List.of(
        row(send(5), "keeps NEXT_PSN, " + ONLY),
        row(request(Opcode.RC_SEND_FIRST, 6, 256), full),
        row(request(Opcode.RC_SEND_MIDDLE, 7, 256), full),
        row(
            request(Opcode.RC_SEND_LAST, 8, 1),
            "keeps MESSAGE_ORDER, keeps NEXT_PSN, keeps LAST_NOT_EMPTY, " + END),
        row(
            odd(9),
            "breaks MESSAGE_ORDER, breaks FULL_PACKET, breaks RESERVED_BITS, breaks SOLICITED,"
                + " keeps NEXT_PSN, "
                + END));
  }

  private static List<Row> repetitions() {
    return List.of(
        row(answer(5, Aeth.ACK), "calls for ACK, " + END),
        row(send(5), "keeps RETRANSMISSION, calls for DUPLICATE, " + ONLY),
        row(answer(5, Aeth.ACK), "keeps DUPLICATE, calls for ACK, " + END),
        row(send(15), "calls for GAP, " + ONLY),
        row(send(12), "calls for LATE, " + ONLY),
        lost(send(16), "calls for LOST, keeps NEXT_PSN, " + ONLY),
        lost(
            request(Opcode.UC_SEND_LAST, 17, 0),
            "breaks MESSAGE_ORDER, breaks LAST_NOT_EMPTY, calls for LOST_UNREPAIRED, calls for"
                + " UNRELIABLE_CONNECTION, keeps NEXT_PSN, "
                + END));
  }

  private static List<Row> answers() {
    return List.of(
        row(
            request(Opcode.UD_SEND_ONLY, 1, 4, new Extension.Datagram(1, 0, 0x11)),
            "calls for DATAGRAM, " + END),
        row(answer(16, Aeth.NAK_SEQUENCE), "calls for NAK_SEQUENCE, " + END),
        row(answer(16, Aeth.NAK_INVALID_REQUEST), "calls for NAK_INVALID, " + END),
        row(answer(16, Aeth.NAK_REMOTE_ACCESS), "calls for NAK_ACCESS, " + END),
        row(answer(16, Aeth.NAK_REMOTE_OPERATIONAL), "calls for NAK_OPERATIONAL, " + END),
        row(answer(16, 0x65), "breaks SYNDROME, " + END),
        row(answer(16, 0x21), "calls for RNR, " + END));
  }

  private static List<Row> others() {
    return List.of(
        row(
            request(Opcode.RC_RDMA_READ_REQUEST, 18, 0, new Extension.Rdma(0, 1, 9)),
            "keeps MESSAGE_ORDER, keeps NEXT_PSN, keeps RDMA_LENGTH, " + END),
        row(response(18), "keeps READ_RESPONSE, keeps ONLY, calls for ACK, " + END),
        row(
            request(Opcode.RC_FETCH_ADD, 19, 0, new Extension.Atomic(4, 1, 0, 0)),
            "breaks ATOMIC_ALIGNED, keeps MESSAGE_ORDER, keeps NEXT_PSN, " + END),
        row(
            marked(request(Opcode.RC_SEND_ONLY, 20, 3)),
            "keeps MESSAGE_ORDER, keeps NEXT_PSN, keeps ONLY, keeps PAD, calls for"
                + " CONGESTION_MARK, keeps ICRC"),
        row(request(Opcode.CNP, 0, 0, new Extension.CnpReserved(0, 0)), "keeps CNP, " + END),
        row(
            padded(request(Opcode.RC_SEND_ONLY, 21, 3)),
            "breaks PAD, keeps MESSAGE_ORDER, keeps NEXT_PSN, keeps ONLY, keeps ICRC"),
        new Row(
            PacketFate.DELIVERED,
            changed(send(22), -1),
            "breaks ICRC, keeps NEXT_PSN, calls for ACK_REQUESTED, keeps ONLY, keeps PAD"),
        new Row(PacketFate.DELIVERED, changed(send(22), OPCODE_AT), "breaks WELL_FORMED"),
        row(
            request(Opcode.RC_RDMA_WRITE_ONLY, 22, 4097, new Extension.Rdma(0, 1, 4097)),
            "breaks ONLY, keeps NEXT_PSN, keeps RDMA_LENGTH, " + END));
  }

  private static RocePacket response(int psn) {
    BaseHeader bth =
        BaseHeader.of(Opcode.RC_RDMA_READ_RESPONSE_ONLY, BothEnds.CLIENT_QP, false, psn);
    return BothEnds.packet(false, bth, List.of(new Extension.Acknowledge(Aeth.ACK, 1)), 9);
  }

  /** All bits of one byte are inverted; a negative place counts from the end. */
  private static Bytes changed(RocePacket packet, int place) {
    ByteBuffer bytes = packet.emit().buffer();
    int at = Math.floorMod(place, bytes.limit());
    ByteBuffer changed = ByteBuffer.allocate(bytes.limit()).put(bytes.duplicate());
    return Bytes.copy(changed.put(at, (byte) ~bytes.get(at)), 0, bytes.limit());
  }

  private static List<String> judged(View view) throws IOException {
    JsonNode page = new ObjectMapper().readTree(PageData.json(view));
    List<String> sentences =
        Arrays.stream(ProtocolRule.values()).map(ProtocolRule::sentence).toList();
    List<String> all = new ArrayList<>();
    for (JsonNode row : page.get("judged")) {
      List<String> words = new ArrayList<>();
      for (JsonNode judgement : page.get("judgements").get(row.asInt())) {
        String sentence = page.get("rules").get(judgement.get(0).asInt()).get(0).asText();
        words.add(
            judgement.get(1).asText() + " " + ProtocolRule.values()[sentences.indexOf(sentence)]);
      }
      all.add(String.join(", ", words));
    }
    return all;
  }

  @Test
  void eachPacketIsJudgedByAllRulesThatConcernIt() throws IOException {
    List<Row> rows = rows();
    List<SeenPacket> seen = new ArrayList<>();
    for (Row row : rows) {
      long sent = 1000L * seen.size();
      long arrived = row.fate() == PacketFate.LOST ? SeenPacket.NEVER : sent + 100;
      seen.add(new SeenPacket(sent, arrived, row.fate(), row.packet(), ""));
    }
    List<String> judged = judged(View.of("a lab", seen, List.of(), List.of()));
    for (int i = 0; i < rows.size(); i++) {
      assertEquals(rows.get(i).judgements(), judged.get(i), "packet " + i);
    }
  }

  @Test
  void eachRuleIsAppliedToOneOfThem() {
    String all = rows().stream().map(Row::judgements).collect(Collectors.joining(", ", "", ","));
    assertEquals(
        List.of(ProtocolRule.ICRC_NOT_CAPTURED),
        Arrays.stream(ProtocolRule.values())
            .filter(rule -> !all.contains(" " + rule + ","))
            .toList());
  }

  @Test
  void theIcrcOfAShortenedPacketIsNotJudged() throws IOException {
    Path file = directory.resolve("a.pcap");
    ByteBuffer packet = send(5).emit().buffer();
    try (CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, 50)) {
      writer.write(0, packet, 0, packet.limit());
    }
    assertEquals(
        List.of("calls for ICRC_NOT_CAPTURED"), judged(View.read(List.of(file), List.of())));
  }
}
