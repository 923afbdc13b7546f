package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.wire.view.BothEnds.CLIENT_QP;
import static org.roce4j.wire.view.BothEnds.SERVER_QP;
import static org.roce4j.wire.view.BothEnds.answer;
import static org.roce4j.wire.view.BothEnds.packet;
import static org.roce4j.wire.view.BothEnds.send;

import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.RocePacket;

/** Requests and completions beside packets: where they stand, and what is said of the clocks. */
class RecordingTest {
  private static final View PACKETS =
      View.of(
          "a lab",
          List.of(
              new SeenPacket(1_000, 2_000, PacketFate.DELIVERED, send(5).emit(), ""),
              new SeenPacket(5_000, 6_000, PacketFate.DELIVERED, answer(5, Aeth.ack(0)).emit(), ""),
              new SeenPacket(8_000, 9_000, PacketFate.DELIVERED, send(6).emit(), "")),
          List.of(),
          List.of());

  private static final ConnectionEnd SENDER = PACKETS.connections().getFirst().left();
  private static final ConnectionEnd PEER = PACKETS.connections().getFirst().right();

  private final List<Recording.Entry> requests = new ArrayList<>();

  private void posted(long atNs, ConnectionEnd end, long wrId, String operation) {
    requests.add(new Recording.Request(atNs, end.queuePair(), wrId, operation, "", 64));
  }

  private void polled(long atNs, ConnectionEnd end, long wrId, String operation, String status) {
    requests.add(new Recording.Request(atNs, end.queuePair(), wrId, operation, status, 0));
  }

  private View shown(Integer... whole) {
    return PACKETS.with(new Recording("p.jfr", requests, Set.of(whole)));
  }

  private static String told(View view) {
    return view.events().stream()
        .map(e -> e.atNs() + " " + e.packetsBefore() + " " + e.kind() + " " + e.text())
        .collect(Collectors.joining("; "));
  }

  @Test
  void eachStandsWhereItsTimeIs() {
    posted(900, SENDER, 1, "SEND");
    polled(6_100, SENDER, 1, "SEND", "SUCCESS");
    polled(9_500, SENDER, 2, "", "RETRY_EXC_ERR");
    View view = shown(SENDER.queuePair());
    assertEquals(
        "900 0 POSTED SEND wr 1; 6100 2 COMPLETED SEND wr 1; 9500 3 FAILED RETRY_EXC_ERR wr 2",
        told(view));
    assertEquals(SENDER.address(), view.events().getFirst().address());
    assertEquals("posted SEND, 64 bytes, wr_id 1", view.events().getFirst().whole());
    assertEquals(
        "p.jfr: 3 requests and completions, placed by the recording's clock; the packets allow all"
            + " of them to be up to 0.1 us later or 1.1 us earlier",
        view.notes().getFirst());
  }

  /** Packets do not name requests, so that only the first of each can be compared. */
  @Test
  void theFirstRequestAndTheFirstCompletionBoundTheClock() {
    posted(900, SENDER, 1, "SEND");
    posted(7_000, SENDER, 2, "SEND");
    polled(6_100, SENDER, 1, "SEND", "SUCCESS");
    polled(9_500, SENDER, 2, "SEND", "SUCCESS");
    String note = shown(SENDER.queuePair()).notes().getFirst();
    assertTrue(note.endsWith("up to 0.1 us later or 1.1 us earlier"), note);
  }

  /** It causes no packet. */
  @Test
  void aPostedReceiveDoesNotBoundTheClock() {
    posted(400, SENDER, 9, "RECV");
    posted(900, SENDER, 1, "SEND");
    String note = shown(SENDER.queuePair()).notes().getFirst();
    assertTrue(note.contains("0.1 us later"), note);
  }

  @Test
  void aClockThatIsAheadIsMovedBackAsLittleAsThePacketsAsk() {
    posted(1_400, SENDER, 1, "SEND");
    polled(9_000, SENDER, 1, "SEND", "SUCCESS");
    View view = shown(SENDER.queuePair());
    assertEquals("1000 0 POSTED SEND wr 1; 8600 3 COMPLETED SEND wr 1", told(view));
    assertTrue(
        view.notes().getFirst().contains("moved by -0.4 us so that"), view.notes()::toString);
  }

