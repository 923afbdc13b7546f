package org.roce4j.benchmarks.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.tools.Roce4j;
import org.roce4j.tools.perf.PerfCommand;
import picocli.CommandLine.ParameterException;

/** {@code roce4j perf --limit}, over datagrams between two processes. */
@Timeout(120)
class PlainUdpYardstickTest {
  private static final long PROCESS = ProcessHandle.current().pid();
  private static final String NETWORK =
      "127." + (192 + PROCESS / 256 % 60) + "." + PROCESS % 256 + ".";
  private static final String ADDRESSES = NETWORK + "1," + NETWORK + "2";

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @EnabledOnOs(OS.LINUX)
  @ParameterizedTest
  @CsvSource({"write_bw -s 4096, work trains singles", "send_lat -s 64 -e, ping_pong"})
  void aRunIsHeldAgainstItsTwins(String line, String twins) {
    int status =
        run(
            "perf --json --no-pin --limit --pairs 1 -D 0.05 --warm-up 0.1 -u 20 --bind "
                + ADDRESSES
                + " "
                + line);
    String json = out.toString();
    assertEquals(json.contains("\"credible\":true") ? 0 : 1, status, err.toString());
    for (String twin : twins.split(" ")) {
      assertTrue(
          json.contains("\"" + twin + "\":{\"ratio\":"),
          () -> twin + " is not in " + json + ": " + err);
    }
    assertTrue(json.contains("\"limit\":{"), json);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          send_bw --limit 10.0.0.1           | --limit needs a pair of its own
          send_bw --limit --transport fabric | not the fabric
          send_bw --limit --verify           | two questions
          send_bw --limit --pairs 0          | --pairs must be 1 to 1000
          """)
  void whatCannotBeComparedIsOneClearLine(String line, String message) {
    ParameterException e =
        assertThrows(
            ParameterException.class, () -> PerfCommand.parse(List.of(line.strip().split(" "))));
    assertTrue(e.getMessage().contains(message), e.getMessage());
  }

  private int run(String line) {
    return Roce4j.run(
        new PrintWriter(out, true), new PrintWriter(err, true), false, line.split(" "));
  }
}
