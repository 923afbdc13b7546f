package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.wire.view.BothEnds.answer;
import static org.roce4j.wire.view.BothEnds.send;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.Mark;

class ViewTest {
  @TempDir private Path directory;
  private BothEnds ends;

  @BeforeEach
  void open() throws IOException {
    ends = new BothEnds(directory);
  }

  @Test
  void whoSawTheWholeNetworkTellsTheFatesAndTimes() {
    View view =
        View.of(
            "a lab",
            List.of(
                new SeenPacket(10, 110, PacketFate.DELIVERED, send(5).emit(), ""),
                new SeenPacket(20, SeenPacket.NEVER, PacketFate.LOST, send(6).emit(), "lost"),
                new SeenPacket(30, 130, PacketFate.APPEARED, send(5).emit(), "a copy"),
                new SeenPacket(40, SeenPacket.NEVER, PacketFate.UNDER_WAY, send(7).emit(), "")),
            List.of(),
            List.of());
    assertEquals(List.of("5 delivered", "6 lost", "5 appeared rtx", "7 flying"), told(view));
    assertEquals(100, flight(view, 0));
    assertEquals(List.of("a lab: 4 packets, 4 icrc ok, 0 icrc bad, 0 malformed"), view.summaries());
  }

  @Test
  void anEndThatNoPacketTellsIsNamedByItsEvents() {
    List<SeenPacket> unanswered =
        List.of(new SeenPacket(10, SeenPacket.NEVER, PacketFate.LOST, send(5).emit(), "lost"));
    EndEvent posted =
        new EndEvent(5, 0, "10.0.0.1", 0x11, EndEvent.Kind.POSTED, "SEND", "a SEND is posted");
    EndEvent other =
        new EndEvent(6, 0, "10.0.0.1", 0x12, EndEvent.Kind.POSTED, "SEND", "a SEND is posted");
    assertEquals("10.0.0.1 QP ?", end(unanswered, List.of()));
    assertEquals("10.0.0.1 QP 0x000011", end(unanswered, List.of(posted)));
    assertEquals("10.0.0.1 QP ?", end(unanswered, List.of(posted, other)));
  }

  @Test
  void twoFilesWithoutACommonPacketSaySo() throws Exception {
    List<Path> files = new ArrayList<>();
    for (String name : List.of("rc_send.pcap", "rc_send_multi.pcap")) {
      files.add(Path.of(ViewTest.class.getResource("/pcaps/" + name).toURI()));
    }
    List<String> notes = View.read(files, List.of()).notes();
    assertTrue(
        notes.getLast().startsWith("No packet is in both rc_send.pcap and rc_send_multi.pcap"),
        notes::toString);
  }

  private static String end(List<SeenPacket> packets, List<EndEvent> events) {
    View view = View.of("a lab", packets, events, List.of());
    return view.connections().getFirst().left().toString();
  }

  @Nested
  class BothEndsWereCaptured {
    @Test
    void aPacketThatOnlyItsSenderSawIsLost() throws IOException {
      ends.passes(0, 100, send(5));
      ends.lost(10, send(6));
      ends.passes(20, 120, send(7));
      ends.passes(200, 300, answer(6, Aeth.NAK_SEQUENCE));
      ends.passes(400, 500, send(6));
      assertEquals(
          List.of("5 delivered", "6 lost", "7 delivered", "6 delivered nak", "6 delivered rtx"),
          told(ends.viewed()));
    }

    @Test
    void ofALostPacketAndItsRetransmissionTheLostOneStaysAlone() throws IOException {
      ends.passes(0, 100, send(5));
      ends.lost(10, send(6));
      ends.passes(1000, 1100, send(6));
      ends.passes(1200, 1300, answer(6, Aeth.ACK));
      assertEquals(
          List.of("5 delivered", "6 lost", "6 delivered rtx", "6 delivered"), told(ends.viewed()));
    }

    @Test
    void whatOnlyTheDestinationSawIsACopyOfTheNetwork() throws IOException {
      ends.passes(0, 100, send(5));
      ends.appears(150, send(5));
      ends.passes(200, 300, answer(5, Aeth.ACK));
      assertEquals(List.of("5 delivered", "5 appeared rtx", "5 delivered"), told(ends.viewed()));
    }

