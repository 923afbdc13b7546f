package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/simulation.md has a line for each rule, phenomenon and option, in the words of the code. */
class SimulationDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "..", "docs", "simulation.md");

  @Test
  void namesEveryRule() throws IOException {
    List<String> lines = Files.readAllLines(DOCUMENT);
    for (OracleRule rule : OracleRule.values()) {
      assertHas(lines, "| `%s` | %s |".formatted(rule, rule.sentence()));
    }
  }

  @Test
  void namesEveryPhenomenon() throws IOException {
    List<String> lines = Files.readAllLines(DOCUMENT);
    for (Phenomenon phenomenon : Phenomenon.values()) {
      assertHas(lines, "| `%s` | %s |".formatted(phenomenon.label(), phenomenon.meaning()));
    }
  }

  @Test
  void namesEveryOption() throws IOException {
    List<String> lines = Files.readAllLines(DOCUMENT);
    for (Knob knob : Knob.values()) {
      assertHas(
          lines,
          "| `%s` | %d | %d | %s |"
              .formatted(knob.key(), knob.least(), knob.most(), knob.meaning()));
    }
  }

  private static void assertHas(List<String> lines, String line) {
    assertTrue(lines.contains(line), () -> "docs/simulation.md lacks the line\n" + line);
  }
}
