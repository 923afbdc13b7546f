package org.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BoundedCaptureTest {
  @TempDir Path directory;

  private List<CapturedFrame> captured(CaptureExtent extent, int packets) throws IOException {
    Path file = directory.resolve("bounded.pcapng");
    ByteBuffer packet = ByteBuffer.allocate(40);
    try (BoundedCapture capture =
        new BoundedCapture(CaptureWriter.create(file, LinkType.RAW, 30), extent)) {
      long before = 0;
      for (int i = 1; i <= packets; i++) {
        packet.put(0, (byte) i);
        long number = capture.write("roce" + i % 2, i, packet, 0, 40);
        capture.note(before, "comes too late");
        before = number;
        if (i % 3 == 0) {
          capture.note(number, "lost");
          capture.note(number, "and more");
        }
      }
      assertEquals(Math.max(0, packets - extent.first() - extent.last()), capture.leftOut(), 1);
    }
    return Frames.all(file);
  }

  @ParameterizedTest
  @CsvSource({
    "100, 0, 5, 1 2 3 4 5",
    "2, 2, 9, 1 2 8 9",
    "2, 2, 4, 1 2 3 4",
    "0, 3, 7, 5 6 7",
    "3, 0, 7, 1 2 3",
    "3, 5, 1, 1"
  })
  void theFirstAndTheLastPacketsAreKept(int first, int last, int packets, String kept)
      throws IOException {
    List<CapturedFrame> frames = captured(new CaptureExtent(first, last), packets);
    List<String> numbers =
        frames.stream().map(frame -> String.valueOf(frame.bytes().buffer().get(0))).toList();
    assertEquals(kept, String.join(" ", numbers));
    assertEquals(
        numbers, frames.stream().map(frame -> String.valueOf(frame.timestampNs())).toList());
    assertEquals(40, frames.getLast().originalLength());
    assertEquals(30, frames.getLast().bytes().length());
  }

  @Test
  void aPacketBearsWhatBefellItWhereItWasSeenAndWhatIsMissingBeforeIt() throws IOException {
    List<CapturedFrame> frames = captured(new CaptureExtent(3, 2), 9);
    assertEquals(
        List.of(
            "", "", "lost; and more", "4 packets before this one are left out", "lost; and more"),
        frames.stream().map(CapturedFrame::comment).toList());
    assertEquals(
        List.of("roce1", "roce0", "roce1", "roce0", "roce1"),
        frames.stream().map(CapturedFrame::interfaceName).toList());
  }

  @Test
  void whereNothingIsLeftOutNothingIsSaidOfIt() throws IOException {
    for (CapturedFrame frame : captured(new CaptureExtent(2, 2), 4)) {
      assertEquals(frame.timestampNs() == 3 ? "lost; and more" : "", frame.comment());
    }
  }

  private static BoundedCapture capture(Path file, int first, int last) throws IOException {
    return new BoundedCapture(
        CaptureWriter.create(file, LinkType.RAW, 40), new CaptureExtent(first, last));
  }

  /** Whether it goes to the file at once or through memory. */
  @ParameterizedTest
  @CsvSource({"9, 0", "0, 9", "1, 9"})
  void whatWasBeforeTheNewestStandsBeforeIt(int first, int last) throws IOException {
    Path file = directory.resolve("before.pcapng");
    ByteBuffer packet = ByteBuffer.allocate(40);
    try (BoundedCapture capture = capture(file, first, last)) {
      capture.write("roce0", 1, packet, 0, 40);
      long old = capture.write("roce0", 3, packet, 0, 40);
      long number = capture.writeBefore("roce1", 2, packet.put(0, (byte) 2), 0, 39, "held");
      capture.note(old, "of the number before");
      capture.note(number, "marked CE");
    }
    assertEquals(
        List.of("1 roce0 0 40 ", "2 roce1 2 39 held", "3 roce0 0 40 marked CE"),
        Frames.all(file).stream()
            .map(
                frame ->
                    "%d %s %d %d %s"
                        .formatted(
                            frame.timestampNs(),
                            frame.interfaceName(),
                            frame.bytes().buffer().get(0),
                            frame.originalLength(),
                            frame.comment()))
            .toList());
  }

  @Test
  void anInterfaceIsDescribedOnce() throws IOException {
    Path file = directory.resolve("bounded.pcapng");
    captured(CaptureExtent.ALL, 2);
    long two = Files.size(file);
    captured(CaptureExtent.ALL, 4);
    int comment = 8 + 16; // of the third
    assertEquals(two + 2 * (32 + 32) + comment, Files.size(file));
  }

  /**
   * What was written out or pushed out has its place; the packets after it bear their own fates.
   */
  @ParameterizedTest
  @CsvSource({"9, 0", "0, 9", "1, 2", "0, 0"})
  void aFateThatComesTooLateIsOfNoOtherPacket(int first, int last) throws IOException {
    Path file = directory.resolve("late.pcapng");
    ByteBuffer packet = ByteBuffer.allocate(40);
    try (BoundedCapture capture = capture(file, first, last)) {
      capture.note(0, "before the first");
      for (int i = 0; i < 3; i++) {
        long number = capture.write("roce0", i, packet, 0, 40);
        capture.flush();
        capture.note(number, "after it was flushed");
        long earlier = capture.writeBefore("roce0", i, packet, 0, 40, "");
        capture.note(earlier, "of one that was placed");
      }
    }
    for (CapturedFrame frame : Frames.all(file)) {
      assertEquals(
          "", frame.comment().replaceFirst("\\d+ packets before this one are left out", ""));
    }
  }

  @Test
  void whoClosesItTwiceFindsTheSameFile() throws IOException {
    Path file = directory.resolve("closed.pcapng");
    BoundedCapture capture =
        new BoundedCapture(
            CaptureWriter.create(file, LinkType.RAW, 96), new CaptureExtent(1, 2000));
    for (int i = 0; i < 3000; i++) {
      capture.write("roce0", i, ByteBuffer.allocate(40), 0, 40);
    }
    capture.close();
    List<CapturedFrame> written = Frames.all(file);
    capture.close();
    assertEquals(2001, written.size());
    assertEquals(written, Frames.all(file));
  }

  @Test
  void extentsHaveLimits() {
    assertEquals(CaptureExtent.MOST_LAST, new CaptureExtent(0, CaptureExtent.MOST_LAST).last());
    assertThrows(IllegalArgumentException.class, () -> new CaptureExtent(-1, 0));
    assertThrows(IllegalArgumentException.class, () -> new CaptureExtent(0, -1));
    assertThrows(
        IllegalArgumentException.class, () -> new CaptureExtent(0, CaptureExtent.MOST_LAST + 1));
  }
}
