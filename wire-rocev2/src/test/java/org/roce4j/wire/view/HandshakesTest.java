package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class HandshakesTest {
  /** A recording of Linux's rping: only messages of the connection manager show these states. */
  @Test
  void connectionManagersTellHowAConnectionBeginsAndEnds() throws Exception {
    Path file = Path.of(HandshakesTest.class.getResource("/pcaps/cm_rping.pcap").toURI());
    View view = View.read(List.of(file), List.of());
    CapturedConnection rc = view.connections().get(1);
    assertEquals(
        "left 1 INIT, right 2 RTR, left 3 RTS, right 6 RTS, left 40 CLOSED, right 41 CLOSED",
        EndStates.of(rc, view).stream()
            .map(HandshakesTest::text)
            .collect(Collectors.joining(", ")));
  }

  private static String text(EndStates.Change change) {
    return (change.left() ? "left " : "right ") + (change.packet() + 1) + " " + change.state();
  }
}
