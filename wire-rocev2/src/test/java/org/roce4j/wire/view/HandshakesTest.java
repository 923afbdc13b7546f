package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HandshakesTest {
  /** Bytes of the headers of a pcap file and of its records. */
  private static final int FILE_HEADER = 24;

  private static final int RECORD_HEADER = 16;

  /** A recording of Linux's rping: only messages of the connection manager show these states. */
  @Test
  void connectionManagersTellHowAConnectionBeginsAndEnds() throws Exception {
    Path file = Path.of(HandshakesTest.class.getResource("/pcaps/cm_rping.pcap").toURI());
    assertEquals(
        "left 1 INIT, right 2 RTR, left 3 RTS, right 6 RTS, left 40 CLOSED, right 41 CLOSED",
        states(file));
  }

  /** The reply, by which the second end is known, is the second packet of the recording. */
  @Test
  void aDamagedMessageTellsNoState(@TempDir Path directory) throws Exception {
    byte[] bytes =
        Files.readAllBytes(
            Path.of(HandshakesTest.class.getResource("/pcaps/cm_rping.pcap").toURI()));
    ByteBuffer file = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    int second = FILE_HEADER + RECORD_HEADER + file.getInt(FILE_HEADER + 8);
    int last = second + RECORD_HEADER + file.getInt(second + 8) - 1;
    bytes[last] ^= 1;
    Path damaged = Files.write(directory.resolve("damaged.pcap"), bytes);
    assertEquals(
        Set.of("10.77.0.3"),
        Handshakes.of(View.read(List.of(damaged), List.of()).packets()).keySet().stream()
            .map(ConnectionEnd::address)
            .collect(Collectors.toSet()));
  }

  /** The same queue pairs connect again, after some time. */
  @Test
  void aClosedConnectionMayBeginAgain(@TempDir Path directory) throws Exception {
    byte[] once =
        Files.readAllBytes(
            Path.of(HandshakesTest.class.getResource("/pcaps/cm_rping.pcap").toURI()));
    ByteBuffer later = ByteBuffer.wrap(once.clone()).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(0xa1b2c3d4, later.getInt(0));
    for (int at = FILE_HEADER; at < once.length; at += RECORD_HEADER + later.getInt(at + 8)) {
      later.putInt(at, later.getInt(at) + 1000);
    }
    Path twice = directory.resolve("twice.pcap");
    Files.write(twice, once);
    Files.write(
        twice,
        Arrays.copyOfRange(later.array(), FILE_HEADER, once.length),
        StandardOpenOption.APPEND);
    assertEquals(
        "left 1 INIT, right 2 RTR, left 3 RTS, right 6 RTS, left 40 CLOSED, right 41 CLOSED, "
            + "left 42 INIT, right 43 RTR, left 44 RTS, left 45 RETRY, right 47 RETRY, "
            + "left 81 CLOSED, right 82 CLOSED",
        states(twice));
  }

  private static String states(Path file) throws IOException {
    View view = View.read(List.of(file), List.of());
    return EndStates.of(view.connections().get(1), view).stream()
        .map(HandshakesTest::text)
        .collect(Collectors.joining(", "));
  }

  private static String text(EndStates.Change change) {
    return (change.left() ? "left " : "right ") + (change.packet() + 1) + " " + change.state();
  }
}
