package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private static final long SECOND_NS = 1_000_000_000L;

  private final StringWriter text = new StringWriter();
  private final PrintWriter err = new PrintWriter(text);

  @Test
  void shortWorkIsSilentWhereNobodyWatches() {
    ProgressLine progress = new ProgressLine(err, false, "round trips", 10, 0);
    progress.update(9, 2 * SECOND_NS - 1);
    progress.end();

    assertEquals("", text.toString());
  }

  @Test
  void longWorkGetsALineEveryTwoSeconds() {
    ProgressLine progress = new ProgressLine(err, false, "round trips", 10, 0);
    progress.update(3, 2 * SECOND_NS);
    progress.update(4, 3 * SECOND_NS);
    progress.update(5, 4 * SECOND_NS);
    progress.end();

    assertEquals(
        "3 of 10 round trips (30 %) in 2 s, 5 s left%n5 of 10 round trips (50 %) in 4 s, 4 s left%n"
            .replace("(30 %)", "(30 %%)")
            .replace("(50 %)", "(50 %%)")
            .formatted(),
        text.toString());
  }

  @Test
  void workThatTakesATimeIsToldInSeconds() {
    ProgressLine progress = new ProgressLine(err, false, "measuring", 20, 0);
    progress.updateTime(2 * SECOND_NS);

    assertEquals("measuring: 2 of 20 s%n".formatted(), text.toString());
  }

  @Test
  void aTerminalGetsOneLineThatIsDrawnOverAndWiped() {
    ProgressLine progress = new ProgressLine(err, true, "x", 10, 0);
    progress.update(1, SECOND_NS);
    progress.end();

    String line = "1 of 10 x (10 %) in 1 s, 9 s left";
    assertEquals("\r" + line + "\r" + " ".repeat(line.length()) + "\r", text.toString());
  }
}
