package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.simulation.SimulationOptions;

class SimulateCommandTest extends CommandFixture {
  private String lastLine() {
    return out.toString().lines().reduce("", (first, second) -> second);
  }

  @Test
  void theFirstLineRepeatsTheRun() {
    assertEquals(0, run("simulate", "--seed", "3"), err::toString);
    String line = out.toString().lines().findFirst().orElseThrow();
    assertEquals(SimulationOptions.draw(3).toString(), line);
    String digest = lastLine();
    assertTrue(digest.startsWith("digest "), digest);
    out.getBuffer().setLength(0);
    assertEquals(0, run("simulate", "--options", line));
    assertEquals(digest, lastLine());
  }

  @Test
  void manySeedsEndWithWhatTheyMet() {
    assertEquals(0, run("simulate", "--seed", "1", "--seeds", "3"));
    assertTrue(out.toString().contains("3 seeds, 0 rules broken"), out::toString);
    assertTrue(out.toString().contains("rcvd_seq_err="), out::toString);
  }

  @Test
  void shouldSayTheOutcomeAsJson() {
    assertEquals(0, run("simulate", "--seed", "3", "--json"));
    assertTrue(
        lastLine().startsWith("{\"firstSeed\":3,\"seeds\":1,\"violations\":0"), out::toString);
  }

  @Test
  void aRunCanBeCapturedAndInspected(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("p.pcapng");
    assertEquals(0, run("simulate", "--seed", "3", "--capture", file.toString()));
    assertTrue(Files.size(file) > 0);
    String page = Files.readString(directory.resolve("p.html"));
    assertTrue(page.contains("\"options   seed=3 "), "the run's options stand above its packets");
    out.getBuffer().setLength(0);
    assertEquals(0, run("inspect", file.toString()));
    assertTrue(lastLine().endsWith("0 icrc bad, 0 malformed"), this::lastLine);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--seeds 0",
        "--seed x",
        "--seeds 2 --capture p.pcapng",
        "--seed 1 --options seed=1",
        "--options mtu=3"
      })
  void shouldRefuseAWrongCommandLineInOneLine(String line) {
    int status = run(("simulate " + line).split(" "));
    assertTrue(status != 0);
    assertEquals("", out.toString());
    assertEquals(1, err.toString().lines().count(), err::toString);
  }
}
