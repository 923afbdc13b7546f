package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.wire.view.BothEnds.answer;
import static org.roce4j.wire.view.BothEnds.send;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.LinkType;

/** Which arrival belongs to which departure, and what the captures do not show. */
class CaptureJoinTest {
  private BothEnds ends;

  /** A packet and its answer, by which both clocks are right. */
  @BeforeEach
  void open(@TempDir Path directory) throws IOException {
    ends = new BothEnds(directory);
    ends.passes(0, 100, send(5));
    ends.passes(200, 300, answer(5, Aeth.ACK));
  }

  /** Without the packet and its answer. */
  private void anew(Path directory) throws IOException {
    ends.close();
    ends = new BothEnds(directory);
  }

  private static List<String> told(View view) {
    return view.packets().stream()
        .skip(2)
        .map(packet -> packet.frame().headers().bth().psn() + " " + packet.fate().word())
        .toList();
  }

  /**
   * A sender may note a packet up to 50 us after it has left. Its arrival then seems to come before
   * it, and belongs to it nevertheless, unless the same packet left before, at a time that is as
   * near.
   */
  @ParameterizedTest
  @CsvSource({
    "1000000, 2000000, 2000000, again",
    "1000000, 2000000, 1999999, again",
    "1000000, 2000000, 1950001, again",
    "1000000, 2000000, 1950000, first",
    "1000000, 2000000, 1000000, first",
    "1000000, 1030000, 1020000, again",
    "1000000, 1030000, 1015001, again",
    "1000000, 1030000, 1015000, first",
    "1000000, 1030000, 1010000, first",
  })
  void anArrivalBelongsToTheNearestDeparture(
      long firstNs, long againNs, long arrivedNs, String departure) throws IOException {
    ends.lost(firstNs, send(6));
    ends.lost(againNs, send(6));
    ends.appears(arrivedNs, send(6));
    ends.passes(5_000_000, 5_000_100, send(7));
    boolean first = departure.equals("first");
    assertEquals(
        List.of(first ? "6 delivered" : "6 lost", first ? "6 lost" : "6 delivered", "7 delivered"),
        told(ends.viewed()));
  }

  @Test
  void theFirstOfTwoArrivalsIsThatOfThePacketAndTheOtherACopy() throws IOException {
    ends.passes(1000, 1100, send(6));
    ends.appears(1150, send(6));
    ends.passes(1200, 1300, answer(6, Aeth.ACK));
    View view = ends.viewed();
    assertEquals(List.of("6 delivered", "6 appeared", "6 delivered"), told(view));
    assertEquals(1000, view.packets().get(2).sentNs());
    assertEquals(1100, view.packets().get(2).arrivedNs());
    assertEquals(1150, view.packets().get(3).arrivedNs());
  }

  /** The client's capture has lost its own packet: only the answer is in both. */
  @Test
  void theEndOfACaptureIsToldByPacketsOfOneDirection(@TempDir Path other) throws IOException {
    anew(other);
    ends.appears(0, send(4));
    ends.passes(1000, 1100, answer(4, Aeth.ACK));
    ends.close();
    for (List<Path> files :
        List.of(List.of(ends.client, ends.server), List.of(ends.server, ends.client))) {
      ViewedPacket packet = View.read(files, List.of()).packets().getLast();
      assertEquals(
          "4 delivered", packet.frame().headers().bth().psn() + " " + packet.fate().word());
      assertEquals(List.of(1000L, 1100L), List.of(packet.sentNs(), packet.arrivedNs()));
    }
  }

  /** A busy computer records single times late. */
  @Test
  void singleLateTimesTellNothingOfTheClocks(@TempDir Path other) throws IOException {
    anew(other);
    ends.serverAhead(-1_000_000);
    for (int i = 0; i < 20; i++) {
      long atNs = 10_000_000L * i;
      long lateNs = i % 5 < 2 ? 5_000_000 : 100;
      ends.passes(atNs, atNs + lateNs, send(6 + i));
      ends.passes(atNs + 6_000_000, atNs + 6_000_000 + lateNs, answer(6 + i, Aeth.ACK));
    }
    String note = ends.viewed().notes().getFirst();
    assertTrue(note.contains("1000.000 us behind"), note);
  }

