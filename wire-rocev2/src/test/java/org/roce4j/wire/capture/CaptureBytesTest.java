package org.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Capture files byte for byte, because readers of the same tree may share a mistake. */
class CaptureBytesTest {
  private static final long TIME_NS = 0x1_0000_0005L;

  @TempDir private Path directory;

  private String written(String name, String comment) throws IOException {
    Path file = directory.resolve(name);
    try (CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, 64)) {
      writer.write(TIME_NS, ByteBuffer.wrap(new byte[] {1, 2, 3}), 0, 3, comment);
    }
    return HexFormat.of().formatHex(Files.readAllBytes(file));
  }

  @Test
  void pcapOfNanosecondsIsVersionTwoPointFour() throws IOException {
    assertEquals(
        "4d3cb2a1"
            + "02000400"
            + "0000000000000000"
            + "40000000"
            + "65000000"
            // 4 seconds and 294,967,301 nanoseconds
            + "04000000"
            + "05d89411"
            + "03000000"
            + "03000000"
            + "010203",
        written("a.pcap", ""));
  }

  @Test
  void pcapngIsASectionOfUnknownLengthAnInterfaceAndItsPackets() throws IOException {
    String section =
        "0a0d0d0a" + "1c000000" + "4d3c2b1a" + "01000000" + "ff".repeat(8) + "1c000000";
    String described =
        "01000000"
            + "20000000"
            + "65000000"
            + "40000000"
            + "0900010009000000"
            + "00000000"
            + "20000000";
    String start = "00000000" + "01000000" + "05000000" + "03000000" + "03000000" + "01020300";
    assertEquals(
        section + described + "06000000" + "24000000" + start + "24000000",
        written("a.pcapng", ""));
    assertEquals(
        section
            + described
            + "06000000"
            + "30000000"
            + start
            + "0100030077687900"
            + "00000000"
            + "30000000",
        written("b.pcapng", "why"));
  }
}