    @Test
    void theOrderOfTheFilesDoesNotMatter() throws IOException {
      ends.passes(0, 100, send(5));
      ends.lost(10, send(6));
      ends.passes(20, 120, send(7));
      ends.passes(200, 300, answer(6, Aeth.NAK_SEQUENCE));
      View view = ends.viewedFromServer();
      assertEquals(List.of("5 delivered", "6 lost", "7 delivered", "6 delivered nak"), told(view));
      assertEquals(100, flight(view, 0));
    }

    @Test
    void aClockThatIsAheadIsPutRightWhenPacketsWouldArriveTooEarly() throws IOException {
      for (long ahead : new long[] {-1_000_000, 1_000_000}) {
        ends = new BothEnds(directory).serverAhead(ahead);
        ends.passes(0, 100, send(5));
        ends.passes(200, 300, answer(5, Aeth.ACK));
        ends.passes(400, 500, send(6));
        View view = ends.viewed();
        assertEquals(100, flight(view, 0));
        assertEquals(100, flight(view, 1));
        assertEquals(
            List.of(
                "The clock of server.pcapng is taken to be 1000.000 us "
                    + (ahead > 0 ? "ahead" : "behind")
                    + ": packets would arrive before they are sent"),
            view.notes());
      }
    }

    @Test
    void whatALaterCaptureDoesNotCoverIsNotLost() throws IOException {
      ends.lost(0, send(4));
      ends.passes(1000, 1100, send(5));
      ends.passes(1200, 1300, answer(5, Aeth.ACK));
      assertEquals("4 seen", told(ends.viewed()).getFirst());
    }

    /** The other capture heard of what was sent from 1000 on, and ended at 1200. */
    @ParameterizedTest
    @CsvSource({"999, seen", "1000, lost", "1200, lost", "1201, seen"})
    void itIsLostWhenTheOtherCaptureRan(long sentNs, String fate) throws IOException {
      ends.passes(1000, 1100, send(5));
      ends.passes(1200, 1300, answer(5, Aeth.ACK));
      ends.lost(sentNs, send(6));
      assertTrue(told(ends.viewed()).contains("6 " + fate));
    }

    /** The capture of its source ran from 1000 to 1300. */
    @ParameterizedTest
    @CsvSource({"999, seen", "1000, appeared", "1300, appeared", "1301, seen"})
    void itAppearedWhenTheCaptureOfItsSourceRan(long arrivedNs, String fate) throws IOException {
      ends.passes(1000, 1100, send(5));
      ends.passes(1200, 1300, answer(5, Aeth.ACK));
      ends.appears(arrivedNs, send(6));
      assertTrue(told(ends.viewed()).contains("6 " + fate));
    }
  }

  @Nested
  class Ends {
    @Test
    void responsesNameTheQueuePairThatRequestsDoNot() throws IOException {
      ends.passes(0, 100, send(5));
      ends.passes(200, 300, answer(5, Aeth.ACK));
      assertEquals(
          "RC 10.0.0.1 QP 0x000011 - 10.0.0.2 QP 0x000022",
          ends.ofClient().connections().getFirst().toString());
    }

    @Test
    void withoutResponsesOneEndIsUnknown() throws IOException {
      ends.passes(0, 100, send(5));
      assertEquals(
          "RC 10.0.0.1 QP ? - 10.0.0.2 QP 0x000022",
          ends.ofClient().connections().getFirst().toString());
    }

    @Test
    void aDatagramNamesBoth() throws IOException {
      BaseHeader bth = BaseHeader.of(Opcode.UD_SEND_ONLY, BothEnds.SERVER_QP, false, 9);
      ends.passes(
          0,
          100,
          BothEnds.packet(true, bth, List.of(new Extension.Datagram(1, 0, BothEnds.CLIENT_QP)), 8));
      assertEquals(
          "UD 10.0.0.1 QP 0x000011 - 10.0.0.2 QP 0x000022",
          ends.ofClient().connections().getFirst().toString());
    }

    @Test
    void aNotificationBelongsToTheConnectionThatItSlows() throws IOException {
      ends.passes(0, 100, send(5));
      ends.passes(200, 300, answer(5, Aeth.ACK));
      BaseHeader bth = BaseHeader.of(Opcode.CNP, BothEnds.CLIENT_QP, false, 0);
      ends.passes(
          400, 500, BothEnds.packet(false, bth, List.of(new Extension.CnpReserved(0, 0)), 0));
      assertEquals(1, ends.ofClient().connections().size());
    }
  }

  @Nested
  class States {
    @Test
    void requestsTellRtsAndAnswersThatItIsAtLeastRtr() throws IOException {
      ends.passes(0, 100, send(5));
      ends.passes(200, 300, answer(5, Aeth.ACK));
      assertEquals(List.of("left 1 RTS", "right 2 RTR"), states(ends.viewed()));
    }