  @Test
  void whatContradictsThePacketsIsNotMoved() {
    posted(1_400, SENDER, 1, "SEND");
    polled(2_000, SENDER, 1, "SEND", "SUCCESS");
    View view = shown(SENDER.queuePair());
    assertEquals("1400 1 POSTED SEND wr 1; 2000 1 COMPLETED SEND wr 1", told(view));
    assertTrue(
        view.notes().getFirst().contains("contradict each other by"), view.notes()::toString);
  }

  @Test
  void anAnswerTellsNothingOfTheRequestsOfItsSender() {
    posted(7_000, PEER, 1, "SEND");
    assertEquals("7000 2 POSTED SEND wr 1", told(shown(PEER.queuePair())));
  }

  @Test
  void ofAQueuePairWhoseMakingWasNotRecordedNothingIsConcluded() {
    posted(1_400, SENDER, 1, "SEND");
    assertTrue(
        shown().notes().getFirst().endsWith("; no packet tells how far that clock is from theirs"));
  }

  @Test
  void whatFollowsEachOtherWithoutAPacketBetweenIsOne() {
    for (int i = 0; i < 500; i++) {
      posted(100 + i, PEER, i, "RECV");
    }
    posted(3_000, PEER, 500, "RECV");
    posted(3_001, PEER, 501, "RECV");
    View view = shown();
    assertEquals("100 0 POSTED 500x RECV; 3000 1 POSTED 2x RECV", told(view));
    assertEquals(
        "posted 500 times RECV, 64 bytes the first, wr_id 0 to 499",
        view.events().getFirst().whole());
  }

  @Test
  void queuePairsThatNoPacketNamesAreLeftOut() {
    posted(900, new ConnectionEnd("10.0.0.7", 4711), 1, "SEND");
    View view = shown();
    assertEquals("", told(view));
    assertTrue(
        view.notes().getFirst().endsWith("; 1 of queue pairs that no packet names are left out"));
  }

  @Test
  void statesStandBesideThePacketsThoseUpToRtsTogether() {
    changed(100, SENDER, "RESET", "INIT");
    changed(200, SENDER, "INIT", "RTR");
    changed(300, SENDER, "RTR", "RTS");
    posted(900, SENDER, 1, "SEND");
    changed(7_000, SENDER, "RTS", "ERR");
    changed(7_000, PEER, "RTS", "ERR");
    View shown = shown();
    assertEquals(
        "100 0 STATE INIT, RTR, RTS; 900 0 POSTED SEND wr 1; 7000 2 STATE ERR; 7000 2 STATE ERR",
        told(shown));
    assertEquals("RESET to INIT to RTR to RTS", shown.events().getFirst().whole());
    String note = shown.notes().getLast();
    assertTrue(note.startsWith("p.jfr: 1 requests and completions, 5 changes of state"), note);
  }

  @Test
  void requestsOfTwoRecordingsStandInTheOrderOfTheirTimes() {
    posted(7_000, SENDER, 2, "SEND");
    View first = shown();
    requests.clear();
    posted(900, SENDER, 1, "SEND");
    View both = first.with(new Recording("q.jfr", requests, Set.of()));
    assertEquals("900 0 POSTED SEND wr 1; 7000 2 POSTED SEND wr 2", told(both));
  }

  /** One packet each 4 us from 1 us on. */
  private static View exchanged(RocePacket... packets) {
    List<SeenPacket> seen = new ArrayList<>();
    for (RocePacket packet : packets) {
      long atNs = 1_000 + 4_000L * seen.size();
      seen.add(new SeenPacket(atNs, atNs + 1_000, PacketFate.DELIVERED, packet.emit(), ""));
    }
    return View.of("a lab", seen, List.of(), List.of());
  }

  private static RocePacket only(Opcode opcode, boolean fromClient, int destQp) {
    return packet(fromClient, BaseHeader.of(opcode, destQp, false, 5), List.of(), 8);
  }

  @Test
  void aNumberThatBothEndsHaveNamesNeither() {
    View packets =
        exchanged(
            only(Opcode.RC_SEND_ONLY, true, CLIENT_QP),
            only(Opcode.RC_SEND_ONLY, false, CLIENT_QP));
    posted(900, SENDER, 1, "SEND");
    View view = packets.with(new Recording("p.jfr", requests, Set.of()));
    assertEquals("", told(view));
    assertTrue(
        view.notes().getFirst().endsWith("; 1 of queue pairs that no packet names are left out"),
        view.notes()::toString);
  }