  /** What was sent again for nothing would be compared with the arrival of the first packet. */
  @Test
  void packetsThatWereSentTwiceTellNothingOfTheClocks() throws IOException {
    for (int i = 0; i < 3; i++) {
      ends.passes(1000 + 200 * i, 1100 + 200 * i, send(6 + i));
    }
    for (int i = 0; i < 3; i++) {
      ends.lost(900_000 + 200 * i, send(6 + i));
    }
    ViewedPacket packet = ends.viewed().packets().get(2);
    assertEquals(List.of(1000L, 1100L), List.of(packet.sentNs(), packet.arrivedNs()));
  }

  /** The capture of the server ends at 2000, that of the client at 2200. */
  @ParameterizedTest
  @CsvSource({"2200, lost", "2201, seen"})
  void anAnswerIsLostWhenTheCaptureOfTheClientRan(long sentNs, String fate) throws IOException {
    ends.passes(2000, 2200, answer(5, Aeth.ACK));
    ends.lost(sentNs, answer(6, Aeth.ACK));
    assertTrue(told(ends.viewed()).contains("6 " + fate));
  }

  @Test
  void timesCountFromTheFirstPacketOfEitherCapture(@TempDir Path later) throws IOException {
    anew(later);
    ends.lost(500, answer(4, Aeth.ACK));
    ends.passes(1000, 1100, send(5));
    ends.passes(1200, 1300, answer(5, Aeth.ACK));
    View view = ends.viewed();
    assertEquals(
        List.of(0L, 500L, 700L), view.packets().stream().map(ViewedPacket::sentNs).toList());
  }

  @Test
  void anArrivalThatWasNotedTooEarlyIsAtItsDeparture() throws IOException {
    ends.passes(1000, 990, send(6));
    ViewedPacket packet = ends.viewed().packets().get(2);
    assertEquals(List.of(1000L, 1000L), List.of(packet.sentNs(), packet.arrivedNs()));
  }

  /** It had sent something itself. */
  @Test
  void aCaptureRunsBeforeAnythingArrivesThere(@TempDir Path later) throws IOException {
    anew(later);
    ends.lost(100, answer(4, Aeth.ACK));
    ends.lost(500, send(5));
    for (int i = 0; i < 20; i++) {
      ends.passes(1000 + 1000 * i, 1100 + 1000 * i, send(6 + i));
    }
    assertEquals(PacketFate.LOST, ends.viewed().packets().get(1).fate());
  }

  @Test
  void whereOneCaptureIsEmptyEveryPacketIsSeen(@TempDir Path empty) throws IOException {
    ends.close();
    BothEnds none = new BothEnds(empty);
    none.close();
    for (List<Path> files :
        List.of(List.of(none.client, ends.server), List.of(ends.server, none.client))) {
      View view = View.read(files, List.of());
      assertEquals(2, view.packets().size());
      assertTrue(view.packets().stream().allMatch(each -> each.fate() == PacketFate.SEEN));
    }
  }

  @Test
  void aFrameWhoseCommentSaysSoIsLost(@TempDir Path other) throws IOException {
    Path file = other.resolve("told.pcapng");
    ByteBuffer bytes = send(5).emit().buffer();
    try (CaptureWriter writer =
        CaptureWriter.create(file, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      writer.write(0, bytes, 0, bytes.limit(), "marked; lost by the network");
      writer.write(1, bytes, 0, bytes.limit(), "almost lost");
    }
    assertEquals(
        List.of(PacketFate.LOST, PacketFate.SEEN),
        View.read(List.of(file), List.of()).packets().stream().map(ViewedPacket::fate).toList());
  }
}