    @Test
    void aFatalNakEndsBoth() throws IOException {
      ends.passes(0, 100, send(5));
      ends.passes(200, 300, answer(5, Aeth.NAK_REMOTE_ACCESS));
      assertEquals(
          List.of("left 1 RTS", "right 2 RTR", "right 2 ERR", "left 2 ERR"), states(ends.viewed()));
    }

    @Test
    void aFatalNakThatIsLostEndsTheResponderAlone() throws IOException {
      ends.passes(0, 100, send(5));
      ends.lost(200, answer(5, Aeth.NAK_REMOTE_ACCESS));
      ends.passes(400, 500, send(5));
      assertEquals(
          List.of("left 1 RTS", "right 2 RTR", "right 2 ERR", "left 3 RETRY"),
          states(ends.viewed()));
    }

    @Test
    void anRnrNakIsAPauseUntilTheRequestComesAgain() throws IOException {
      ends.passes(0, 100, send(5));
      ends.passes(200, 300, answer(5, Aeth.rnrNak(1)));
      ends.passes(400, 500, send(5));
      ends.passes(600, 700, answer(5, Aeth.ACK));
      assertEquals(
          List.of("left 1 RTS", "right 2 RTR", "left 2 RNR_WAIT", "left 3 RETRY", "left 4 RTS"),
          states(ends.viewed()));
    }

    /** An ACK may acknowledge packets from before the pause, or from before the error. */
    @Test
    void anAckEndsNoPauseAndNoError() throws IOException {
      ends.passes(0, 100, send(5));
      ends.passes(10, 110, send(6));
      ends.passes(200, 300, answer(6, Aeth.rnrNak(1)));
      ends.passes(220, 320, answer(5, Aeth.ACK));
      ends.passes(400, 500, answer(6, Aeth.NAK_REMOTE_ACCESS));
      ends.passes(600, 700, answer(6, Aeth.ACK));
      assertEquals(
          List.of("left 1 RTS", "right 3 RTR", "left 3 RNR_WAIT", "right 5 ERR", "left 5 ERR"),
          states(ends.viewed()));
    }
  }

  @Test
  void theWindowIsWhatWasSentAndNotAcknowledged() throws IOException {
    ends.passes(0, 100, send(0xFF_FFFF));
    ends.passes(10, 110, send(0));
    ends.passes(20, 120, send(1));
    ends.passes(200, 300, answer(0, Aeth.ACK));
    ends.passes(400, 500, answer(1, Aeth.NAK_SEQUENCE));
    View view = ends.viewed();
    PsnProgress progress = PsnProgress.of(view.connections(), view.packets());
    assertEquals(
        List.of("0..1", "0..2", "0..3", "2..3", "2..3"),
        IntStream.range(0, 5).mapToObj(i -> progress.oldest(i) + ".." + progress.next(i)).toList());
    assertEquals(1, view.packets().get(2).position().psnEpoch());
  }

  /** A NAK names what was not taken: neither is it acknowledged, nor was it surely sent. */
  @Test
  void anAnswerMayBeOfTheRequestAfterTheNewest() throws IOException {
    ends.passes(0, 100, send(5));
    ends.passes(200, 300, answer(6, Aeth.NAK_SEQUENCE));
    ends.passes(400, 500, answer(6, Aeth.rnrNak(1)));
    ends.lost(600, answer(6, Aeth.ACK));
    ends.passes(800, 900, answer(6, Aeth.ACK));
    View view = ends.viewed();
    PsnProgress progress = PsnProgress.of(view.connections(), view.packets());
    assertEquals(
        List.of("0..1", "1..1", "1..1", "1..2", "2..2"),
        IntStream.range(0, 5).mapToObj(i -> progress.oldest(i) + ".." + progress.next(i)).toList());
  }

  @Test
  void aReadTakesThePsnsOfItsResponses() throws IOException {
    ends.passes(0, 100, read(5, 4096));
    ends.passes(10, 110, send(9));
    ends.passes(20, 120, read(10, 2048));
    ends.passes(200, 300, readResponse(10));
    ends.passes(210, 310, readResponse(11));
    View view = ends.viewed();
    PsnProgress progress = PsnProgress.of(view.connections(), view.packets());
    assertEquals(
        List.of(4L, 5L, 7L, 7L, 7L), IntStream.range(0, 5).mapToObj(progress::next).toList());
  }

