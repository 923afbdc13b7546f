package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;

/**
 * What packets tell of the states of both queue pairs. A packet is written as its sender, left or
 * right, what it is, and its PSN; after that its fate, where it is not delivered.
 */
class EndStatesTest {
  private static final int LEFT = 0x0A000001;
  private static final int RIGHT = 0x0A000002;
  private static final int LEFT_QP = 0x11;
  private static final int RIGHT_QP = 0x22;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // Both ends send requests: one in RTS does not fall back to RTR when it responds.
        "L send 5, R send 7, R ack 5, L ack 7 | L1 RTS, R2 RTS",
        // An answer without a syndrome is progress.
        "L send 5, L send 5, R data 5 | L1 RTS, L2 RETRY, R3 RTR, L3 RTS",
        // So is an acknowledgement: it ends the retry, once.
        "L send 5, R nak 5, R ack 5, R ack 5 | L1 RTS, R2 RTR, L2 RETRY, L3 RTS",
        "L send 5, R nak 5, L send 5, R ack 5 | L1 RTS, R2 RTR, L2 RETRY, L4 RTS",
        // What is lost or under way tells the state of its sender alone.
        "L send 5, R nak 5 lost | L1 RTS, R2 RTR",
        "L send 5, R nak 5 under_way | L1 RTS, R2 RTR",
        "L send 5, R rnr 5 lost | L1 RTS, R2 RTR",
        "L send 5, R fatal 5 lost | L1 RTS, R2 RTR, R2 ERR",
        "L send 5, R fatal 5 under_way | L1 RTS, R2 RTR, R2 ERR",
        "L send 5, R fatal 5 | L1 RTS, R2 RTR, R2 ERR, L2 ERR",
        "L send 5, L send 5, R ack 5 lost | L1 RTS, L2 RETRY, R3 RTR",
        // The same for the requests of the right end.
        "L send 1, R send 5, L nak 5, L ack 5 | L1 RTS, R2 RTS, R3 RETRY, R4 RTS",
        "L send 1, R send 5, L rnr 5 | L1 RTS, R2 RTS, R3 RNR_WAIT",
        "L send 1, R send 5, L fatal 5 | L1 RTS, R2 RTS, L3 ERR, R3 ERR",
        // A congestion notification is no answer.
        "L send 5, R cnp 0, R ack 5 | L1 RTS, R3 RTR",
        // A packet with a wrong ICRC tells nothing.
        "L send 5, R ack 5 bad, R ack 5 | L1 RTS, R3 RTR",
        // Messages of connection managers.
        "L req 0, R rep 0, L rtu 0, L send 5, R ack 5 | L1 INIT, R2 RTR, L3 RTS",
        "L req 0, L req 0, R rep 0, R rep 0, L rtu 0, L rtu 0, L send 5, R ack 5"
            + " | L1 INIT, R3 RTR, L5 RTS",
        "L req 0, R rep 0, L send 5, R ack 5, L req 0, R rep 0, L rtu 0"
            + " | L1 INIT, R2 RTR, L3 RTS",
        "L req 0, R rep 0, L send 5, R rnr 5, L rtu 0 | L1 INIT, R2 RTR, L3 RTS, L4 RNR_WAIT",
        "L req 0, R rep 0, L send 5, R send 6, R fatal 5, L rtu 0, R rep 0, L req 0"
            + " | L1 INIT, R2 RTR, L3 RTS, R4 RTS, R5 ERR, L5 ERR",
        "L req 0, R rep 0, L send 5, R ack 5, L dreq 0, R drep 0, L drep 0"
            + " | L1 INIT, R2 RTR, L3 RTS, L5 CLOSED, R6 CLOSED",
        "L req 0, R rep 0, L send 5, R ack 5, L dreq 0, R drep 0, L req 0, R rep 0, L rtu 0"
            + " | L1 INIT, R2 RTR, L3 RTS, L5 CLOSED, R6 CLOSED, L7 INIT, R8 RTR, L9 RTS",
        // RTU of an end that has answered; the end that sends data first is drawn at the left.
        "L req 0, R rep 0, R send 6, L ack 6, L rtu 0 | R1 INIT, L2 RTR, L3 RTS, R4 RTR, R5 RTS",
        // RTU without the message before it.
        "L req 0, L rtu 0, L send 5, R ack 5 | L1 INIT, L2 RTS, R4 RTR",
      })
  void packetsTellTheStatesOfBothEnds(String packets, String states) {
    List<SeenPacket> seen = new ArrayList<>();
    for (String each : packets.split(", ")) {
      String[] words = each.split(" ");
      boolean bad = words.length > 3 && words[3].equals("bad");
      PacketFate fate =
          words.length == 3 || bad
              ? PacketFate.DELIVERED
              : PacketFate.valueOf(words[3].toUpperCase(Locale.ROOT));
      RocePacket packet = packet(words[0].equals("L"), words[1], Integer.parseInt(words[2]));
      long nowNs = 10L * seen.size();
      long arrivedNs = fate == PacketFate.DELIVERED ? nowNs + 5 : SeenPacket.NEVER;
      seen.add(new SeenPacket(nowNs, arrivedNs, fate, (bad ? spoiled(packet) : packet).emit(), ""));
    }
    View view = View.of("a lab", seen, List.of(), List.of());
    CapturedConnection connection =
        view.connections().stream()
            .filter(each -> each.service().equals("RC"))
            .findFirst()
            .orElseThrow();
    assertEquals(
        states,
        EndStates.of(connection, view).stream()
            .map(c -> (c.left() ? "L" : "R") + (c.packet() + 1) + " " + c.state())
            .collect(Collectors.joining(", ")));
  }

  private static RocePacket packet(boolean fromLeft, String what, int psn) {
    return switch (what) {
      case "send" -> packet(fromLeft, Opcode.RC_SEND_ONLY, psn, List.of());
      case "data" -> packet(fromLeft, Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, psn, List.of());
      case "ack" -> answer(fromLeft, psn, Aeth.ACK);
      case "nak" -> answer(fromLeft, psn, Aeth.NAK_SEQUENCE);
      case "rnr" -> answer(fromLeft, psn, Aeth.rnrNak(1));
      case "fatal" -> answer(fromLeft, psn, Aeth.NAK_REMOTE_ACCESS);
      case "cnp" -> packet(fromLeft, Opcode.CNP, psn, List.of(new Extension.CnpReserved(0, 0)));
      case "req" -> message(fromLeft, request());
      case "rep" -> message(fromLeft, reply());
      case "rtu" -> message(fromLeft, new Rtu(LEFT_QP, RIGHT_QP, Bytes.NONE));
      case "dreq" -> message(fromLeft, new Dreq(LEFT_QP, RIGHT_QP, RIGHT_QP, Bytes.NONE));
      case "drep" -> message(fromLeft, new Drep(fromLeft ? LEFT_QP : RIGHT_QP, 1, Bytes.NONE));
      default -> throw new IllegalArgumentException(what);
    };
  }

  private static RocePacket packet(
      boolean fromLeft, Opcode opcode, int psn, List<Extension> extensions) {
    BaseHeader bth = BaseHeader.of(opcode, fromLeft ? RIGHT_QP : LEFT_QP, true, psn);
    return RocePacket.of(ip(fromLeft), 49152, bth, extensions, Bytes.zeros(4));
  }

  private static RocePacket answer(boolean fromLeft, int psn, int syndrome) {
    BaseHeader bth =
        BaseHeader.of(Opcode.RC_ACKNOWLEDGE, fromLeft ? RIGHT_QP : LEFT_QP, false, psn);
    List<Extension> extensions = List.of(new Extension.Acknowledge(syndrome, 1));
    return RocePacket.of(ip(fromLeft), 49152, bth, extensions, Bytes.NONE);
  }

  private static RocePacket message(boolean fromLeft, CmMessage message) {
    ByteBuffer bytes = ByteBuffer.allocate(Mad.SIZE);
    message.in(1).emit(bytes, 0);
    BaseHeader bth = BaseHeader.of(Opcode.UD_SEND_ONLY, Mad.QPN, false, 0);
    List<Extension> extensions = List.of(new Extension.Datagram(Mad.QKEY, 0, Mad.QPN));
    return RocePacket.of(ip(fromLeft), 49152, bth, extensions, Bytes.of(bytes.array()));
  }

  private static Ipv4Header ip(boolean fromLeft) {
    return Ipv4Header.of(fromLeft ? LEFT : RIGHT, fromLeft ? RIGHT : LEFT, 0);
  }

  private static RocePacket spoiled(RocePacket packet) {
    return new RocePacket(
        packet.ip(),
        packet.udp(),
        packet.bth(),
        packet.extensions(),
        packet.payload(),
        packet.pad(),
        ~packet.icrc());
  }

  /** The ids of the connection are the numbers of the queue pairs. */
  private static Req request() {
    return new Req(
        LEFT_QP,
        0,
        1,
        1,
        0,
        LEFT_QP,
        1,
        0,
        1,
        0,
        20,
        Req.SERVICE_RC,
        false,
        0,
        20,
        7,
        0xFFFF,
        3,
        false,
        7,
        15,
        false,
        0,
        CmPath.NONE,
        CmPath.NONE,
        false,
        Bytes.NONE);
  }

  private static Rep reply() {
    return new Rep(
        RIGHT_QP, LEFT_QP, 0, RIGHT_QP, 0, 0, 0, 1, 1, 15, 0, false, 7, false, 2, Bytes.NONE);
  }
}