  /** It completes when it has left, before anything has arrived at its queue pair. */
  @Test
  void anUnreliableSendThatCompletesDoesNotBoundTheClock() {
    View packets =
        exchanged(
            only(Opcode.UC_SEND_ONLY, true, SERVER_QP),
            only(Opcode.UC_SEND_ONLY, false, CLIENT_QP));
    posted(900, SENDER, 1, "SEND");
    polled(1_000, SENDER, 1, "SEND", "SUCCESS");
    View view = packets.with(new Recording("p.jfr", requests, Set.of(CLIENT_QP)));
    assertEquals("900 0 POSTED SEND wr 1; 1000 0 COMPLETED SEND wr 1", told(view));
  }

  @Test
  void theRequestsOfEachEndBoundTheClock() {
    View packets =
        exchanged(send(5), answer(5, Aeth.ACK), only(Opcode.RC_SEND_ONLY, false, CLIENT_QP));
    posted(9_300, PEER, 1, "SEND");
    View view = packets.with(new Recording("p.jfr", requests, Set.of(SERVER_QP)));
    assertEquals("9000 2 POSTED SEND wr 1", told(view));
  }

  private void changed(long atNs, ConnectionEnd end, String from, String to) {
    requests.add(new Recording.StateChange(atNs, end.queuePair(), from, to));
  }

  /** Programs that read the log learn what the page shows. */
  @Test
  void theLogHoldsThemToo() throws IOException {
    changed(100, SENDER, "RTR", "RTS");
    posted(900, SENDER, 1, "SEND");
    polled(6_100, SENDER, 1, "SEND", "SUCCESS");
    polled(6_200, PEER, 2, "", "WR_FLUSH_ERR");
    StringWriter log = new StringWriter();
    EventLog.write(shown(), log);
    String qpn = "\"qpn\":" + SENDER.queuePair() + ",\"psn_epoch\":0,";
    assertEquals(
        List.of(
            "-900,transport:noted,left," + qpn + "RTS,RTR to RTS",
            "-100,program:request_posted,left," + qpn + "SEND wr 1,posted SEND, 64 bytes, wr_id 1",
            "5100,program:request_completed,left,"
                + qpn
                + "SEND wr 1,polled SEND with status SUCCESS, wr_id 1",
            "5200,program:request_failed,right,"
                + qpn.replace("" + SENDER.queuePair(), "" + PEER.queuePair())
                + "WR_FLUSH_ERR wr 2,polled completion with status WR_FLUSH_ERR, wr_id 2"),
        log.toString()
            .lines()
            .filter(line -> line.contains("\"what\""))
            .map(
                line ->
                    line.replaceFirst("[}]{2}.*", "")
                        .replaceAll("[{]?\"(time|name|data|end|text|what)\":[{]?", "")
                        .replaceAll("\"(?!qpn|psn_epoch|:)", ""))
            .toList());
  }

  @Test
  void theSyndromeOfAnAnswerIsInTheLog() throws IOException {
    StringWriter log = new StringWriter();
    EventLog.write(PACKETS, log);
    List<String> answers =
        log.toString()
            .lines()
            .filter(line -> line.contains("packet_sent") && line.contains("syndrome"))
            .toList();
    assertEquals(1, answers.size(), log::toString);
    assertTrue(answers.getFirst().contains("\"syndrome\":" + Aeth.ack(0) + ","), answers::toString);
  }

  @Test
  void theCommentOfAPacketThatIsCutIsInTheLog() throws IOException {
    Bytes cut = Bytes.copy(send(5).emit().buffer(), 0, 36);
    StringWriter log = new StringWriter();
    EventLog.write(
        View.of(
            "a lab",
            List.of(new SeenPacket(1_000, 2_000, PacketFate.DELIVERED, cut, "cut to 36 bytes")),
            List.of(),
            List.of()),
        log);
    assertTrue(log.toString().contains("\"comment\":\"cut to 36 bytes\""), log::toString);
  }
}