  private static RocePacket read(int psn, int bytes) {
    BaseHeader bth = BaseHeader.of(Opcode.RC_RDMA_READ_REQUEST, BothEnds.SERVER_QP, true, psn);
    return BothEnds.packet(true, bth, List.of(new Extension.Rdma(0, 1, bytes)), 0);
  }

  private static RocePacket readResponse(int psn) {
    BaseHeader bth =
        BaseHeader.of(Opcode.RC_RDMA_READ_RESPONSE_MIDDLE, BothEnds.CLIENT_QP, false, psn);
    return BothEnds.packet(false, bth, List.of(), 1024);
  }

  @Test
  void aMiddleWithoutFirstIsOutOfPlace() throws IOException {
    Opcode[] sent = {
      Opcode.RC_SEND_FIRST,
      Opcode.RC_SEND_LAST,
      Opcode.RC_SEND_MIDDLE,
      Opcode.RC_SEND_FIRST,
      Opcode.RC_RDMA_WRITE_LAST,
      Opcode.RC_SEND_ONLY
    };
    for (int i = 0; i < sent.length; i++) {
      BaseHeader bth = BaseHeader.of(sent[i], BothEnds.SERVER_QP, false, i);
      ends.passes(i, 100 + i, BothEnds.packet(true, bth, List.of(), 1024));
    }
    View view = ends.ofClient();
    MessageOrder order = MessageOrder.of(view.connections(), view.packets());
    assertEquals(
        List.of("?", "true", "false", "false", "false", "true"),
        IntStream.range(0, sent.length)
            .mapToObj(i -> order.follows(i).map(String::valueOf).orElse("?"))
            .toList());
  }

  /** After a packet whose headers may be wrong nobody knows where in a message the sender is. */
  @Test
  void whatFollowsADamagedPacketIsNotJudged() throws IOException {
    Opcode[] sent = {
      Opcode.RC_SEND_FIRST, Opcode.RC_SEND_ONLY, Opcode.RC_SEND_MIDDLE, Opcode.RC_SEND_LAST
    };
    for (int i = 0; i < sent.length; i++) {
      BaseHeader bth = BaseHeader.of(sent[i], BothEnds.SERVER_QP, false, i);
      RocePacket packet = BothEnds.packet(true, bth, List.of(), 1024);
      ends.passes(i, 100 + i, i == 1 ? damaged(packet) : packet);
    }
    View view = ends.ofClient();
    assertEquals("bad", view.packets().get(1).frame().icrc());
    MessageOrder order = MessageOrder.of(view.connections(), view.packets());
    assertEquals(
        List.of("?", "?", "?", "?"),
        IntStream.range(0, sent.length)
            .mapToObj(i -> order.follows(i).map(String::valueOf).orElse("?"))
            .toList());
  }

  private static RocePacket damaged(RocePacket packet) {
    return new RocePacket(
        packet.ip(),
        packet.udp(),
        packet.bth(),
        packet.extensions(),
        packet.payload(),
        packet.pad(),
        ~packet.icrc());
  }

  @Test
  void threeFilesAreRefused() {
    Path file = directory.resolve("client.pcapng");
    assertThrows(
        IllegalArgumentException.class, () -> View.read(List.of(file, file, file), List.of()));
  }

  @Test
  void everyRuleThatAPacketBreaksComesFirst() throws IOException {
    BaseHeader bth =
        new BaseHeader(
            Opcode.RC_RDMA_READ_REQUEST,
            true,
            false,
            0,
            0xFFFF,
            false,
            false,
            0,
            BothEnds.SERVER_QP,
            true,
            3,
            5);
    ends.passes(
        0, 100, BothEnds.packet(true, bth, List.of(new Extension.Rdma(0, 1, 3_000_000_000L)), 0));
    List<RuleJudgement> judgements =
        Judge.of(ends.ofClient().packets().getFirst(), Optional.empty());
    assertEquals(
        List.of(ProtocolRule.RDMA_LENGTH, ProtocolRule.RESERVED_BITS, ProtocolRule.SOLICITED),
        judgements.stream()
            .filter(j -> j.verdict() == RuleJudgement.Verdict.BREAKS)
            .map(RuleJudgement::rule)
            .toList());
    assertTrue(judgements.size() > 3);
    assertEquals(RuleJudgement.Verdict.BREAKS, judgements.get(2).verdict());
  }

