package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.wire.view.BothEnds.send;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.LinkType;

/** The line that a view says of each capture. */
class SummaryTest {
  @TempDir private Path directory;

  /** Each thing that a capture lacks is told, also if nothing else is lacking. */
  @ParameterizedTest
  @CsvSource({
    "WHOLE, 1, ''",
    "TRUNCATED, 1, '; 0 other frames skipped, 1 truncated packets without ICRC to check'",
    "FOREIGN, 1, '; 1 other frames skipped, 0 truncated packets without ICRC to check'",
    "CUT, 1, '; 0 other frames skipped, 0 truncated packets without ICRC to check; the file is"
        + " damaged: a record header is cut short, at byte 92'",
  })
  void whatACaptureLacksIsTold(String lack, int packets, String remarks) throws IOException {
    Path file = directory.resolve("a.pcap");
    ByteBuffer packet = send(5).emit().buffer();
    int snapLength = lack.equals("TRUNCATED") ? 50 : CaptureWriter.WHOLE_FRAMES;
    try (CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, snapLength)) {
      writer.write(0, packet, 0, packet.limit());
      if (lack.equals("FOREIGN")) {
        ByteBuffer tcp = ByteBuffer.allocate(packet.limit()).put(packet.duplicate());
        tcp.put(9, (byte) 6);
        writer.write(0, tcp, 0, tcp.limit());
      }
    }
    if (lack.equals("CUT")) {
      Files.write(file, new byte[5], StandardOpenOption.APPEND);
    }
    String all = "a.pcap: %d packets, %d icrc ok, 0 icrc bad, 0 malformed%s";
    int whole = lack.equals("TRUNCATED") ? 0 : packets;
    assertEquals(
        List.of(all.formatted(packets, whole, remarks)),
        View.read(List.of(file), List.of()).summaries());
  }
}
