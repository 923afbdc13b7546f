package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.simulation.OracleRule;
import org.roce4j.simulation.Simulation;
import org.roce4j.simulation.SimulationOptions;
import org.roce4j.simulation.SimulationResult;
import org.roce4j.simulation.SimulationSummary;
import org.roce4j.simulation.Violation;
import org.roce4j.tools.console.Json;
import org.roce4j.verbs.WcStatus;

class SimulateCommandTest extends CommandFixture {
  /** A seed whose queue pairs fail. */
  private static final int FAILING = 6;

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

  /** The value of each key equals that of the run. */
  @Test
  void everyKeyOfTheJsonIsTheRuns() {
    SimulationResult result = Simulation.run(SimulationOptions.draw(FAILING));
    SimulationSummary summary = new SimulationSummary();
    summary.add(result);
    assertEquals(0, run("simulate", "--seed", FAILING + "", "--json"));
    Map<?, ?> json = (Map<?, ?>) Json.read(lastLine());
    Map<String, Object> told = new LinkedHashMap<>();
    json.forEach((key, value) -> told.put(key.toString(), value));
    double seconds = ((Number) told.remove("seconds")).doubleValue();
    double rate = ((Number) told.remove("packetsPerSecond")).doubleValue();
    assertTrue(seconds > 0 && rate > 0, this::lastLine);
    assertEquals(result.datagrams(), seconds * rate, 0.05 * result.datagrams());
    Map<String, Object> wanted = new LinkedHashMap<>();
    wanted.put("firstSeed", FAILING);
    wanted.put("seeds", 1);
    wanted.put("violations", 0);
    wanted.put("violatedSeeds", List.of());
    wanted.put("requests", result.requests());
    wanted.put("packets", result.datagrams());
    wanted.put("virtualSeconds", result.virtualNs() / 1e9);
    wanted.put("failures", new TreeMap<>(summary.failures()));
    wanted.put("met", summary.hardships());
    wanted.put("neverMet", summary.missed());
    wanted.put("counters", new TreeMap<>(result.counters()));
    wanted.put("digest", "%016x".formatted(result.digest()));
    wanted.put("options", result.options().toString());
    assertEquals(Json.text(wanted), Json.text(told));
  }

  /** A run of many seeds prints for each seed what a run of that seed alone prints. */
  @Test
  void digestsAreThoseOfTheSingleRuns() {
    List<String> lines = new ArrayList<>();
    for (int seed = 5; seed < 8; seed++) {
      long digest = Simulation.run(SimulationOptions.draw(seed)).digest();
      lines.add("seed %d digest %016x".formatted(seed, digest));
    }
    assertEquals(0, run("simulate", "--seed", "5", "--seeds", "3", "--digests"));
    assertEquals(lines, out.toString().lines().filter(l -> l.startsWith("seed ")).toList());
  }

  @Test
  void theFirstViolationIsToldWithTheLineThatRepeatsIt() {
    SimulationResult right = Simulation.run(SimulationOptions.draw(3));
    SimulationResult wrong =
        new SimulationResult(
            SimulationOptions.draw(4),
            new Violation(OracleRule.BYTES_WHOLE, 77, "it was"),
            0xabc,
            10,
            2_500_000_000L,
            5,
            Map.of(WcStatus.RETRY_EXC_ERR, 2, WcStatus.REM_OP_ERR, 1),
            Map.of(),
            Map.of());
    SimulationSummary both = new SimulationSummary();
    both.add(wrong);
    SimulateCommand.print(new PrintWriter(out, true), both, 2, null);
    List<String> lines = out.toString().lines().toList();
    assertEquals("first violation, with seed 4:", lines.get(0));
    assertEquals(wrong.options().toString(), lines.get(1));
    assertEquals("at 77 ns: BYTES_WHOLE (" + OracleRule.BYTES_WHOLE.sentence() + ")", lines.get(2));
    assertEquals("  it was", lines.get(3));
    assertEquals(
        "1 seed, 1 rule broken, 5 requests, 10 packets in 2.0 s (5 packets/s), 2.500 virtual s",
        lines.get(4));
    assertTrue(lines.get(5).startsWith("met: "), lines.get(5));
    assertTrue(lines.get(6).startsWith("never met: "), lines.get(6));
    assertEquals(
        "queue pairs that failed, with good reason: REM_OP_ERR=1 RETRY_EXC_ERR=2", lines.get(7));
    assertEquals("digest 0000000000000abc", lines.get(8));
    out.getBuffer().setLength(0);
    SimulateCommand.print(new PrintWriter(out, true), both, 2, wrong);
    assertTrue(out.toString().startsWith("at 77 ns: BYTES_WHOLE ("), out::toString);
    assertFalse(out.toString().contains("never met"), out::toString);
    both.add(right);
    assertTrue(SimulateCommand.metEnough(999, both));
    assertFalse(SimulateCommand.metEnough(1000, both));
  }

  @Test
  void aRunCanBeCapturedAndInspected(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("p.pcapng");
    assertEquals(0, run("simulate", "--seed", FAILING + "", "--capture", file.toString()));
    assertTrue(Files.size(file) > 0);
    String page = Files.readString(directory.resolve("p.html"));
    assertTrue(
        page.contains("\"options   seed=" + FAILING + " "),
        "the run's options stand above its packets");
    assertTrue(page.contains("\"failed    "), "and the queue pairs that failed");
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