  /** The bounds of what a packet's place in its message lets it carry. */
  @ParameterizedTest
  @CsvSource({
    "RC_SEND_FIRST, 128, BREAKS, FULL_PACKET",
    "RC_SEND_FIRST, 256, KEEPS, FULL_PACKET",
    "RC_SEND_MIDDLE, 1000, BREAKS, FULL_PACKET",
    "RC_SEND_MIDDLE, 4096, KEEPS, FULL_PACKET",
    "RC_SEND_MIDDLE, 8192, BREAKS, FULL_PACKET",
    "RC_SEND_LAST, 0, BREAKS, LAST_NOT_EMPTY",
    "RC_SEND_LAST, 1, KEEPS, LAST_NOT_EMPTY",
    "RC_SEND_LAST, 4096, KEEPS, LAST_NOT_EMPTY",
    "RC_SEND_LAST, 4097, BREAKS, LAST_NOT_EMPTY",
    "RC_SEND_ONLY, 0, KEEPS, ONLY",
    "RC_SEND_ONLY, 4096, KEEPS, ONLY",
    "RC_SEND_ONLY, 4097, BREAKS, ONLY",
  })
  void aPayloadHasItsBounds(
      Opcode opcode, int payload, RuleJudgement.Verdict verdict, ProtocolRule rule)
      throws IOException {
    BaseHeader bth = BaseHeader.of(opcode, BothEnds.SERVER_QP, false, 5);
    assertEquals(verdict, judged(BothEnds.packet(true, bth, List.of(), payload), rule));
  }

  @Test
  void headersHaveTheirBounds() throws IOException {
    Opcode read = Opcode.RC_RDMA_READ_REQUEST;
    assertKept(read, ProtocolRule.RDMA_LENGTH, new Extension.Rdma(0, 1, 1L << 31), true);
    assertKept(read, ProtocolRule.RDMA_LENGTH, new Extension.Rdma(0, 1, (1L << 31) + 1), false);
    assertKept(
        Opcode.RC_FETCH_ADD, ProtocolRule.ATOMIC_ALIGNED, new Extension.Atomic(8, 1, 0, 0), true);
    assertKept(
        Opcode.RC_FETCH_ADD, ProtocolRule.ATOMIC_ALIGNED, new Extension.Atomic(4, 1, 0, 0), false);
    assertKept(Opcode.CNP, ProtocolRule.CNP, new Extension.CnpReserved(0, 0), true);
    assertKept(Opcode.CNP, ProtocolRule.CNP, new Extension.CnpReserved(1, 0), false);
    assertKept(Opcode.CNP, ProtocolRule.CNP, new Extension.CnpReserved(0, 1), false);
    Opcode ack = Opcode.RC_ACKNOWLEDGE;
    assertKept(ack, ProtocolRule.SYNDROME, new Extension.Acknowledge(0x65, 1), false);
  }

  private void assertKept(Opcode opcode, ProtocolRule rule, Extension extension, boolean kept)
      throws IOException {
    BaseHeader bth = BaseHeader.of(opcode, BothEnds.SERVER_QP, false, 5);
    RocePacket packet = BothEnds.packet(true, bth, List.of(extension), 0);
    assertEquals(
        kept ? RuleJudgement.Verdict.KEEPS : RuleJudgement.Verdict.BREAKS,
        judged(packet, rule),
        extension::toString);
  }

  private RuleJudgement.Verdict judged(RocePacket packet, ProtocolRule rule) throws IOException {
    ends = new BothEnds(directory);
    ends.passes(0, 100, packet);
    return Judge.of(ends.ofClient().packets().getFirst(), Optional.empty()).stream()
        .filter(judgement -> judgement.rule() == rule)
        .map(RuleJudgement::verdict)
        .findAny()
        .orElseThrow();
  }

  private static List<String> told(View view) {
    return view.packets().stream()
        .map(
            packet ->
                packet.frame().headers().bth().psn()
                    + " "
                    + packet.fate().word()
                    + switch (packet.position().mark()) {
                      case NONE -> "";
                      case RETRANSMISSION -> " rtx";
                      case Mark mark -> " " + mark.word();
                    })
        .toList();
  }

  private static long flight(View view, int packet) {
    return view.packets().get(packet).arrivedNs() - view.packets().get(packet).sentNs();
  }

  private static List<String> states(View view) {
    return EndStates.of(view.connections().getFirst(), view).stream()
        .map(c -> (c.left() ? "left " : "right ") + (c.packet() + 1) + " " + c.state())
        .toList();
  }
}
